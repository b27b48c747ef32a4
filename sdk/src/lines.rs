//! Bytes in, lines out: split on byte `\n` only, `\r\n` accepted, blank lines skipped, and a line
//! over the cap dropped and counted. No line is copied.

use std::io::{ErrorKind, Read};

use memchr::memchr;

/// The size of one read; an agent CLI in a hurry fills a pipe of this size.
const CHUNK: usize = 256 * 1024;

/// Reads lines from a pipe.
pub(crate) struct LineReader<R> {
    source: R,
    buffer: Vec<u8>,
    /// Where the unread bytes begin and end.
    start: usize,
    end: usize,
    /// Where the search for the next line end goes on.
    scanned: usize,
    cap: usize,
    /// The rest of an oversized line is being skipped.
    skipping: bool,
    /// Lines that were too long.
    pub(crate) oversized: u64,
}

impl<R: Read> LineReader<R> {
    pub(crate) fn new(source: R, cap: usize) -> Self {
        let buffer = vec![0; 16 * 1024];
        Self { source, buffer, start: 0, end: 0, scanned: 0, cap, skipping: false, oversized: 0 }
    }

    /// Waits for more bytes; `false` means the end.
    pub(crate) fn fill(&mut self) -> bool {
        self.make_room();
        loop {
            match self.source.read(&mut self.buffer[self.end..]) {
                Ok(0) => return false,
                Ok(count) => {
                    self.end += count;
                    return true;
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                // A broken pipe ends the stream as its end does.
                Err(_) => return false,
            }
        }
    }

    /// Hands over every complete line that has arrived.
    pub(crate) fn each_line(&mut self, mut each: impl FnMut(&[u8])) {
        self.split(&mut each);
    }

    /// At the end: hands over a last line that has no line end.
    pub(crate) fn last_line(&mut self, mut each: impl FnMut(&[u8])) {
        if !self.skipping {
            hand_over(&self.buffer[self.start..self.end], &mut each);
        }
        (self.start, self.scanned) = (self.end, self.end);
    }

    fn split(&mut self, each: &mut impl FnMut(&[u8])) {
        while let Some(offset) = memchr(b'\n', &self.buffer[self.scanned..self.end]) {
            let line_end = self.scanned + offset;
            let line = &self.buffer[self.start..line_end];
            match (self.skipping, line.len() > self.cap) {
                (true, _) => self.skipping = false,
                (false, true) => self.oversized += 1,
                (false, false) => hand_over(line, each),
            }
            self.start = line_end + 1;
            self.scanned = self.start;
        }
        self.scanned = self.end;
        if self.end - self.start > self.cap {
            self.oversized += u64::from(!self.skipping);
            self.skipping = true;
        }
        if self.skipping {
            self.start = self.end;
        }
    }

    /// Moves what is left to the front and grows the buffer when it is full.
    fn make_room(&mut self) {
        if self.start == self.end {
            (self.start, self.end, self.scanned) = (0, 0, 0);
        }
        if self.end == self.buffer.len() && self.start > 0 {
            self.buffer.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.scanned -= self.start;
            self.start = 0;
        }
        if self.end == self.buffer.len() {
            // A read that filled the buffer says that more is waiting: read bigger.
            let size = (self.buffer.len() * 2).max(CHUNK).min(self.cap + 2 * CHUNK);
            self.buffer.resize(size, 0);
        }
    }
}

fn hand_over(line: &[u8], each: &mut impl FnMut(&[u8])) {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    if !line.iter().all(u8::is_ascii_whitespace) {
        each(line);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Hands out its bytes in pieces of a given size.
    struct Pieces<'a>(&'a [u8], usize);

    impl Read for Pieces<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            let count = self.1.min(self.0.len()).min(buffer.len());
            let (piece, rest) = self.0.split_at(count);
            buffer[..count].copy_from_slice(piece);
            self.0 = rest;
            Ok(count)
        }
    }

    fn check(bytes: &[u8], piece: usize, cap: usize) -> (Vec<Vec<u8>>, u64) {
        let mut reader = LineReader::new(Pieces(bytes, piece), cap);
        let mut lines = Vec::new();
        while reader.fill() {
            reader.each_line(|line| lines.push(line.to_vec()));
        }
        reader.last_line(|line| lines.push(line.to_vec()));
        (lines, reader.oversized)
    }

    #[test]
    fn line_ends_blanks_and_a_missing_last_end() {
        let (lines, oversized) = check(b"a\r\n\n  \nb\xe2\x80\xa8c\nlast", 1, 100);
        assert_eq!(lines, [b"a".to_vec(), b"b\xe2\x80\xa8c".to_vec(), b"last".to_vec()]);
        assert_eq!(oversized, 0);
    }

    #[test]
    fn an_oversized_line_is_counted_and_the_next_one_read() {
        let mut bytes = vec![b'x'; 5_000];
        bytes.extend_from_slice(b"\nnext\n");
        for piece in [1, 7, 64, 10_000] {
            assert_eq!(check(&bytes, piece, 100), (vec![b"next".to_vec()], 1), "piece {piece}");
        }
    }

    proptest! {
        #[test]
        fn pieces_do_not_matter(bytes in proptest::collection::vec(any::<u8>(), 0..400), piece in 1usize..50) {
            prop_assert_eq!(check(&bytes, piece, 64), check(&bytes, bytes.len().max(1), 64));
        }
    }
}
