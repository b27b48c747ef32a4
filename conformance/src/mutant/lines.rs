//! Bytes to lines: split on `\n` only, limited, lossy UTF-8, with an unterminated last line.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::fault::{Behaviour, Fault};

/// Longer lines are dropped.
const MAX_LINE_BYTES: usize = 16 * 1024 * 1024;

/// The fault: a pause that ends a line.
const PAUSE: Duration = Duration::from_millis(500);

/// The fault: the incomplete line of all runs.
static SHARED: Mutex<Vec<u8>> = Mutex::new(Vec::new());

/// Collects bytes until a line is complete.
pub(super) struct Lines {
    behaviour: Behaviour,
    pending: Vec<u8>,
    overlong: bool,
    last_read: Instant,
}

impl Lines {
    pub(super) fn new(behaviour: Behaviour) -> Self {
        Self { behaviour, pending: Vec::new(), overlong: false, last_read: Instant::now() }
    }

    /// Adds the bytes of one read; returns the completed lines.
    pub(super) fn push(&mut self, chunk: &[u8]) -> Vec<String> {
        if self.behaviour.has(Fault::ChunkIsLine) {
            return chunk.split(|byte| *byte == b'\n').map(|piece| self.decode(piece)).collect();
        }
        if self.behaviour.has(Fault::LossySplit) {
            let repaired = String::from_utf8_lossy(chunk).into_owned();
            return self.split(repaired.as_bytes());
        }
        let paused = self.last_read.elapsed();
        self.last_read = Instant::now();
        let is_paused = paused > PAUSE && !self.pending.is_empty();
        if is_paused && self.behaviour.has(Fault::PauseIsLineEnd) {
            return self.split(&[b"\n", chunk].concat());
        }
        if self.behaviour.has(Fault::SharedLineBuffer) {
            let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
            self.pending = std::mem::take(&mut shared);
            let lines = self.split(chunk);
            *shared = std::mem::take(&mut self.pending);
            return lines;
        }
        let lines = self.split(chunk);
        if self.behaviour.has(Fault::UnicodeLines) {
            return lines
                .iter()
                .flat_map(|line| line.split('\u{2028}'))
                .map(str::to_owned)
                .collect();
        }
        lines
    }

    /// The rest at the end of the pipe.
    pub(super) fn finish(&mut self) -> Option<String> {
        let rest = std::mem::take(&mut self.pending);
        if rest.is_empty() || self.overlong || self.behaviour.has(Fault::DropLastLine) {
            return None;
        }
        Some(self.decode(&rest))
    }

    fn split(&mut self, chunk: &[u8]) -> Vec<String> {
        let mut lines = Vec::new();
        let mut fragments = chunk.split(|byte| *byte == b'\n').peekable();
        while let Some(piece) = fragments.next() {
            self.append(piece);
            if fragments.peek().is_none() {
                break;
            }
            let line = std::mem::take(&mut self.pending);
            if !std::mem::take(&mut self.overlong) {
                lines.push(self.decode(&line));
            }
        }
        lines
    }

    fn append(&mut self, piece: &[u8]) {
        let limit = if self.behaviour.has(Fault::SmallLineCap) { 1 << 18 } else { MAX_LINE_BYTES };
        if self.pending.len() + piece.len() > limit {
            self.overlong = true;
            self.pending.clear();
        }
        if !self.overlong {
            self.pending.extend_from_slice(piece);
        }
    }

    fn decode(&self, line: &[u8]) -> String {
        if self.behaviour.has(Fault::CarriageReturnIsNoise) && line.ends_with(b"\r") {
            return String::new();
        }
        // A CLI on Windows ends its lines with `\r\n`; inside JSON a raw `\r` cannot occur.
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        match std::str::from_utf8(line) {
            Err(_) if self.behaviour.has(Fault::StrictUtf8) => {
                r#"{"t":"fail","code":"encoding"}"#.to_owned()
            }
            _ => String::from_utf8_lossy(line).into_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same bytes give the same lines, however they are split.
    #[test]
    fn split_positions_do_not_matter() {
        let bytes = "ä\r\n\n漢字\u{2028}x\nlast 🦜".as_bytes();
        for size in 1..=bytes.len() {
            let mut lines = Lines::new(Behaviour::RIGHT);
            let mut got: Vec<String> =
                bytes.chunks(size).flat_map(|chunk| lines.push(chunk)).collect();
            got.extend(lines.finish());
            assert_eq!(got, ["ä", "", "漢字\u{2028}x", "last 🦜"], "in chunks of {size}");
        }
    }

    #[test]
    fn line_above_limit_is_dropped() {
        let mut lines = Lines::new(Behaviour::RIGHT);
        let long = vec![b'x'; MAX_LINE_BYTES / 2 + 1];
        assert!(lines.push(&long).is_empty());
        assert!(lines.push(&long).is_empty());
        assert_eq!(lines.push(b"rest\nnext\n"), ["next"]);
    }
}
