//! The values in the manifest.

use std::cmp::Ordering;

use serde_json::Value;

use crate::outcome::{CheckOutcome, ensure};

/// Lists without duplicates, as JSON pointers.
const DISTINCT_LISTS: &[&str] = &[
    "/cli/names",
    "/auth/methods",
    "/auth/env",
    "/auth/files",
    "/capabilities/permissionModes/modes",
    "/capabilities/effort/levels",
    "/requirements/bins",
    "/requirements/env",
    "/requirements/nestingEnv",
    "/requirements/platforms",
    "/pluginFormats",
];
/// Texts that are not empty.
const REQUIRED_TEXTS: &[&str] = &["/displayName", "/vendor", "/version", "/cli/names/0"];
/// The longest id.
const MAX_ID_CHARS: usize = 41;

pub(super) fn consistent(manifest: &Value) -> CheckOutcome {
    let id = manifest["adapterId"].as_str().unwrap_or_default();
    let is_name = |id: &str| {
        id.starts_with(|first: char| first.is_ascii_lowercase())
            && id.chars().all(|it| it.is_ascii_lowercase() || it.is_ascii_digit() || it == '-')
    };
    ensure(
        is_name(id) && id.len() <= MAX_ID_CHARS,
        "an adapterId that matches ^[a-z][a-z0-9-]{0,40}$",
        || format!("adapterId {id:?}"),
    )?;
    for pointer in REQUIRED_TEXTS {
        let is_embedded = manifest["cli"]["transport"] == "embedded";
        let text = manifest.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
        let is_optional = is_embedded && pointer.starts_with("/cli");
        ensure(is_optional || !text.trim().is_empty(), format!("a text at {pointer}"), || {
            "an empty text, or none".to_owned()
        })?;
    }
    let version = manifest["version"].as_str().unwrap_or_default();
    ensure(semver::Version::parse(version).is_ok(), "a version such as 1.2.3", || {
        format!("version {version:?}")
    })?;
    for pointer in DISTINCT_LISTS {
        distinct(manifest, pointer)?;
    }
    tested_version(manifest)
}

fn distinct(manifest: &Value, pointer: &str) -> CheckOutcome {
    let items = manifest.pointer(pointer).and_then(Value::as_array).cloned().unwrap_or_default();
    // An entry of `requirements.env` is an object with a name.
    let name = |item: &Value| item.get("name").cloned().unwrap_or_else(|| item.clone());
    let names: Vec<Value> = items.iter().map(name).collect();
    let repeated = names.iter().enumerate().find(|(index, name)| names[..*index].contains(name));
    ensure(repeated.is_none(), format!("no value twice in {pointer}"), || {
        format!("{repeated:?} occurs twice")
    })?;
    let is_empty =
        names.iter().any(|name| name.as_str().is_some_and(|text| text.trim().is_empty()));
    ensure(!is_empty, format!("no empty text in {pointer}"), || format!("{names:?}"))
}

fn tested_version(manifest: &Value) -> CheckOutcome {
    let cli = &manifest["cli"];
    let (Some(min), Some(tested)) = (cli["versionMin"].as_str(), cli["versionTested"].as_str())
    else {
        return Ok(());
    };
    ensure(
        compare(min, tested) != Ordering::Greater,
        "versionMin is not above versionTested",
        || format!("versionMin {min:?}, versionTested {tested:?}"),
    )
}

/// Compares versions number by number; other characters separate numbers.
fn compare(one: &str, other: &str) -> Ordering {
    let numbers = |text: &str| -> Vec<u64> {
        let parts = text.split(|it: char| !it.is_ascii_digit()).filter(|part| !part.is_empty());
        parts.map(|part| part.parse().unwrap_or(u64::MAX)).collect()
    };
    numbers(one).cmp(&numbers(other))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_compare_as_numbers() {
        assert_eq!(compare("1.9.0", "1.10.0"), Ordering::Less);
        assert_eq!(compare("2.0", "1.99.9"), Ordering::Greater);
        assert_eq!(compare("0.166.0", "0.166.0"), Ordering::Equal);
    }
}
