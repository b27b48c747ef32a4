//! Frozen requirement sets: the checks that decide about conformance, with a fingerprint of each
//! requirement. A later check is run and reported, but does not count until a newer set contains
//! it. The checks are in `checks/`.

use std::collections::BTreeMap;

use serde::Deserialize;
use sha2::{Digest, Sha256};

use crate::check::{Check, Level};

/// The default set for adapters.
pub const DEFAULT_SET: &str = "1.1";

/// The name of the set that contains every check.
pub const LATEST: &str = "latest";

/// The default set for ACP agents.
pub const DEFAULT_ACP_SET: &str = "acp-1.1";

type Sets = &'static [(&'static str, &'static str)];

const SETS: Sets = &[
    ("1.0", include_str!("../requirements/1.0.toml")),
    (DEFAULT_SET, include_str!("../requirements/1.1.toml")),
];
const ACP_SETS: Sets = &[
    ("acp-1", include_str!("../requirements/acp-1.toml")),
    (DEFAULT_ACP_SET, include_str!("../requirements/acp-1.1.toml")),
];

/// How many bytes of the digest are kept: enough to exclude accidental matches.
const FINGERPRINT_BYTES: usize = 8;

/// A requirement set.
#[derive(Debug, Clone)]
pub struct Requirements {
    name: String,
    /// `None` contains every check.
    frozen: Option<BTreeMap<String, Frozen>>,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Frozen {
    level: Level,
    sentence: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct SetFile {
    checks: BTreeMap<String, Frozen>,
}

/// Why a set cannot be loaded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RequirementsError {
    /// No set has this name.
    #[error("unknown requirement set {name:?}; available: {}", known.join(", "))]
    Unknown {
        /// The requested name.
        name: String,
        /// The existing names.
        known: Vec<&'static str>,
    },
    /// A built-in set cannot be parsed.
    #[error("the requirement set {name} cannot be read: {message}")]
    Broken {
        /// The set.
        name: String,
        /// The parser's message.
        message: String,
    },
}

impl Requirements {
    /// Loads a set for adapters by its name.
    ///
    /// # Errors
    /// When no set has this name.
    pub fn named(name: &str) -> Result<Self, RequirementsError> {
        Self::named_in(SETS, name)
    }

    /// Loads a set for ACP agents by its name.
    ///
    /// # Errors
    /// When no set has this name.
    pub fn for_agents(name: &str) -> Result<Self, RequirementsError> {
        Self::named_in(ACP_SETS, name)
    }

    fn named_in(sets: Sets, name: &str) -> Result<Self, RequirementsError> {
        if name == LATEST {
            return Ok(Self::latest());
        }
        let (_, text) = sets.iter().find(|(known, _)| *known == name).ok_or_else(|| {
            let known = sets.iter().map(|(known, _)| *known).chain([LATEST]).collect();
            RequirementsError::Unknown { name: name.to_owned(), known }
        })?;
        Self::parse(name, text)
    }

    /// Returns the set that contains every check.
    pub fn latest() -> Self {
        Self { name: LATEST.to_owned(), frozen: None }
    }

    /// Returns its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether a check decides about conformance.
    pub fn counts(&self, id: &str) -> bool {
        self.frozen.as_ref().is_none_or(|frozen| frozen.contains_key(id))
    }

    /// Returns the checks with the levels of this set: a later set may have another level.
    pub fn with_levels(&self, mut checks: Vec<Check>) -> Vec<Check> {
        let frozen = self.frozen.as_ref();
        for check in &mut checks {
            if let Some(entry) = frozen.and_then(|frozen| frozen.get(check.id)) {
                check.level = entry.level;
            }
        }
        checks
    }

    /// Returns the differences between the current checks and the frozen ones. An id is never
    /// reused: a requirement with a new meaning gets a new id.
    pub fn mismatches(&self, checks: &[Check]) -> Vec<String> {
        let frozen = self.frozen.iter().flatten();
        frozen.filter_map(|(id, frozen)| self.difference(id, frozen, checks)).collect()
    }

    fn difference(&self, id: &str, frozen: &Frozen, checks: &[Check]) -> Option<String> {
        let set = &self.name;
        let Some(check) = checks.iter().find(|check| check.id == id) else {
            return Some(format!("{id} is missing, but requirement set {set} contains it"));
        };
        if check.level != frozen.level {
            let (now, then) = (check.level.as_str(), frozen.level.as_str());
            return Some(format!("{id} has level {now}, but {then} in requirement set {set}"));
        }
        let is_same = fingerprint(check.requirement) == frozen.sentence;
        (!is_same).then(|| format!("the requirement of {id} differs from requirement set {set}"))
    }

    fn parse(name: &str, text: &str) -> Result<Self, RequirementsError> {
        let file: SetFile = toml::from_str(text).map_err(|error| RequirementsError::Broken {
            name: name.to_owned(),
            message: error.message().to_owned(),
        })?;
        Ok(Self { name: name.to_owned(), frozen: Some(file.checks) })
    }
}

/// Returns the fingerprint of a requirement.
pub fn fingerprint(sentence: &str) -> String {
    let digest = Sha256::digest(sentence.as_bytes());
    digest.iter().take(FINGERPRINT_BYTES).map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks;

    fn check_change(change: impl Fn(&mut Vec<Check>), wanted: &str) {
        let mut checks = checks::all();
        change(&mut checks);
        let broken =
            Requirements::named(DEFAULT_SET).expect("the set can be parsed").mismatches(&checks);
        assert_eq!(broken.len(), 1, "{broken:?}");
        assert!(broken[0].contains(wanted), "{broken:?}");
    }

    #[test]
    fn changed_check_breaks_the_set() {
        check_change(
            |checks| checks[0].requirement = "does something else",
            "the requirement of MAN-01",
        );
        check_change(|checks| checks[0].level = Level::Should, "MAN-01 has level should, but must");
        check_change(|checks| checks.retain(|check| check.id != "MAN-01"), "MAN-01 is missing");
    }

    #[test]
    fn later_check_counts_only_with_latest() {
        let frozen = Requirements::named(DEFAULT_SET).expect("the set can be parsed");
        assert!(frozen.counts("MAN-01"));
        assert!(!frozen.counts("NEW-01"));
        assert!(Requirements::latest().counts("NEW-01"));
    }

    #[test]
    fn unknown_set_error_lists_names() {
        let error = Requirements::named("0.9").expect_err("the set does not exist");
        assert!(error.to_string().contains("available: 1.0, 1.1, latest"), "{error}");
    }
}
