//! Tests of line splitting with pieces of every size.

use proptest::prelude::*;

use super::*;

/// A source that returns its bytes in pieces of a given size.
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

/// Splits bytes that arrive in pieces; a line over the limit is `<long LENGTH>`.
fn split(input: &[u8], piece: usize, limit: usize) -> Vec<String> {
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

fn read(bytes: &[u8], piece: usize, limit: usize) -> (Vec<Vec<u8>>, u64) {
    let mut reader = LineReader::new(Pieces(bytes, piece), limit);
    let mut lines = Vec::new();
    while reader.fill() {
        reader.each_line(|line| lines.push(line.to_vec()));
    }
    reader.last_line(|line| lines.push(line.to_vec()));
    (lines, reader.oversized())
}

#[test]
fn buffer_any_piece_size_same_lines() {
    for piece in [1, 2, 3, 7, 100] {
        assert_eq!(split(b"one\n\ntwo\r\nthr", piece, 64), ["one", "", "two\r", "rest \"thr\""]);
    }
}

#[test]
fn buffer_long_line_dropped_next_line_read() {
    for piece in [1, 5, 64] {
        let all = split(b"ok\n0123456789012345\nnext\n", piece, 8);
        assert_eq!(all, ["ok", "<long 16>", "next", "rest \"\""], "pieces of {piece}");
    }
}

#[test]
fn buffer_endless_line_reported_once() {
    let endless = "x".repeat(100);
    assert_eq!(split(endless.as_bytes(), 1, 8), ["<long 33>", "rest \"\""]);
    let ended = format!("{endless}\nnext\n");
    assert_eq!(split(ended.as_bytes(), 1, 8), ["<long 33>", "next", "rest \"\""]);
}

#[test]
fn buffer_line_longer_than_chunk_is_whole() {
    let long = "x".repeat(3 * CHUNK_BYTES);
    let input = format!("{long}\nshort\n");
    let all = split(input.as_bytes(), 10_000, 4 * CHUNK_BYTES);
    assert_eq!(all, [long.as_str(), "short", "rest \"\""]);
}

#[test]
fn reader_skips_blank_lines_and_keeps_last() {
    let (lines, oversized) = read(b"a\r\n\n  \nb\xe2\x80\xa8c\nlast", 1, 100);
    assert_eq!(lines, [b"a".to_vec(), b"b\xe2\x80\xa8c".to_vec(), b"last".to_vec()]);
    assert_eq!(oversized, 0);
}

#[test]
fn reader_counts_oversized_line_and_reads_next() {
    let mut bytes = vec![b'x'; 5_000];
    bytes.extend_from_slice(b"\nnext\n");
    for piece in [1, 7, 64, 10_000] {
        assert_eq!(read(&bytes, piece, 100), (vec![b"next".to_vec()], 1), "piece {piece}");
    }
}

#[test]
fn reader_counts_oversized_last_line() {
    for piece in [1, 7, 64, 10_000] {
        assert_eq!(read(&[b'x'; 300], piece, 100), (Vec::new(), 1), "piece {piece}");
        assert_eq!(read(&[b'x'; 5_000], piece, 100), (Vec::new(), 1), "piece {piece}");
    }
}

proptest! {
    #[test]
    fn reader_any_piece_size_same_lines(
        bytes in proptest::collection::vec(any::<u8>(), 0..400),
        piece in 1usize..50,
    ) {
        prop_assert_eq!(read(&bytes, piece, 64), read(&bytes, bytes.len().max(1), 64));
    }
}
