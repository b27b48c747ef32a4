//! Comparing what the real agent CLI says with the pack's recordings of it: which kinds of lines
//! are new, which have vanished.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::{Value, json};

/// The members that name the kind of a line, in the order in which they are joined.
const KINDS: &[&str] = &["/type", "/subtype", "/method", "/event/type", "/request/subtype"];

/// The kinds of lines by the name of the recording.
pub type Recordings = BTreeMap<String, BTreeSet<String>>;

/// What differs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Drift {
    /// Kinds of lines that no recording has.
    pub new: BTreeSet<String>,
    /// Kinds of lines that the recording of the same scenario has and the CLI no longer says.
    pub vanished: BTreeSet<String>,
}

impl Drift {
    /// Compares what was heard, by scenario, with the recordings.
    pub fn between(heard: &Recordings, recordings: &Recordings) -> Self {
        let known: BTreeSet<&String> = recordings.values().flatten().collect();
        let all: BTreeSet<&String> = heard.values().flatten().collect();
        let new = all.iter().filter(|kind| !known.contains(*kind)).map(|kind| (*kind).clone());
        let of_same = heard.keys().filter_map(|name| recordings.get(name)).flatten();
        let vanished = of_same.filter(|kind| !all.contains(kind)).cloned();
        Self { new: new.collect(), vanished: vanished.collect() }
    }

    /// For programs.
    pub fn to_json(&self) -> Value {
        json!({ "new": self.new, "vanished": self.vanished })
    }
}

/// The kinds of lines in what an agent CLI printed; lines that are no JSON have none.
pub(super) fn kinds(text: &str) -> BTreeSet<String> {
    text.lines().filter_map(|line| kind(&serde_json::from_str(line).ok()?)).collect()
}

fn kind(line: &Value) -> Option<String> {
    let words: Vec<&str> =
        KINDS.iter().filter_map(|member| line.pointer(member)?.as_str()).collect();
    (!words.is_empty()).then(|| words.join("/"))
}

/// Reads every `NAME.stdout.jsonl` of a folder.
///
/// # Errors
/// When the folder or a file cannot be read.
pub fn recordings(folder: &Path) -> std::io::Result<Recordings> {
    let mut all = Recordings::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if let Some(name) = name.strip_suffix(".stdout.jsonl") {
            all.insert(name.to_owned(), kinds(&std::fs::read_to_string(&path)?));
        }
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(name: &str, text: &str) -> (String, BTreeSet<String>) {
        (name.to_owned(), kinds(text))
    }

    #[test]
    fn new_and_vanished_kinds_are_told() {
        let init = r#"{"type":"system","subtype":"init"}"#;
        let old = r#"{"type":"stream_event","event":{"type":"message_start"}}"#;
        let recorded = Recordings::from([
            one("plain", &format!("{init}\n{old}\nno json\n")),
            one("other", r#"{"type":"elsewhere"}"#),
        ]);
        let heard = Recordings::from([one("plain", &format!("{init}\n{}", r#"{"type":"fresh"}"#))]);
        let drift = Drift::between(&heard, &recorded);
        assert_eq!(drift.new, BTreeSet::from(["fresh".to_owned()]));
        assert_eq!(drift.vanished, BTreeSet::from(["stream_event/message_start".to_owned()]));
        assert_eq!(Drift::between(&recorded, &recorded), Drift::default());
    }
}
