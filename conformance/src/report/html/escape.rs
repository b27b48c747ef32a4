//! Text of strangers as text of the page: nothing in it is markup, and nothing in it is unseen.

use std::fmt::Write;

use crate::verdict::shorten;

/// The longest text of a stranger that the page takes.
const TEXT_LIMIT: usize = 8 * 1024;

/// Escapes text for the page and for attributes in double quotes. Characters that cannot be seen,
/// or that turn the direction of what follows, are written as their code.
pub(super) fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in shorten(text, TEXT_LIMIT).chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            '\n' | '\t' => safe.push(c),
            c if is_unseen(c) => {
                // Writing to a string cannot fail.
                let _ = write!(safe, "\\u{{{:x}}}", u32::from(c));
            }
            c => safe.push(c),
        }
    }
    safe
}

/// Escapes words of the suite itself; what stands between backticks becomes code.
pub(super) fn escaped_words(text: &str) -> String {
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

fn is_unseen(c: char) -> bool {
    let turns = matches!(c, '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{feff}');
    c.is_control() || turns
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_controls_and_turns_become_text() {
        assert_eq!(escaped("<b a=\"'\">&"), "&lt;b a=&quot;&#39;&quot;&gt;&amp;");
        assert_eq!(escaped("a\u{1b}[31m\u{202e}b\0\nc"), "a\\u{1b}[31m\\u{202e}b\\u{0}\nc");
    }

    #[test]
    fn backticks_in_pairs_are_code() {
        assert_eq!(escaped_words("`a<b` and `c`"), "<code>a&lt;b</code> and <code>c</code>");
        assert_eq!(escaped_words("a ` b"), "a ` b");
    }

    #[test]
    fn long_text_is_cut() {
        assert!(escaped(&"é".repeat(100_000)).len() < TEXT_LIMIT + 100);
    }
}
