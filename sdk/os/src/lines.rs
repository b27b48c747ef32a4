//! Splits a byte stream into lines, with a limit on the length of a line and without copying it.
//!
//! [`LineBuffer`] is the splitter. [`LineReader`] adds the rules for reading a program's output:
//! `\r\n` ends a line too, blank lines are skipped, lines over the limit are counted.

use std::io::{ErrorKind, Read};

use memchr::memchr;

/// The size of one read: as large as an enlarged pipe, so that a flood needs few system calls.
const CHUNK_BYTES: usize = 256 * 1024;

/// A line without an end is reported once it is this many times as long as the limit.
const ENDLESS_FACTOR: usize = 4;

/// One line of a [`LineBuffer`].
#[derive(Debug, PartialEq, Eq)]
pub enum Line<'a> {
    /// A line within the limit, without its `\n`.
    Whole(&'a [u8]),
    /// A line over the limit was dropped; it had at least this many bytes.
    TooLong(usize),
}

/// Holds the bytes between a pipe and its lines.
///
/// ```
/// use od_os::lines::{Line, LineBuffer};
///
/// let mut source: &[u8] = b"one\nfar too long\nrest";
/// let mut buffer = LineBuffer::new(8);
/// while buffer.read_from(&mut source)? > 0 {}
/// assert_eq!(buffer.next_line(), Some(Line::Whole(b"one")));
/// assert_eq!(buffer.next_line(), Some(Line::TooLong(12)));
/// assert_eq!(buffer.next_line(), None);
/// assert_eq!(buffer.rest(), b"rest");
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct LineBuffer {
    bytes: Vec<u8>,
    /// The unread bytes are `bytes[start..end]`.
    start: usize,
    end: usize,
    /// No line end lies before this position.
    scanned: usize,
    skipping: Skipping,
    limit: usize,
}

/// Whether the rest of a line over the limit is being dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Skipping {
    No,
    /// This many bytes were dropped; the line is reported at its end.
    Dropped(usize),
    /// The line was reported before its end.
    Reported,
}

impl LineBuffer {
    /// Creates a buffer for lines of at most `limit` bytes.
    pub fn new(limit: usize) -> Self {
        let bytes = vec![0; CHUNK_BYTES];
        Self { bytes, start: 0, end: 0, scanned: 0, skipping: Skipping::No, limit }
    }

    /// Reads once and returns the number of bytes; 0 means the end of the source.
    ///
    /// # Errors
    /// The error of the source; an interrupted read is repeated.
    pub fn read_from(&mut self, source: &mut impl Read) -> std::io::Result<usize> {
        self.make_room();
        loop {
            match source.read(&mut self.bytes[self.end..]) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
                Ok(length) => {
                    self.end += length;
                    return Ok(length);
                }
            }
        }
    }

    /// Returns the next complete line.
    pub fn next_line(&mut self) -> Option<Line<'_>> {
        loop {
            let Some(offset) = memchr(b'\n', &self.bytes[self.scanned..self.end]) else {
                self.scanned = self.end;
                return self.drop_long_line();
            };
            let (start, end) = (self.start, self.scanned + offset);
            self.start = end + 1;
            self.scanned = self.start;
            let length = end - start;
            return Some(match std::mem::replace(&mut self.skipping, Skipping::No) {
                Skipping::Reported => continue,
                Skipping::Dropped(dropped) => Line::TooLong(dropped + length),
                Skipping::No if length > self.limit => Line::TooLong(length),
                Skipping::No => Line::Whole(&self.bytes[start..end]),
            });
        }
    }

    /// Returns the bytes after the last line end: at the end of the source, a line without `\n`.
    pub fn rest(&self) -> &[u8] {
        if self.skipping == Skipping::No { &self.bytes[self.start..self.end] } else { &[] }
    }

    /// Whether part of a line over the limit was dropped and the line is not reported yet.
    fn has_unreported_line(&self) -> bool {
        matches!(self.skipping, Skipping::Dropped(_))
    }

    fn drop_long_line(&mut self) -> Option<Line<'_>> {
        let length = self.end - self.start;
        let dropped = match self.skipping {
            Skipping::No if length <= self.limit => return None,
            Skipping::No => length,
            Skipping::Dropped(dropped) => dropped + length,
            Skipping::Reported => 0,
        };
        self.clear();
        let is_endless = dropped > ENDLESS_FACTOR * self.limit;
        self.skipping = match self.skipping {
            Skipping::Reported => Skipping::Reported,
            _ if is_endless => Skipping::Reported,
            _ => Skipping::Dropped(dropped),
        };
        is_endless.then_some(Line::TooLong(dropped))
    }

    fn clear(&mut self) {
        (self.start, self.end, self.scanned) = (0, 0, 0);
    }

    fn make_room(&mut self) {
        if self.start == self.end {
            self.clear();
            if self.bytes.len() > CHUNK_BYTES {
                // Free the memory that one long line needed.
                self.bytes = vec![0; CHUNK_BYTES];
            }
        } else if self.bytes.len() - self.end < CHUNK_BYTES / 2 {
            self.bytes.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.scanned -= self.start;
            self.start = 0;
            if self.bytes.len() - self.end < CHUNK_BYTES / 2 {
                let longer = (self.bytes.len() * 2).min(self.limit + CHUNK_BYTES);
                self.bytes.resize(longer.max(self.end + 1), 0);
            }
        }
    }
}

/// Reads the lines of a program: a source with its [`LineBuffer`].
///
/// ```
/// use od_os::lines::LineReader;
///
/// let mut reader = LineReader::new(&b"one\r\n\n  \ntwo"[..], 100);
/// let mut lines = Vec::new();
/// while reader.fill() {
///     reader.each_line(|line| lines.push(line.to_vec()));
/// }
/// reader.last_line(|line| lines.push(line.to_vec()));
/// assert_eq!(lines, [b"one", b"two"]);
/// assert_eq!(reader.oversized(), 0);
/// ```
#[derive(Debug)]
pub struct LineReader<R> {
    source: R,
    buffer: LineBuffer,
    oversized: u64,
}

impl<R: Read> LineReader<R> {
    /// Creates a reader for lines of at most `limit` bytes.
    pub fn new(source: R, limit: usize) -> Self {
        Self { source, buffer: LineBuffer::new(limit), oversized: 0 }
    }

    /// Waits for more bytes and returns `false` at the end. A read error ends the stream too.
    pub fn fill(&mut self) -> bool {
        self.buffer.read_from(&mut self.source).is_ok_and(|length| length > 0)
    }

    /// Calls `each` for every complete line that has arrived, without its line end.
    pub fn each_line(&mut self, mut each: impl FnMut(&[u8])) {
        while let Some(line) = self.buffer.next_line() {
            match line {
                Line::Whole(line) => emit(line, &mut each),
                Line::TooLong(_) => self.oversized += 1,
            }
        }
    }

    /// Calls `each` for a last line that has no line end. Call it once, at the end.
    pub fn last_line(&mut self, mut each: impl FnMut(&[u8])) {
        self.oversized += u64::from(self.buffer.has_unreported_line());
        emit(self.buffer.rest(), &mut each);
    }

    /// The number of lines over the limit so far.
    pub fn oversized(&self) -> u64 {
        self.oversized
    }
}

fn emit(line: &[u8], each: &mut impl FnMut(&[u8])) {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    if !line.iter().all(u8::is_ascii_whitespace) {
        each(line);
    }
}

#[cfg(test)]
mod tests;
