//! Removes terminal escape sequences from text and nothing else: other control characters are part of
//! the text. Crates that strip them drop every control character, so this is done here.

use std::borrow::Cow;

const ESCAPE: char = '\u{1b}';

/// Removes terminal escape sequences. Text without them, which is almost all text, is not copied.
pub(super) fn strip_escapes(text: &str) -> Cow<'_, str> {
    if memchr::memchr(0x1b, text.as_bytes()).is_none() {
        return Cow::Borrowed(text);
    }
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(ESCAPE) {
        kept.push_str(&rest[..start]);
        rest = after_sequence(&rest[start + 1..]);
    }
    kept.push_str(rest);
    Cow::Owned(kept)
}

/// Returns what follows the sequence; `text` starts after its ESC.
fn after_sequence(text: &str) -> &str {
    let mut characters = text.chars();
    match characters.next() {
        Some('[') => {
            let parameters =
                characters.as_str().trim_start_matches(|c| ('\u{20}'..='\u{3f}').contains(&c));
            parameters.strip_prefix(|c| ('@'..='~').contains(&c)).unwrap_or(parameters)
        }
        Some(']' | 'P' | 'X' | '^' | '_') => after_string(characters.as_str()).unwrap_or(text),
        Some('\u{20}'..='\u{2f}') => {
            let rest = text.trim_start_matches(|c| ('\u{20}'..='\u{2f}').contains(&c));
            rest.strip_prefix(|c| ('0'..='~').contains(&c)).unwrap_or(rest)
        }
        Some('0'..='~') => characters.as_str(),
        _ => text,
    }
}

/// Returns what follows a control string, which ends with BEL or ESC \\; `None` if it does not end.
fn after_string(text: &str) -> Option<&str> {
    let end = text.find(['\u{7}', ESCAPE])?;
    let rest = &text[end..];
    rest.strip_prefix('\u{7}').or_else(|| rest.strip_prefix("\u{1b}\\"))
}

#[cfg(test)]
mod tests {
    use super::strip_escapes;

    fn check(text: &str, expected: &str) {
        assert_eq!(strip_escapes(text), expected, "{text:?}");
    }

    #[test]
    fn only_escape_sequences_are_removed() {
        check("plain [31m \u{8}\u{0}\r\n", "plain [31m \u{8}\u{0}\r\n");
        check("\u{1b}[1;31mred\u{1b}[0m\u{8}\r\n\tnext", "red\u{8}\r\n\tnext");
        check("a\u{1b}]0;title\u{7}b\u{1b}]8;;x\u{1b}\\c", "abc");
        check("a\u{1b}]without an end", "a]without an end");
        check("a\u{1b}(Bb\u{1b}Mc\u{1b}", "abc");
        check("ü\u{1b}[38;5;200mé漢\u{1b}[", "üé漢");
    }
}
