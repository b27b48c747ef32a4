//! The last lines of stderr, bounded.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How many bytes are kept.
const MAX_TAIL_BYTES: usize = 16 * 1024;

/// How many lines of them are shown.
const MAX_SHOWN_LINES: usize = 20;

/// How long [`StderrTail::text`] waits for the reader: on a busy machine it may not have read the
/// last lines yet.
const END_GRACE: Duration = Duration::from_secs(1);

/// The last bytes of stderr.
#[derive(Debug, Default)]
pub(super) struct StderrTail {
    state: Mutex<State>,
    ended: Condvar,
}

#[derive(Debug, Default)]
struct State {
    bytes: VecDeque<u8>,
    is_reading: bool,
}

impl StderrTail {
    /// A thread reads stderr from now on, until [`Self::end`].
    pub(super) fn begin(&self) {
        self.lock().is_reading = true;
    }

    pub(super) fn push(&self, line: &[u8]) {
        let bytes = &mut self.lock().bytes;
        let kept = &line[line.len().saturating_sub(MAX_TAIL_BYTES)..];
        bytes.extend(kept);
        bytes.push_back(b'\n');
        let surplus = bytes.len().saturating_sub(MAX_TAIL_BYTES);
        bytes.drain(..surplus);
    }

    /// Stderr has ended.
    pub(super) fn end(&self) {
        self.lock().is_reading = false;
        self.ended.notify_all();
    }

    /// Returns the last lines without terminal colours. Call it when every process has ended.
    pub(super) fn text(&self) -> String {
        let waited =
            self.ended.wait_timeout_while(self.lock(), END_GRACE, |state| state.is_reading);
        let (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        let bytes: Vec<u8> = state.bytes.iter().copied().collect();
        let text = anstream::adapter::strip_str(&String::from_utf8_lossy(&bytes)).to_string();
        let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
        lines[lines.len().saturating_sub(MAX_SHOWN_LINES)..].join("\n")
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flood_keeps_last_lines() {
        let tail = StderrTail::default();
        for number in 0..10_000 {
            tail.push(format!("\u{1b}[31mline {number}\u{1b}[0m").as_bytes());
        }
        let text = tail.text();
        assert_eq!(text.lines().count(), MAX_SHOWN_LINES);
        assert!(text.ends_with("line 9998\nline 9999"), "{text}");
    }

    #[test]
    fn text_waits_for_reader() {
        let tail = std::sync::Arc::new(StderrTail::default());
        tail.begin();
        let reader = tail.clone();
        let thread = std::thread::spawn(move || {
            reader.push(b"last line");
            reader.end();
        });
        assert_eq!(tail.text(), "last line");
        thread.join().expect("the reader ends");
    }
}
