//! JSON strings on the hot path: the same bytes as serde_json's, with text that needs no escape
//! looked through a block at a time and copied at once.

/// How many bytes are looked at together; the compiler turns a block into a few instructions.
const BLOCK: usize = 16;

/// Appends a string with its quotes.
pub(super) fn write_string(out: &mut Vec<u8>, text: &str) {
    let mut rest = text.as_bytes();
    out.push(b'"');
    loop {
        let (plain, after) = rest.split_at(plain_length(rest));
        out.extend_from_slice(plain);
        let Some((special, after)) = after.split_first() else { break };
        write_escaped(out, *special);
        rest = after;
    }
    out.push(b'"');
}

/// How many bytes at the front need no escape.
fn plain_length(bytes: &[u8]) -> usize {
    let (blocks, _) = bytes.as_chunks::<BLOCK>();
    // No early exit inside a block: that is what lets the compiler compare all of it at once.
    let is_plain =
        |block: &&[u8; BLOCK]| !block.iter().fold(false, |found, byte| found | needs_escape(*byte));
    let looked_through = blocks.iter().take_while(is_plain).count() * BLOCK;
    let rest = &bytes[looked_through..];
    looked_through + rest.iter().position(|byte| needs_escape(*byte)).unwrap_or(rest.len())
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
