//! Keeps secrets out of what is shown: the values we know, and what looks like a key.

use od_protocol::Event;

/// Beginnings of well-known keys.
const KEY_PREFIXES: &[&str] = &[
    "sk-",
    "sk_",
    "ghp_",
    "gho_",
    "ghs_",
    "github_pat_",
    "xoxb-",
    "xoxp-",
    "AKIA",
    "AIza",
    "eyJ",
    "glpat-",
    "hf_",
];

/// A word that begins like a key must be this long to be one.
const KEY_LENGTH: usize = 16;

/// Values shorter than this are words of everyday and left alone.
const SECRET_LENGTH: usize = 6;

const HIDDEN: &str = "[redacted]";

#[derive(Debug)]
pub(super) struct Redactor {
    secrets: Vec<String>,
}

impl Redactor {
    pub(super) fn new(mut secrets: Vec<String>) -> Self {
        secrets.retain(|secret| secret.len() >= SECRET_LENGTH);
        // The longest first: a secret may contain another.
        secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        Self { secrets }
    }

    /// Cleans the events that carry an agent CLI's raw words. The conversation itself (text, tool
    /// input and output) is the person's own and stays as it is.
    pub(super) fn clean_event(&self, mut event: Event) -> Event {
        match &mut event {
            Event::Error(error) => {
                self.clean(&mut error.message);
                error.hint.iter_mut().for_each(|hint| self.clean(hint));
            }
            Event::Notice(notice) => self.clean(&mut notice.text),
            Event::Unmapped(unmapped) => self.clean(&mut unmapped.sample),
            Event::Retry(retry) => self.clean(&mut retry.reason),
            Event::RunStarted(started) => {
                started.argv.iter_mut().for_each(|argument| self.clean(argument));
            }
            _ => {}
        }
        event
    }

    fn clean(&self, text: &mut String) {
        for secret in &self.secrets {
            if text.contains(secret.as_str()) {
                *text = text.replace(secret.as_str(), HIDDEN);
            }
        }
        *text = redact(text);
    }
}

/// Hides what looks like a key.
pub(crate) fn redact(text: &str) -> String {
    if !KEY_PREFIXES.iter().any(|prefix| text.contains(prefix)) {
        return text.to_owned();
    }
    let is_key_character = |character: char| {
        character.is_ascii_alphanumeric() || matches!(character, '-' | '_' | '.' | '+' | '/')
    };
    let mut clean = String::with_capacity(text.len());
    let mut rest = text;
    while !rest.is_empty() {
        let word_length = rest.find(|c| !is_key_character(c)).unwrap_or(rest.len());
        let (word, after) = rest.split_at(word_length);
        let looks_like_key =
            word.len() >= KEY_LENGTH && KEY_PREFIXES.iter().any(|prefix| word.starts_with(prefix));
        clean.push_str(if looks_like_key { HIDDEN } else { word });
        let gap_length = after.find(is_key_character).unwrap_or(after.len());
        let (gap, next) = after.split_at(gap_length);
        clean.push_str(gap);
        rest = next;
    }
    clean
}
