//! Reads the lines of a file from its end to its start, with a small buffer. The last row of a ledger is the newest one,
//! and the last event of a journal shows whether the run has ended.

use std::fs::File;
use std::io::{Read, Result, Seek, SeekFrom};

const CHUNK_BYTES: usize = 64 * 1024;
/// Longer lines are damage.
const MAX_LINE_BYTES: usize = 1024 * 1024;

/// Reads lines from the end of a file. Ignores a partial line after the last line end.
#[derive(Debug)]
pub(crate) struct LinesFromEnd {
    file: File,
    /// The position of `buffer` in the file.
    position: u64,
    buffer: Vec<u8>,
    /// The part of `buffer` that is not returned yet; it ends with a line end.
    length: usize,
    /// The rest of a line that is too long is being skipped.
    too_long: bool,
}

impl LinesFromEnd {
    /// Starts at the end of a file.
    pub(crate) fn open(mut file: File) -> Result<Self> {
        let position = file.seek(SeekFrom::End(0))?;
        let mut lines = Self { file, position, buffer: Vec::new(), length: 0, too_long: false };
        while lines.length == 0 && lines.fill()? {
            lines.length = memchr::memrchr(b'\n', &lines.buffer).map_or(0, |end| end + 1);
        }
        Ok(lines)
    }

    /// The line before the last one returned, without its line end. A line that is too long is returned empty.
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
            if self.length > MAX_LINE_BYTES {
                self.too_long = true;
                self.buffer.clear();
                self.buffer.push(b'\n');
                self.length = 1;
            }
            if !self.fill()? {
                let line = 0..if std::mem::take(&mut self.too_long) { 0 } else { before };
                let has_line = std::mem::take(&mut self.length) > 0;
                return Ok(has_line.then(|| &self.buffer[line]));
            }
        }
    }

    /// Reads the chunk before the buffer. Returns `false` at the start of the file.
    fn fill(&mut self) -> Result<bool> {
        let size = self.position.min(CHUNK_BYTES as u64);
        if size == 0 {
            return Ok(false);
        }
        self.position -= size;
        self.file.seek(SeekFrom::Start(self.position))?;
        self.buffer.truncate(self.length);
        let mut chunk = Vec::with_capacity(CHUNK_BYTES + self.length);
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
        file.write_all(bytes).expect("a written file");
        let mut lines = LinesFromEnd::open(file).expect("a readable file");
        let mut all = Vec::new();
        while let Some(line) = lines.next().expect("a readable file") {
            all.push(line.to_vec());
        }
        all
    }

    #[test]
    fn partial_line_at_end_is_ignored() {
        assert!(lines(b"").is_empty() && lines(b"half").is_empty());
        assert_eq!(lines(b"one\ntwo\nhalf"), [b"two", b"one"]);
        assert_eq!(lines(b"\n\n"), [b"", b""]);
        let mut long = b"one\n".to_vec();
        long.extend(vec![b'x'; 3 * CHUNK_BYTES]);
        assert_eq!(lines(&long), [b"one"]);
    }

    #[test]
    fn too_long_line_is_empty() {
        let mut bytes = b"one\n".to_vec();
        bytes.extend(vec![b'x'; MAX_LINE_BYTES + 2 * CHUNK_BYTES]);
        bytes.extend(b"\nthree\n");
        assert_eq!(lines(&bytes), [&b"three"[..], b"", b"one"]);
        bytes.drain(..4);
        assert_eq!(lines(&bytes), [&b"three"[..], b""]);
    }

    proptest::proptest! {
        #![proptest_config(proptest::prelude::ProptestConfig::with_cases(32))]

        #[test]
        fn lines_are_reversed(
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
