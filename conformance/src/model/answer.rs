//! An answer, independent of the wire format. `decide` chooses it.

use std::time::Duration;

use super::failure::Failure;
use super::tools::ToolCall;

#[derive(Debug, Clone)]
pub(super) struct Answer {
    /// Different for every answer of every server; letters and digits.
    pub(super) id: String,
    pub(super) model: String,
    /// Seconds since 1970.
    pub(super) created: u64,
    /// The fragments of its thoughts.
    pub(super) thinking: Vec<String>,
    pub(super) text: Vec<String>,
    pub(super) calls: Vec<ToolCall>,
    pub(super) stop: Stop,
    /// The fault during sending.
    pub(super) fault: Fault,
    /// The pause after each fragment of text.
    pub(super) pace: Duration,
    /// Whether a multi-byte character is split between writes.
    pub(super) split_characters: bool,
    /// Whether headers report nearly exhausted limits.
    pub(super) limit_headers: bool,
}

/// Why an answer stops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stop {
    End,
    /// It waits for tool results.
    Tools,
    Limit,
    /// The vendor's filter.
    Filter,
}

/// A fault while an answer is sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Fault {
    None,
    /// Nothing is sent after the headers.
    Hang,
    /// Nothing is sent after two fragments of text.
    Stall,
    /// The connection is closed after two fragments of text.
    Cut,
    /// The second fragment of text is not JSON.
    Malformed,
    /// The stream ends with this error before any text.
    Error(Failure),
}

/// The usage of every answer: fixed numbers that tests can look for.
pub(super) mod usage {
    /// Input tokens that were not cached.
    pub(in super::super) const INPUT: u64 = 100;
    /// Input tokens read from the cache.
    pub(in super::super) const CACHED: u64 = 11;
    /// Input tokens written to the cache.
    pub(in super::super) const CACHE_WRITTEN: u64 = 7;
    pub(in super::super) const OUTPUT: u64 = 23;
    /// Thinking tokens.
    pub(in super::super) const THOUGHT: u64 = 5;
}

impl Answer {
    pub(super) fn whole_text(&self) -> String {
        self.text.concat()
    }

    pub(super) fn whole_thinking(&self) -> String {
        self.thinking.concat()
    }

    pub(super) fn thought_tokens(&self) -> u64 {
        if self.thinking.is_empty() { 0 } else { usage::THOUGHT }
    }

    pub(super) fn call_id(&self, prefix: &str, index: usize) -> String {
        format!("{prefix}_{}{index}", self.id)
    }
}
