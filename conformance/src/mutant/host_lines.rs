//! The lines of the host: split on `\n` only, with a limit.

use std::io::BufRead;

use super::fault::{Behaviour, Fault};

/// The longest line, with its line end.
const MAX_LINE_BYTES: usize = 16 * 1024 * 1024;
/// The limit of the fault.
const SMALL_LINE_BYTES: usize = 64 * 1024;

/// A line of the host.
pub(super) enum HostLine {
    /// Without its line end.
    Complete(Vec<u8>),
    /// Longer than the limit; it was discarded up to its end.
    TooLong,
}

/// Reads the lines of the host.
pub(super) struct HostLines<R> {
    reader: R,
    behaviour: Behaviour,
    limit: usize,
}

impl<R: BufRead> HostLines<R> {
    pub(super) fn new(reader: R, behaviour: Behaviour) -> Self {
        let limit = match behaviour.has(Fault::SmallInputLines) {
            true => SMALL_LINE_BYTES,
            false => MAX_LINE_BYTES,
        };
        Self { reader, behaviour, limit }
    }

    /// The next line; `None` at the end of the input.
    pub(super) fn next(&mut self) -> Option<HostLine> {
        let (mut line, mut is_too_long) = (Vec::new(), false);
        loop {
            let chunk = self.reader.fill_buf().ok().filter(|chunk| !chunk.is_empty())?;
            let end = chunk.iter().position(|byte| *byte == b'\n');
            let piece = &chunk[..end.unwrap_or(chunk.len())];
            is_too_long |= line.len() + piece.len() >= self.limit;
            if is_too_long {
                line.clear();
            } else {
                line.extend_from_slice(piece);
            }
            let consumed = end.map_or(chunk.len(), |end| end + 1);
            self.reader.consume(consumed);
            match (end, is_too_long) {
                (Some(_), true) => return Some(HostLine::TooLong),
                (Some(_), false) => return Some(HostLine::Complete(line)),
                (None, false) if self.behaviour.has(Fault::PauseEndsLine) => {
                    return Some(HostLine::Complete(line));
                }
                (None, _) => {}
            }
        }
    }
}

/// The messages in a line: one, except with the fault.
pub(super) fn messages(behaviour: Behaviour, line: &[u8]) -> Vec<Vec<u8>> {
    let text = String::from_utf8_lossy(line);
    if behaviour.has(Fault::UnicodeInputLines) && text.contains(['\u{2028}', '\u{85}']) {
        return text.split(['\u{2028}', '\u{85}']).map(|part| part.as_bytes().to_vec()).collect();
    }
    vec![line.to_vec()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_above_limit_is_reported() {
        let mut input = vec![b'x'; MAX_LINE_BYTES - 1];
        input.extend_from_slice(b"\nshort\n");
        input.extend(vec![b'y'; MAX_LINE_BYTES]);
        input.extend_from_slice(b"\nlast\n");
        let mut lines = HostLines::new(input.as_slice(), Behaviour::RIGHT);
        let lengths: Vec<Option<usize>> = std::iter::from_fn(|| lines.next())
            .map(|line| match line {
                HostLine::Complete(line) => Some(line.len()),
                HostLine::TooLong => None,
            })
            .collect();
        assert_eq!(lengths, [Some(MAX_LINE_BYTES - 1), Some(5), None, Some(4)]);
    }
}
