//! Removes secrets and terminal colours from text.

/// Replaces every known secret value and everything that looks like a key.
pub(super) fn redact(text: &str, secrets: &[String]) -> String {
    let mut clean = text.to_owned();
    for secret in secrets.iter().filter(|secret| secret.len() >= 6) {
        clean = clean.replace(secret.as_str(), "[redacted]");
    }
    clean.split_inclusive(char::is_whitespace).map(redact_word).collect()
}

/// Redacts a word that contains a long key.
fn redact_word(word: &str) -> String {
    const KEY_PREFIXES: [&str; 5] = ["sk-", "sk_", "key-", "ghp_", "eyJ"];
    let found = KEY_PREFIXES.iter().filter_map(|mark| word.find(mark)).min();
    match found {
        Some(start) if word.trim_end().len() - start >= 16 => {
            let end = if word.ends_with(char::is_whitespace) { " " } else { "" };
            format!("{}[redacted]{end}", &word[..start])
        }
        _ => word.to_owned(),
    }
}

/// Removes ANSI escape sequences; line ends and tabs stay.
pub(super) fn strip_ansi(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        if character != '\u{1b}' {
            clean.push(character);
            continue;
        }
        match characters.peek() {
            Some('[') => skip_control_sequence(&mut characters),
            Some(']') => skip_system_command(&mut characters),
            Some(_) => drop(characters.next()),
            None => {}
        }
    }
    clean
}

/// `ESC [ … letter`
fn skip_control_sequence(characters: &mut std::iter::Peekable<std::str::Chars<'_>>) {
    characters.next();
    for character in characters.by_ref() {
        if ('\u{40}'..='\u{7e}').contains(&character) {
            break;
        }
    }
}

/// `ESC ] … BEL` or `ESC ] … ESC \`
fn skip_system_command(characters: &mut std::iter::Peekable<std::str::Chars<'_>>) {
    while let Some(character) = characters.next() {
        if character == '\u{7}' {
            break;
        }
        if character == '\u{1b}' && characters.peek() == Some(&'\\') {
            characters.next();
            break;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_values_and_keys_are_redacted() {
        let secrets = ["hunter2-and-more".to_owned(), "short".to_owned()];
        let text = "short hunter2-and-more, sk-0123456789abcdef end sk-x";
        assert_eq!(redact(text, &secrets), "short [redacted], [redacted] end sk-x");
    }

    #[test]
    fn escape_sequences_are_removed_text_stays() {
        let text = "\u{1b}[1;31mred\u{1b}[0m\tü\n\u{1b}]0;title\u{7}plain\u{1b}]8;;x\u{1b}\\link";
        assert_eq!(strip_ansi(text), "red\tü\nplainlink");
    }
}
