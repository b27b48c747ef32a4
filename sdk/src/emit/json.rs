//! Writes JSON strings on the hot path: the same bytes as serde_json, but text without escapes is
//! checked in blocks and copied at once.

use std::ops::Range;

/// The number of bytes checked together; the compiler turns a block into a few instructions.
const BLOCK_BYTES: usize = 16;

/// Appends a string with its quotes.
pub(super) fn write_string(out: &mut Vec<u8>, text: &str) {
    let bytes = text.as_bytes();
    let (blocks, _) = bytes.as_chunks::<BLOCK_BYTES>();
    let mut written = 0;
    out.push(b'"');
    for (index, block) in blocks.iter().enumerate() {
        if !is_plain(block) {
            let start = index * BLOCK_BYTES;
            written = write_specials(out, bytes, written, start..start + BLOCK_BYTES);
        }
    }
    written = write_specials(out, bytes, written, blocks.len() * BLOCK_BYTES..bytes.len());
    out.extend_from_slice(&bytes[written..]);
    out.push(b'"');
}

/// Has no early exit, so that the compiler compares the whole block at once.
fn is_plain(block: &[u8; BLOCK_BYTES]) -> bool {
    !block.iter().fold(false, |found, byte| found | needs_escape(*byte))
}

/// Appends everything up to the last special byte of a range; returns the position after that byte.
fn write_specials(out: &mut Vec<u8>, bytes: &[u8], written: usize, range: Range<usize>) -> usize {
    let mut written = written;
    let start = range.start;
    for (offset, byte) in bytes[range].iter().enumerate() {
        if needs_escape(*byte) {
            out.extend_from_slice(&bytes[written..start + offset]);
            write_escaped(out, *byte);
            written = start + offset + 1;
        }
    }
    written
}

fn needs_escape(byte: u8) -> bool {
    byte < 0x20 || byte == b'"' || byte == b'\\'
}

fn write_escaped(out: &mut Vec<u8>, byte: u8) {
    let letter = match byte {
        b'"' | b'\\' => byte,
        b'\n' => b'n',
        b'\r' => b'r',
        b'\t' => b't',
        0x08 => b'b',
        0x0c => b'f',
        _ => {
            let digit = |value: u8| b"0123456789abcdef"[usize::from(value & 0xf)];
            out.extend_from_slice(br"\u00");
            return out.extend_from_slice(&[digit(byte >> 4), digit(byte)]);
        }
    };
    out.extend_from_slice(&[b'\\', letter]);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(text: &str) {
        let mut ours = Vec::new();
        write_string(&mut ours, text);
        assert_eq!(String::from_utf8_lossy(&ours), serde_json::to_string(text).expect("a string"));
    }

    #[test]
    fn ascii_character_at_any_position_is_escaped() {
        for character in 0..128_u8 {
            for place in 0..2 * BLOCK_BYTES {
                let mut text = "x".repeat(2 * BLOCK_BYTES + 3);
                text.replace_range(place..=place, &char::from(character).to_string());
                check(&text);
            }
        }
    }

    proptest! {
        #[test]
        fn any_text_equals_serde_json(text in "(?s).{0,80}") {
            check(&text);
        }

        #[test]
        fn text_with_many_escapes_equals_serde_json(text in "[\\x00-\\x22\\\\\u{7f}ü漢a]{0,80}") {
            check(&text);
        }
    }
}
