//! Bytes to lines, with a limit on the length of a line and no copy of what is passed on.

use std::io::Read;

const CHUNK: usize = 256 * 1024;

/// One line, or the news that one was too long and has been left out.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line<'a> {
    /// Without its line end.
    Whole(&'a [u8]),
    /// Longer than the limit: at least this many bytes. Reading goes on with the next one.
    TooLong(usize),
}

/// A line that does not end is told of when it is this many times as long as it may be.
const ENDLESS: usize = 4;

/// A buffer between a pipe and its lines.
#[derive(Debug)]
pub(crate) struct LineBuffer {
    bytes: Vec<u8>,
    start: usize,
    end: usize,
    /// Up to here there is no line end.
    scanned: usize,
    skipping: Skipping,
    limit: usize,
}

/// How a line is left out that is longer than the limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Skipping {
    No,
    /// So many bytes of it are gone; it is told of at its end.
    Gone(usize),
    /// It was told of before its end.
    Told,
}

impl LineBuffer {
    /// A buffer for lines of at most `limit` bytes.
    pub(crate) fn new(limit: usize) -> Self {
        Self { bytes: vec![0; CHUNK], start: 0, end: 0, scanned: 0, skipping: Skipping::No, limit }
    }

    /// Reads once. 0 means the end.
    pub(crate) fn read_from(&mut self, source: &mut impl Read) -> std::io::Result<usize> {
        self.make_room();
        loop {
            match source.read(&mut self.bytes[self.end..]) {
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
                Ok(length) => {
                    self.end += length;
                    return Ok(length);
                }
            }
        }
    }

    /// The next complete line.
    pub(crate) fn next_line(&mut self) -> Option<Line<'_>> {
        loop {
            let Some(offset) = memchr::memchr(b'\n', &self.bytes[self.scanned..self.end]) else {
                self.scanned = self.end;
                return self.give_up_on_a_long_line();
            };
            let (start, end) = (self.start, self.scanned + offset);
            self.start = end + 1;
            self.scanned = self.start;
            let length = end - start;
            return Some(match std::mem::replace(&mut self.skipping, Skipping::No) {
                Skipping::Told => continue,
                Skipping::Gone(gone) => Line::TooLong(gone + length),
                Skipping::No if length > self.limit => Line::TooLong(length),
                Skipping::No => Line::Whole(&self.bytes[start..end]),
            });
        }
    }

    /// What is left after the end: a line without a line end.
    pub(crate) fn rest(&self) -> &[u8] {
        if self.skipping == Skipping::No { &self.bytes[self.start..self.end] } else { &[] }
    }

    fn give_up_on_a_long_line(&mut self) -> Option<Line<'_>> {
        let length = self.end - self.start;
        let gone = match self.skipping {
            Skipping::No if length <= self.limit => return None,
            Skipping::No => length,
            Skipping::Gone(gone) => gone + length,
            Skipping::Told => 0,
        };
        self.forget();
        let endless = gone > ENDLESS * self.limit;
        self.skipping = match self.skipping {
            Skipping::Told => Skipping::Told,
            _ if endless => Skipping::Told,
            _ => Skipping::Gone(gone),
        };
        endless.then_some(Line::TooLong(gone))
    }

    fn forget(&mut self) {
        (self.start, self.end, self.scanned) = (0, 0, 0);
    }

    fn make_room(&mut self) {
        if self.start == self.end {
            self.forget();
            if self.bytes.len() > CHUNK {
                self.bytes = vec![0; CHUNK]; // A long line has passed; its memory goes.
            }
        } else if self.bytes.len() - self.end < CHUNK / 2 {
            self.bytes.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.scanned -= self.start;
            self.start = 0;
            if self.bytes.len() - self.end < CHUNK / 2 {
                let longer = (self.bytes.len() * 2).min(self.limit + CHUNK);
                self.bytes.resize(longer.max(self.end + 1), 0);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Feeds bytes in pieces and lists the lines; a long one is `<long LENGTH>`.
    fn lines(input: &[u8], piece: usize, limit: usize) -> Vec<String> {
        let mut buffer = LineBuffer::new(limit);
        let mut lines = Vec::new();
        for mut part in input.chunks(piece) {
            while buffer.read_from(&mut part).expect("a slice can be read") > 0 {
                while let Some(line) = buffer.next_line() {
                    lines.push(match line {
                        Line::Whole(line) => String::from_utf8_lossy(line).into_owned(),
                        Line::TooLong(length) => format!("<long {length}>"),
                    });
                }
            }
        }
        lines.push(format!("rest {:?}", String::from_utf8_lossy(buffer.rest())));
        lines
    }

    #[test]
    fn pieces_do_not_matter() {
        for piece in [1, 2, 3, 7, 100] {
            assert_eq!(
                lines(b"one\n\ntwo\r\nthr", piece, 64),
                ["one", "", "two\r", "rest \"thr\""]
            );
        }
    }

    #[test]
    fn a_long_line_is_left_out_and_the_next_is_read() {
        for piece in [1, 5, 64] {
            let all = lines(b"ok\n0123456789012345\nnext\n", piece, 8);
            assert_eq!(all, ["ok", "<long 16>", "next", "rest \"\""], "pieces of {piece}");
        }
    }

    #[test]
    fn a_line_without_an_end_is_told_of_once() {
        let endless = "x".repeat(100);
        assert_eq!(lines(endless.as_bytes(), 1, 8), ["<long 33>", "rest \"\""]);
        let ended = format!("{endless}\nnext\n");
        assert_eq!(lines(ended.as_bytes(), 1, 8), ["<long 33>", "next", "rest \"\""]);
    }

    #[test]
    fn a_line_longer_than_the_buffer_is_whole() {
        let long = "x".repeat(3 * CHUNK);
        let input = format!("{long}\nshort\n");
        assert_eq!(
            lines(input.as_bytes(), 10_000, 4 * CHUNK),
            [long.as_str(), "short", "rest \"\""]
        );
    }
}
