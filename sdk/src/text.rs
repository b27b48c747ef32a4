//! Adapts texts and paths of agent CLIs to the protocol.

use std::path::Path;

/// Rewrites an error text in the style of the protocol: it starts in lower case and has no final dot.
/// Abbreviations and `names` keep their case.
///
/// ```
/// use od_sdk::text::error_text;
///
/// assert_eq!(error_text("Error: Session not found.", &[]), "session not found");
/// assert_eq!(error_text("Acme is busy.", &["Acme"]), "Acme is busy");
/// ```
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

/// Returns an absolute path; agent CLIs may report paths relative to the working folder.
pub fn absolute_path(path: &str, cwd: &str) -> String {
    match Path::new(path).is_absolute() {
        true => path.to_owned(),
        false => Path::new(cwd).join(path).display().to_string(),
    }
}

/// A title longer than this is cut.
const MAX_TITLE_CHARS: usize = 120;

/// Returns the first line of a text, cut to the length of a title.
pub fn first_line(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    match line.char_indices().nth(MAX_TITLE_CHARS) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None if line.len() < text.trim_end().len() => format!("{line} …"),
        None => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::{error_text, first_line};

    #[test]
    fn title_is_one_short_line() {
        assert_eq!(first_line("ls -l\n"), "ls -l");
        assert_eq!(first_line("ls\npwd"), "ls …");
        assert_eq!(first_line(&"x".repeat(500)).chars().count(), 121);
    }

    #[test]
    fn error_texts_follow_protocol_style() {
        for (text, expected) in [
            ("Error: Session not found.", "session not found"),
            ("API key not valid", "API key not valid"),
            ("Acme API key is missing.", "Acme API key is missing"),
            (" plain ", "plain"),
            ("", ""),
        ] {
            assert_eq!(error_text(text, &["Acme"]), expected);
        }
    }
}
