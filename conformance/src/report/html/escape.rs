//! Escapes foreign text for the page: it contains no markup and no invisible characters.

use std::fmt::Write;

use crate::outcome::shorten;

/// How many bytes of a text the page shows.
const MAX_TEXT_BYTES: usize = 8 * 1024;

/// Escapes text for the page and for attributes in double quotes. Invisible characters and those
/// that change the text direction are written as their code.
pub(super) fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in shorten(text, MAX_TEXT_BYTES).chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            '\n' | '\t' => safe.push(c),
            c if is_invisible(c) => {
                // Writing to a string cannot fail.
                let _ = write!(safe, "\\u{{{:x}}}", u32::from(c));
            }
            c => safe.push(c),
        }
    }
    safe
}

/// Escapes text of the suite itself; text in backticks becomes code.
pub(super) fn escaped_markdown(text: &str) -> String {
    let escaped = escaped(text);
    let pieces: Vec<&str> = escaped.split('`').collect();
    if pieces.len().is_multiple_of(2) {
        return escaped;
    }
    let piece = |(index, piece): (usize, &&str)| match index % 2 {
        0 => (*piece).to_owned(),
        _ => format!("<code>{piece}</code>"),
    };
    pieces.iter().enumerate().map(piece).collect()
}

fn is_invisible(c: char) -> bool {
    let changes_direction = matches!(c, '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{feff}');
    c.is_control() || changes_direction
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_and_control_characters_are_escaped() {
        assert_eq!(escaped("<b a=\"'\">&"), "&lt;b a=&quot;&#39;&quot;&gt;&amp;");
        assert_eq!(escaped("a\u{1b}[31m\u{202e}b\0\nc"), "a\\u{1b}[31m\\u{202e}b\\u{0}\nc");
    }

    #[test]
    fn paired_backticks_become_code() {
        assert_eq!(escaped_markdown("`a<b` and `c`"), "<code>a&lt;b</code> and <code>c</code>");
        assert_eq!(escaped_markdown("a ` b"), "a ` b");
    }

    #[test]
    fn long_text_is_truncated() {
        assert!(escaped(&"é".repeat(100_000)).len() < MAX_TEXT_BYTES + 100);
    }
}
