//! Removes from a text what belongs to a person, a machine or a vendor: secrets, paths, names,
//! addresses, long prose. The result is deterministic, so that a new recording differs only where the
//! agent CLI does.

use std::collections::BTreeMap;

use serde_json::{Number, Value};

/// Replaces a secret.
pub(super) const REDACTED: &str = "redacted";

/// Replaces a path of the machine.
const PATH: &str = "/path";

/// Replaces prose of a vendor.
const PROSE: &str = "(prose)";

/// A text with at least this many words is prose.
const MIN_PROSE_WORDS: usize = 20;

/// A shorter known text is replaced only if it is the whole text.
const MIN_KNOWN_CHARS: usize = 6;

/// Replaces every time.
const FIXED_TIME: &str = "2026-01-01T00:00:00.000Z";
const FIXED_TIME_SECONDS: u64 = 1_767_225_600;

/// Prefixes of secrets.
const SECRET_PREFIXES: &[&str] = &[
    "sk-",
    "sk_",
    "pk_",
    "rk_",
    "ghp_",
    "gho_",
    "ghs_",
    "ghu_",
    "github_pat_",
    "glpat-",
    "xoxb-",
    "xoxp-",
    "AKIA",
    "ASIA",
    "AIza",
    "ya29.",
    "eyJ",
    "npm_",
    "hf_",
    "pypi-",
];

/// The minimum length of a secret.
const MIN_SECRET_CHARS: usize = 12;

/// First folders of paths of a machine.
const ROOTS: &[&str] = &[
    "home", "root", "Users", "tmp", "var", "private", "opt", "usr", "mnt", "srv", "data", "work",
    "etc", "run", "nix", "snap", "build", "app", "proc", "dev",
];

/// Removes what must not be committed.
#[derive(Debug, Clone, Default)]
pub(super) struct Scrub {
    /// Known texts and their replacements, the longest first.
    known: Vec<(String, String)>,
    ids: BTreeMap<String, usize>,
}

impl Scrub {
    /// Replaces these texts; empty ones are ignored.
    pub(super) fn new(known: impl IntoIterator<Item = (String, String)>) -> Self {
        let mut known: Vec<(String, String)> =
            known.into_iter().filter(|(text, _)| !text.is_empty()).collect();
        known.sort_by_key(|(text, _)| std::cmp::Reverse(text.len()));
        Self { known, ids: BTreeMap::new() }
    }

    /// Scrubs a text; long prose is replaced as a whole.
    pub(super) fn text(&mut self, text: &str) -> String {
        let mut clean = text.to_owned();
        for (known, name) in &self.known {
            if clean == *known {
                clean.clone_from(name);
            } else if known.len() >= MIN_KNOWN_CHARS {
                clean = clean.replace(known.as_str(), name);
            }
        }
        let is_own = clean != text;
        if !is_own && clean.split_whitespace().count() >= MIN_PROSE_WORDS {
            return PROSE.to_owned();
        }
        let is_part = |c: char| c.is_alphanumeric() || "_-./\\:@+~%".contains(c);
        let mut out = String::with_capacity(clean.len());
        let mut rest = clean.as_str();
        while let Some(first) = rest.chars().next() {
            let end = rest.find(|c| is_part(c) != is_part(first)).unwrap_or(rest.len());
            let (word, behind) = rest.split_at(end);
            out.push_str(&if is_part(first) { self.word(word) } else { word.to_owned() });
            rest = behind;
        }
        out
    }

    /// Scrubs a value, names of members included.
    pub(super) fn value(&mut self, value: &Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.text(text)),
            Value::Array(items) => items.iter().map(|item| self.value(item)).collect(),
            Value::Object(members) => {
                let clean = members.iter().map(|(name, member)| {
                    let name = self.text(name);
                    let member = match member {
                        Value::Number(number) => fixed_time(&name, number),
                        other => self.value(other),
                    };
                    (name, member)
                });
                Value::Object(clean.collect())
            }
            other => other.clone(),
        }
    }

    fn word(&mut self, word: &str) -> String {
        let bare = word.trim_end_matches(['.', ':']);
        let tail = &word[bare.len()..];
        let clean = if is_uuid(bare) {
            let next = self.ids.len() + 1;
            let number = *self.ids.entry(bare.to_owned()).or_insert(next);
            format!("00000000-0000-4000-8000-{number:012}")
        } else if is_time(bare) {
            FIXED_TIME.to_owned()
        } else if is_secret(bare) {
            REDACTED.to_owned()
        } else if is_mail(bare) {
            "user@example.org".to_owned()
        } else {
            without_tag(&without_path(&without_port(bare)))
        };
        clean + tail
    }
}

pub(super) fn is_uuid(word: &str) -> bool {
    let parts: Vec<usize> = word.split('-').map(str::len).collect();
    parts == [8, 4, 4, 4, 12] && word.chars().all(|c| c.is_ascii_hexdigit() || c == '-')
}

fn is_time(word: &str) -> bool {
    let bytes = word.as_bytes();
    bytes.len() >= 19
        && bytes[4] == b'-'
        && bytes[10] == b'T'
        && bytes[..4].is_ascii()
        && word[..4].chars().all(|c| c.is_ascii_digit())
}

fn is_secret(word: &str) -> bool {
    let starts = SECRET_PREFIXES.iter().any(|start| {
        word.strip_prefix(start)
            .is_some_and(|rest| rest.chars().any(|c| c.is_ascii_digit()) || rest.len() > 24)
    });
    // A long word with upper case, lower case and digits is not natural language.
    let has = |is: fn(&char) -> bool| word.chars().filter(is).count() > 4;
    let is_random = word.len() >= 40
        && !word.contains(['/', '.', ':'])
        && has(char::is_ascii_uppercase)
        && has(char::is_ascii_lowercase)
        && has(char::is_ascii_digit);
    (starts && word.len() >= MIN_SECRET_CHARS) || is_random
}

fn is_mail(word: &str) -> bool {
    let is_domain = |domain: &str| domain.contains('.') && !domain.contains(['/', ':', '@']);
    word.split_once('@').is_some_and(|(name, domain)| {
        !name.is_empty()
            && !name.contains('/')
            && is_domain(domain)
            && !domain.starts_with(|c: char| c.is_ascii_digit())
    })
}

/// Replaces a random port.
fn without_port(word: &str) -> String {
    for host in ["127.0.0.1:", "localhost:"] {
        if let Some((before, after)) = word.split_once(host) {
            let rest = after.trim_start_matches(|c: char| c.is_ascii_digit());
            return format!("{before}{host}8080{rest}");
        }
    }
    word.to_owned()
}

/// Replaces a path, wherever it starts in the word.
fn without_path(word: &str) -> String {
    let is_root = |start: usize| {
        let rest = &word[start + 1..];
        let before = &word[..start];
        let begins = before.is_empty() || before.ends_with(':') || before.ends_with("//");
        begins
            && ROOTS
                .iter()
                .any(|root| rest.strip_prefix(root).is_some_and(|it| it.starts_with('/')))
    };
    let drive = word.find(":\\").filter(|at| *at > 0).map(|at| at - 1);
    let start = word.match_indices('/').map(|(at, _)| at).find(|at| is_root(*at)).or(drive);
    start.map_or_else(|| word.to_owned(), |at| format!("{}{PATH}", &word[..at]))
}

/// Removes the tag that the fake model adds per server.
fn without_tag(word: &str) -> String {
    const TAG: usize = 8;
    let Some((before, after)) = word.split_once("fake") else { return word.to_owned() };
    match after.get(..TAG) {
        Some(tag) if tag.chars().all(|c| c.is_ascii_hexdigit()) => {
            format!("{before}fake00000000{}", &after[TAG..])
        }
        _ => word.to_owned(),
    }
}

/// Replaces a time or duration.
fn fixed_time(name: &str, number: &Number) -> Value {
    let name = name.to_lowercase();
    let is_time = name.ends_with("ms")
        || ["time", "duration", "created", "date", "elapsed", "seconds"]
            .iter()
            .any(|word| name.contains(word));
    match number.as_u64() {
        Some(moment) if moment >= 1_000_000_000_000 => (FIXED_TIME_SECONDS * 1000).into(),
        Some(moment) if moment >= 1_000_000_000 => FIXED_TIME_SECONDS.into(),
        Some(_) if is_time => 1.into(),
        None if is_time => 1.into(),
        _ => Value::Number(number.clone()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn private_texts_are_replaced() {
        let mut scrub = Scrub::new([("canary".to_owned(), "{{secret}}".to_owned())]);
        for (text, clean) in [
            ("key canary.", "key {{secret}}."),
            ("Bearer ghp_abcdefghij0123456789", "Bearer redacted"),
            ("at file:///home/alice/x.js:3", "at file:///path"),
            ("cd /Users/alice/it && ls", "cd /path && ls"),
            (r"in C:\Users\alice", "in /path"),
            ("GET http://127.0.0.1:43211/v1/messages", "GET http://127.0.0.1:8080/v1/messages"),
            ("write to alice@corp.example.", "write to user@example.org."),
            ("msg_fake0badcafe00002", "msg_fake0000000000002"),
            ("at 2026-11-16T04:59:01.123Z", "at 2026-01-01T00:00:00.000Z"),
            ("sk-learn is a word, session/update too", "sk-learn is a word, session/update too"),
            ("@example/red-fox@2.1.197", "@example/red-fox@2.1.197"),
        ] {
            assert_eq!(scrub.text(text), clean);
        }
        assert_eq!(scrub.text(&"word ".repeat(30)), "(prose)");
        let id = "0f8fad5b-d9cb-469f-a165-70867728950e";
        assert_eq!(scrub.text(id), "00000000-0000-4000-8000-000000000001");
        assert_eq!(scrub.text(id), "00000000-0000-4000-8000-000000000001");
    }

    #[test]
    fn times_are_replaced_by_fixed_values() {
        let mut scrub = Scrub::default();
        let value = json!({"duration_ms": 353, "tokens": 12, "at": 1_763_000_000_000_u64});
        let clean = json!({"duration_ms": 1, "tokens": 12, "at": 1_767_225_600_000_u64});
        assert_eq!(scrub.value(&value), clean);
    }
}
