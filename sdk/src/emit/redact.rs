//! Redacts secrets in events: known values, and text that looks like a key.

use od_protocol::Event;

/// Prefixes of well-known keys.
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

/// A shorter word with such a prefix is not a key.
const MIN_KEY_BYTES: usize = 16;

/// Shorter values are not redacted: they occur in ordinary text.
const MIN_SECRET_BYTES: usize = 6;

const REDACTED: &str = "[redacted]";

#[derive(Debug)]
pub(super) struct Redactor {
    secrets: Vec<String>,
}

impl Redactor {
    pub(super) fn new(mut secrets: Vec<String>) -> Self {
        secrets.retain(|secret| secret.len() >= MIN_SECRET_BYTES);
        // Longest first: a secret may contain another.
        secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        Self { secrets }
    }

    /// Redacts the events that contain raw text of the agent CLI. The conversation itself (text, tool
    /// input and output) belongs to the user and is unchanged.
    pub(super) fn redact_event(&self, mut event: Event) -> Event {
        match &mut event {
            Event::Error(error) => {
                self.redact(&mut error.message);
                error.hint.iter_mut().for_each(|hint| self.redact(hint));
            }
            Event::Notice(notice) => self.redact(&mut notice.text),
            Event::Unmapped(unmapped) => self.redact(&mut unmapped.sample),
            Event::Retry(retry) => self.redact(&mut retry.reason),
            Event::RunStarted(started) => {
                started.argv.iter_mut().for_each(|argument| self.redact(argument));
            }
            _ => {}
        }
        event
    }

    fn redact(&self, text: &mut String) {
        for secret in &self.secrets {
            if text.contains(secret.as_str()) {
                *text = text.replace(secret.as_str(), REDACTED);
            }
        }
        *text = redact(text);
    }
}

/// Redacts text that looks like a key.
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
        let looks_like_key = word.len() >= MIN_KEY_BYTES
            && KEY_PREFIXES.iter().any(|prefix| word.starts_with(prefix));
        clean.push_str(if looks_like_key { REDACTED } else { word });
        let gap_length = after.find(is_key_character).unwrap_or(after.len());
        let (gap, next) = after.split_at(gap_length);
        clean.push_str(gap);
        rest = next;
    }
    clean
}
