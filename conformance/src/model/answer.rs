//! What is to be said, before any wire format. Which answer a request gets is in `decide`.

use std::time::Duration;

use super::failure::Failure;
use super::tools::ToolCall;

/// An answer of the model.
#[derive(Debug, Clone)]
pub(super) struct Answer {
    /// Different for every answer of every server; letters and digits.
    pub(super) id: String,
    /// The model that was asked for.
    pub(super) model: String,
    /// Seconds since 1970.
    pub(super) created: u64,
    /// The pieces of its thoughts.
    pub(super) thinking: Vec<String>,
    /// The pieces of its text.
    pub(super) text: Vec<String>,
    /// What it calls.
    pub(super) calls: Vec<ToolCall>,
    /// Why it ends.
    pub(super) stop: Stop,
    /// What goes wrong on the way.
    pub(super) fault: Fault,
    /// How long it waits after each piece of text.
    pub(super) pace: Duration,
    /// Whether a character of several bytes is cut apart.
    pub(super) split_characters: bool,
    /// Whether headers tell of limits that are nearly reached.
    pub(super) limit_headers: bool,
}

/// Why an answer ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stop {
    /// Everything is said.
    End,
    /// It waits for tools.
    Tools,
    /// The token limit.
    Limit,
    /// The vendor's filter.
    Filter,
}

/// What goes wrong while an answer is sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Fault {
    /// Nothing.
    None,
    /// Nothing comes after the headers.
    Hang,
    /// Nothing comes after two pieces of text.
    Stall,
    /// The connection is cut after two pieces of text.
    Cut,
    /// The second piece of text is no JSON.
    Malformed,
    /// The stream ends with this error before any text.
    Error(Failure),
}

/// What every answer claims to have cost, so that a suite can look for the very numbers.
pub(super) mod usage {
    /// Tokens read anew.
    pub(in super::super) const INPUT: u64 = 100;
    /// Tokens read from the cache.
    pub(in super::super) const CACHED: u64 = 11;
    /// Tokens put into the cache.
    pub(in super::super) const CACHE_WRITTEN: u64 = 7;
    /// Tokens said.
    pub(in super::super) const OUTPUT: u64 = 23;
    /// Tokens thought.
    pub(in super::super) const THOUGHT: u64 = 5;
}

impl Answer {
    /// The whole text.
    pub(super) fn whole_text(&self) -> String {
        self.text.concat()
    }

    /// The whole of the thoughts.
    pub(super) fn whole_thinking(&self) -> String {
        self.thinking.concat()
    }

    /// The tokens thought.
    pub(super) fn thought_tokens(&self) -> u64 {
        if self.thinking.is_empty() { 0 } else { usage::THOUGHT }
    }

    /// The id of a call.
    pub(super) fn call_id(&self, prefix: &str, index: usize) -> String {
        format!("{prefix}_{}{index}", self.id)
    }
}
