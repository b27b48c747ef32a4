//! The last words on stderr, bounded.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How much is kept.
const TAIL_BYTES: usize = 16 * 1024;

/// How many lines of it are shown.
const SHOWN_LINES: usize = 20;

/// How long its end is waited for once every process is dead: a busy machine may not have read yet
/// what was written last.
const END_GRACE: Duration = Duration::from_secs(1);

/// The last bytes of stderr.
#[derive(Debug, Default)]
pub(crate) struct Tail {
    state: Mutex<State>,
    ended: Condvar,
}

#[derive(Debug, Default)]
struct State {
    bytes: VecDeque<u8>,
    is_read: bool,
}

impl Tail {
    /// Somebody reads stderr from now on, until [`Self::end`].
    pub(crate) fn begin(&self) {
        self.lock().is_read = true;
    }

    pub(crate) fn push(&self, line: &[u8]) {
        let bytes = &mut self.lock().bytes;
        let kept = &line[line.len().saturating_sub(TAIL_BYTES)..];
        bytes.extend(kept);
        bytes.push_back(b'\n');
        let surplus = bytes.len().saturating_sub(TAIL_BYTES);
        bytes.drain(..surplus);
    }

    /// Nothing more will come.
    pub(crate) fn end(&self) {
        self.lock().is_read = false;
        self.ended.notify_all();
    }

    /// The last lines as text, terminal colours removed; to be asked for when every process is dead.
    pub(crate) fn text(&self) -> String {
        let waited = self.ended.wait_timeout_while(self.lock(), END_GRACE, |state| state.is_read);
        let (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        let bytes: Vec<u8> = state.bytes.iter().copied().collect();
        let text = anstream::adapter::strip_str(&String::from_utf8_lossy(&bytes)).to_string();
        let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
        lines[lines.len().saturating_sub(SHOWN_LINES)..].join("\n")
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
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

    #[test]
    fn what_is_still_being_read_is_waited_for() {
        let tail = std::sync::Arc::new(Tail::default());
        tail.begin();
        let reader = tail.clone();
        let thread = std::thread::spawn(move || {
            reader.push(b"the last word");
            reader.end();
        });
        assert_eq!(tail.text(), "the last word");
        thread.join().expect("the reader ends");
    }
}
