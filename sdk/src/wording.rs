//! Foreign error texts in the protocol's manner.

/// An error text in the protocol's manner: one that starts in lower case and has no final dot.
/// Abbreviations and `names` stay as they are, and so does the rest.
pub fn error_text(text: &str, names: &[&str]) -> String {
    let text = text.trim();
    let text =
        ["Error: ", "error: "].iter().find_map(|start| text.strip_prefix(start)).unwrap_or(text);
    let text = text.strip_suffix('.').unwrap_or(text);
    let mut characters = text.chars();
    let first = characters.next();
    let is_word = characters.clone().next().is_some_and(char::is_lowercase);
    match first {
        Some(first) if is_word && !names.iter().any(|name| text.starts_with(name)) => {
            first.to_lowercase().chain(characters).collect()
        }
        _ => text.to_owned(),
    }
}

/// A title longer than this is cut.
const TITLE_CHARACTERS: usize = 120;

/// The first line of a text, cut to what a title may have.
pub fn first_line(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    match line.char_indices().nth(TITLE_CHARACTERS) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None if line.len() < text.trim_end().len() => format!("{line} …"),
        None => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::{error_text, first_line};

    #[test]
    fn a_title_is_one_short_line() {
        assert_eq!(first_line("ls -l\n"), "ls -l");
        assert_eq!(first_line("ls\npwd"), "ls …");
        assert_eq!(first_line(&"x".repeat(500)).chars().count(), 121);
    }

    #[test]
    fn foreign_texts_fit_in() {
        for (text, expected) in [
            ("Error: Session not found.", "session not found"),
            ("API key not valid", "API key not valid"),
            ("Gemini API key is missing.", "Gemini API key is missing"),
            (" plain ", "plain"),
            ("", ""),
        ] {
            assert_eq!(error_text(text, &["Gemini"]), expected);
        }
    }
}
