//! The shapes of lines: their kinds, and the members of each kind.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::Value;

/// The members that name the kind of an object, in the order in which they are joined.
const KIND_MEMBERS: &[&str] = &["type", "subtype", "method", "sessionUpdate"];

/// Members whose content belongs to a tool or a user, not to the agent CLI.
const FOREIGN_MEMBERS: &[&str] = &[
    "input",
    "rawInput",
    "rawOutput",
    "arguments",
    "args",
    "content",
    "tool_use_result",
    "result",
];

/// The maximum depth of kinds and members.
const MAX_DEPTH: usize = 3;

/// The maximum length of a name of a kind.
const MAX_KIND_CHARS: usize = 60;

/// The members of one kind of line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Shape {
    /// Members that every line has.
    pub common: BTreeSet<String>,
    /// Members that some line has.
    pub optional: BTreeSet<String>,
}

impl Shape {
    fn of(line: &Value) -> Self {
        let mut optional = BTreeSet::new();
        collect_members(line, "", MAX_DEPTH, &mut optional);
        Self { common: optional.clone(), optional }
    }

    fn add(&mut self, other: &Self) {
        self.common = self.common.intersection(&other.common).cloned().collect();
        self.optional.extend(other.optional.iter().cloned());
    }
}

/// The shapes of an output, by kind of line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Shapes(pub BTreeMap<String, Shape>);

impl Shapes {
    /// Reads an output; lines that are not JSON objects are skipped.
    pub fn read(text: &str) -> Self {
        let mut shapes = Self::default();
        for line in text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
            if let Some(kind) = kind(&line) {
                shapes.add(kind, &Shape::of(&line));
            }
        }
        shapes
    }

    /// Adds the shapes of another output.
    pub fn extend(&mut self, other: &Self) {
        for (kind, shape) in &other.0 {
            self.add(kind.clone(), shape);
        }
    }

    fn add(&mut self, kind: String, shape: &Shape) {
        self.0.entry(kind).and_modify(|known| known.add(shape)).or_insert_with(|| shape.clone());
    }
}

/// Shapes by scenario or name of the recording.
pub type Recordings = BTreeMap<String, Shapes>;

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
            all.insert(name.to_owned(), Shapes::read(&std::fs::read_to_string(&path)?));
        }
    }
    Ok(all)
}

/// The kind of a line; `None` when no member names it.
fn kind(line: &Value) -> Option<String> {
    let mut words = Vec::new();
    collect_words(line, MAX_DEPTH, &mut words);
    if words.is_empty() && line.is_object() {
        // A response of JSON-RPC has no name of a kind.
        words.extend(["result", "error"].into_iter().find(|name| line.get(name).is_some()));
    }
    (!words.is_empty()).then(|| words.join("/"))
}

fn collect_words<'a>(value: &'a Value, depth: usize, words: &mut Vec<&'a str>) {
    let Some(members) = value.as_object() else { return };
    let is_word = |text: &&str| text.len() <= MAX_KIND_CHARS && !text.contains(char::is_whitespace);
    words.extend(
        KIND_MEMBERS
            .iter()
            .filter_map(|name| members.get(*name)?.as_str())
            .filter(|word| is_word(word)),
    );
    if depth > 1 {
        let inner = members.iter().filter(|(name, _)| !FOREIGN_MEMBERS.contains(&name.as_str()));
        inner.for_each(|(_, member)| collect_words(member, depth - 1, words));
    }
}

fn collect_members(value: &Value, path: &str, depth: usize, into: &mut BTreeSet<String>) {
    let Some(members) = value.as_object() else { return };
    for (name, member) in members {
        // A member whose name is a value (a model, a file) would differ every time.
        let is_name = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        let name = if is_name { name.as_str() } else { "*" };
        let path = format!("{path}/{name}");
        if depth > 1 && !FOREIGN_MEMBERS.contains(&name) {
            collect_members(member, &path, depth - 1, into);
        }
        into.insert(path);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn kind_joins_names_from_outer_to_inner() {
        let nested =
            json!({"type": "stream_event", "event": {"type": "delta", "delta": {"type": "text"}}});
        assert_eq!(kind(&nested).as_deref(), Some("stream_event/delta/text"));
        let update =
            json!({"method": "session/update", "params": {"update": {"sessionUpdate": "plan"}}});
        assert_eq!(kind(&update).as_deref(), Some("session/update/plan"));
        let input = json!({"type": "call", "input": {"type": "whatever a tool takes"}});
        assert_eq!(kind(&input).as_deref(), Some("call"));
        assert_eq!(kind(&json!({"id": 1, "result": {}})).as_deref(), Some("result"));
        assert_eq!(kind(&json!({"a": 1})), None);
        assert_eq!(kind(&json!("text")), None);
    }

    #[test]
    fn common_members_are_separated_from_optional() {
        let shapes = Shapes::read(
            "{\"type\":\"a\",\"x\":{\"y\":1},\"use\":{\"model-7\":{}}}\nno json\n{\"type\":\"a\",\"z\":1}\n",
        );
        let shape = &shapes.0["a"];
        let set = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        assert_eq!(shape.common, set(&["/type"]));
        assert_eq!(shape.optional, set(&["/type", "/use", "/use/*", "/x", "/x/y", "/z"]));
    }
}
