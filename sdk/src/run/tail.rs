//! The last words on stderr, bounded.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

/// How much is kept.
const TAIL_BYTES: usize = 16 * 1024;

/// How many lines of it are shown.
const SHOWN_LINES: usize = 20;

/// The last bytes of stderr.
#[derive(Debug, Default)]
pub(crate) struct Tail(Mutex<VecDeque<u8>>);

impl Tail {
    pub(crate) fn push(&self, line: &[u8]) {
        let mut bytes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = &line[line.len().saturating_sub(TAIL_BYTES)..];
        bytes.extend(kept);
        bytes.push_back(b'\n');
        let surplus = bytes.len().saturating_sub(TAIL_BYTES);
        bytes.drain(..surplus);
    }

    /// The last lines as text, terminal colours removed.
    pub(crate) fn text(&self) -> String {
        let bytes: Vec<u8> =
            self.0.lock().unwrap_or_else(PoisonError::into_inner).iter().copied().collect();
        let text = anstream::adapter::strip_str(&String::from_utf8_lossy(&bytes)).to_string();
        let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
        lines[lines.len().saturating_sub(SHOWN_LINES)..].join("\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_leaves_its_last_lines() {
        let tail = Tail::default();
        for number in 0..10_000 {
            tail.push(format!("\u{1b}[31mline {number}\u{1b}[0m").as_bytes());
        }
        let text = tail.text();
        assert_eq!(text.lines().count(), SHOWN_LINES);
        assert!(text.ends_with("line 9998\nline 9999"), "{text}");
    }
}
