//! JSON strings on the hot path: the same bytes as serde_json's, with text that needs no escape
//! looked through a block at a time and copied at once.

use std::ops::Range;

/// How many bytes are looked at together; the compiler turns a block into a few instructions.
const BLOCK: usize = 16;

/// Appends a string with its quotes.
pub(super) fn write_string(out: &mut Vec<u8>, text: &str) {
    let bytes = text.as_bytes();
    let (blocks, _) = bytes.as_chunks::<BLOCK>();
    let mut written = 0;
    out.push(b'"');
    for (index, block) in blocks.iter().enumerate() {
        if !is_plain(block) {
            let start = index * BLOCK;
            written = write_specials(out, bytes, written, start..start + BLOCK);
        }
    }
    written = write_specials(out, bytes, written, blocks.len() * BLOCK..bytes.len());
    out.extend_from_slice(&bytes[written..]);
    out.push(b'"');
}

/// No early exit: that is what lets the compiler compare the whole block at once.
fn is_plain(block: &[u8; BLOCK]) -> bool {
    !block.iter().fold(false, |found, byte| found | needs_escape(*byte))
}

/// Appends what was not yet written up to the last special byte of a range, and says how far that
/// is.
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
    fn every_ascii_character_at_every_place_of_a_block() {
        for character in 0..128_u8 {
            for place in 0..2 * BLOCK {
                let mut text = "x".repeat(2 * BLOCK + 3);
                text.replace_range(place..=place, &char::from(character).to_string());
                check(&text);
            }
        }
    }

    proptest! {
        #[test]
        fn any_text_is_written_as_serde_json_writes_it(text in "(?s).{0,80}") {
            check(&text);
        }

        #[test]
        fn so_is_text_full_of_escapes(text in "[\\x00-\\x22\\\\\u{7f}ü漢a]{0,80}") {
            check(&text);
        }
    }
}
