//! The lines of a file from its end to its beginning, with one small buffer. The newest row of a ledger
//! is its last, and it is the one that counts; the last event of a journal says whether its run is over.

use std::fs::File;
use std::io::{Read, Result, Seek, SeekFrom};

const CHUNK: usize = 64 * 1024;
/// No row is that long: only damage reaches it.
const LONGEST_LINE: usize = 1024 * 1024;

/// See the module. What stands after the last line end is half a line and is left out.
#[derive(Debug)]
pub(crate) struct LinesFromEnd {
    file: File,
    /// Where `buffer` begins in the file.
    position: u64,
    buffer: Vec<u8>,
    /// The part of `buffer` that is still to be told; it ends with a line end.
    length: usize,
    /// The rest of a line that is too long is being passed over.
    too_long: bool,
}

impl LinesFromEnd {
    /// Looks at the end of a file.
    pub(crate) fn open(mut file: File) -> Result<Self> {
        let position = file.seek(SeekFrom::End(0))?;
        let mut lines = Self { file, position, buffer: Vec::new(), length: 0, too_long: false };
        while lines.length == 0 && lines.fill()? {
            lines.length = memchr::memrchr(b'\n', &lines.buffer).map_or(0, |end| end + 1);
        }
        Ok(lines)
    }

    /// The line before the last one told, without its line end. A line that is too long is empty.
    pub(crate) fn next(&mut self) -> Result<Option<&[u8]>> {
        loop {
            let before = self.length.saturating_sub(1);
            if let Some(end) = memchr::memrchr(b'\n', &self.buffer[..before]) {
                self.length = end + 1;
                let line = if std::mem::take(&mut self.too_long) {
                    before..before
                } else {
                    end + 1..before
                };
                return Ok(Some(&self.buffer[line]));
            }
            if self.length > LONGEST_LINE {
                self.too_long = true;
                self.buffer.clear();
                self.buffer.push(b'\n');
                self.length = 1;
            }
            if !self.fill()? {
                let line = 0..if std::mem::take(&mut self.too_long) { 0 } else { before };
                let told = std::mem::take(&mut self.length) > 0;
                return Ok(told.then(|| &self.buffer[line]));
            }
        }
    }

    /// Puts the chunk before the buffer into it; says whether there was one.
    fn fill(&mut self) -> Result<bool> {
        let size = self.position.min(CHUNK as u64);
        if size == 0 {
            return Ok(false);
        }
        self.position -= size;
        self.file.seek(SeekFrom::Start(self.position))?;
        self.buffer.truncate(self.length);
        let mut chunk = Vec::with_capacity(CHUNK + self.length);
        (&self.file).take(size).read_to_end(&mut chunk)?;
        if self.length > 0 {
            self.length += chunk.len();
        }
        chunk.append(&mut self.buffer);
        self.buffer = chunk;
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn lines(bytes: &[u8]) -> Vec<Vec<u8>> {
        let mut file = tempfile::tempfile().expect("a file");
        file.write_all(bytes).expect("room");
        let mut lines = LinesFromEnd::open(file).expect("a readable file");
        let mut told = Vec::new();
        while let Some(line) = lines.next().expect("a readable file") {
            told.push(line.to_vec());
        }
        told
    }

    #[test]
    fn half_a_line_at_the_end_is_left_out() {
        assert!(lines(b"").is_empty() && lines(b"half").is_empty());
        assert_eq!(lines(b"one\ntwo\nhalf"), [b"two", b"one"]);
        assert_eq!(lines(b"\n\n"), [b"", b""]);
        let mut long = b"one\n".to_vec();
        long.extend(vec![b'x'; 3 * CHUNK]);
        assert_eq!(lines(&long), [b"one"]);
    }

    #[test]
    fn a_line_that_is_too_long_is_empty() {
        let mut bytes = b"one\n".to_vec();
        bytes.extend(vec![b'x'; LONGEST_LINE + 2 * CHUNK]);
        bytes.extend(b"\nthree\n");
        assert_eq!(lines(&bytes), [&b"three"[..], b"", b"one"]);
        bytes.drain(..4);
        assert_eq!(lines(&bytes), [&b"three"[..], b""]);
    }

    proptest::proptest! {
        #![proptest_config(proptest::prelude::ProptestConfig::with_cases(32))]

        #[test]
        fn they_are_the_lines_of_the_file_turned_round(
            lengths in proptest::collection::vec(0_usize..9000, 0..60),
        ) {
            let mut expected: Vec<Vec<u8>> =
                lengths.iter().enumerate().map(|(index, length)| vec![b'a' + (index % 26) as u8; *length]).collect();
            let mut bytes = expected.join(&b'\n');
            if !expected.is_empty() {
                bytes.push(b'\n');
            }
            expected.reverse();
            proptest::prop_assert_eq!(lines(&bytes), expected);
        }
    }
}
