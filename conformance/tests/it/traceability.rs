//! Every requirement of the specification is held by a check, or a reason says why none can see it.
//! `UPDATE_EXPECT=1` writes `TRACEABILITY.md`.

mod document;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use od_conformance::checks;
use serde::Deserialize;

/// A requirement of `schemas/v1/requirements.json`.
#[derive(Debug, Deserialize)]
struct Requirement {
    id: String,
    text: String,
}

#[derive(Debug, Deserialize)]
struct Specification {
    revision: String,
    requirements: Vec<Requirement>,
}

/// `requirements/traceability.toml`.
#[derive(Debug, Deserialize)]
struct Traceability {
    /// Reasons that several rows share, by name.
    reasons: BTreeMap<String, String>,
    /// The rows by chapter.
    #[serde(flatten)]
    chapters: BTreeMap<String, Vec<Row>>,
}

/// Requirements that the same checks hold.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    ids: Vec<String>,
    #[serde(default)]
    checks: Vec<String>,
    /// Why no black box can see it, or which part of it.
    reason: Option<String>,
    /// What a check could see and none does yet.
    unchecked: Option<String>,
}

impl Row {
    /// Whether a check holds it, at least in part.
    fn is_held(&self) -> bool {
        !self.checks.is_empty()
    }
}

impl Traceability {
    fn rows(&self) -> impl Iterator<Item = (&str, &Row)> {
        self.chapters
            .iter()
            .flat_map(|(chapter, rows)| rows.iter().map(move |row| (chapter.as_str(), row)))
    }

    /// The text of a row's reason; a name stands for a shared reason.
    fn reason<'a>(&'a self, row: &'a Row) -> Option<&'a str> {
        let reason = row.reason.as_ref()?;
        Some(self.reasons.get(reason).unwrap_or(reason))
    }
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

fn read(path: &str) -> String {
    let text = std::fs::read_to_string(folder().join(path));
    text.unwrap_or_else(|error| panic!("{path}: {error}")).replace("\r\n", "\n")
}

fn specification() -> Specification {
    serde_json::from_str(&read("../schemas/v1/requirements.json")).expect("a list of requirements")
}

fn traceability() -> Traceability {
    toml::from_str(&read("requirements/traceability.toml")).expect("a traceability file")
}

#[test]
fn every_requirement_is_listed_once() {
    let (specification, traceability) = (specification(), traceability());
    let mut listed: BTreeMap<&str, usize> = BTreeMap::new();
    for id in traceability.rows().flat_map(|(_, row)| &row.ids) {
        *listed.entry(id).or_default() += 1;
    }
    for Requirement { id, text } in &specification.requirements {
        let count = listed.remove(id.as_str()).unwrap_or_default();
        assert_eq!(count, 1, "{id} is listed {count} times: {text}");
    }
    assert!(listed.is_empty(), "not in the specification: {:?}", listed.keys());
}

#[test]
fn every_row_has_checks_or_reason() {
    for (chapter, row) in traceability().rows() {
        let ids = &row.ids;
        assert!(!ids.is_empty(), "a row of {chapter} has no ids");
        let has_text = |text: &Option<String>| text.as_ref().is_some_and(|text| text.len() > 3);
        let is_explained = has_text(&row.reason) || has_text(&row.unchecked);
        assert!(row.is_held() || is_explained, "{ids:?} has neither checks nor a reason");
    }
}

#[test]
fn named_checks_exist() {
    let traceability = traceability();
    let suite: BTreeSet<&str> = checks::all().iter().map(|check| check.id).collect();
    for (_, row) in traceability.rows() {
        for check in &row.checks {
            let is_known = suite.contains(check.as_str());
            assert!(is_known, "{:?} names {check}, which does not exist", row.ids);
        }
    }
}

#[test]
fn every_check_holds_a_requirement() {
    let traceability = traceability();
    let used: BTreeSet<&str> =
        traceability.rows().flat_map(|(_, row)| &row.checks).map(String::as_str).collect();
    let unused: Vec<&str> =
        checks::all().iter().map(|check| check.id).filter(|id| !used.contains(id)).collect();
    assert!(unused.is_empty(), "checks that hold no requirement: {unused:?}");
}

#[test]
fn shared_reasons_are_used() {
    let traceability = traceability();
    for name in traceability.reasons.keys() {
        let is_used = traceability.rows().any(|(_, row)| row.reason.as_ref() == Some(name));
        assert!(is_used, "the reason {name} is not used");
    }
}

#[test]
fn traceability_table_is_current() {
    let text = document::markdown(&specification(), &traceability());
    let file = folder().join("TRACEABILITY.md");
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(&file, &text).expect("the table can be written");
    }
    let committed = std::fs::read_to_string(&file).unwrap_or_default().replace("\r\n", "\n");
    let difference = text.lines().zip(committed.lines()).find(|(new, old)| new != old);
    assert!(
        text == committed,
        "TRACEABILITY.md is not current: {difference:?}\n\
         hint: UPDATE_EXPECT=1 cargo nextest run -p od-conformance traceability"
    );
}
