//! Frozen requirement sets: which checks count, and what each of them said on the day it was
//! frozen. A check that came later is run and reported, but says nothing about conformance until a
//! newer set has it. What a check does lives in `cases/`.

use std::collections::BTreeMap;

use serde::Deserialize;
use sha2::{Digest, Sha256};

use crate::case::Check;

/// The set that counts when nothing else is asked for.
pub const DEFAULT_SET: &str = "1.0";

/// The name under which every check counts.
pub const LATEST: &str = "latest";

/// The set that counts for agents that speak the Agent Client Protocol.
pub const DEFAULT_ACP_SET: &str = "acp-1";

type Sets = &'static [(&'static str, &'static str)];

const SETS: Sets = &[(DEFAULT_SET, include_str!("../requirements/1.0.toml"))];
const ACP_SETS: Sets = &[(DEFAULT_ACP_SET, include_str!("../requirements/acp-1.toml"))];

/// How many bytes of the digest are kept: enough that no other sentence fits by accident.
const FINGERPRINT_BYTES: usize = 8;

/// A requirement set.
#[derive(Debug, Clone)]
pub struct Requirements {
    name: String,
    /// `None` means that every check counts.
    frozen: Option<BTreeMap<String, Frozen>>,
}

/// One check as it was frozen.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Frozen {
    level: String,
    sentence: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct SetFile {
    checks: BTreeMap<String, Frozen>,
}

/// Why there is no such set.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RequirementsError {
    /// Nothing is called that.
    #[error("there is no requirement set {name:?}; there are: {}", known.join(", "))]
    Unknown {
        /// What was asked for.
        name: String,
        /// What there is.
        known: Vec<&'static str>,
    },
    /// A set of the suite itself cannot be read.
    #[error("the requirement set {name} cannot be read: {message}")]
    Broken {
        /// The set.
        name: String,
        /// What is wrong.
        message: String,
    },
}

impl Requirements {
    /// The set of a name, for adapters.
    ///
    /// # Errors
    /// When there is none.
    pub fn named(name: &str) -> Result<Self, RequirementsError> {
        Self::named_in(SETS, name)
    }

    /// The set of a name, for agents that speak the Agent Client Protocol.
    ///
    /// # Errors
    /// When there is none.
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

    /// The set in which every check counts.
    pub fn latest() -> Self {
        Self { name: LATEST.to_owned(), frozen: None }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether a check says something about conformance.
    pub fn counts(&self, id: &str) -> bool {
        self.frozen.as_ref().is_none_or(|frozen| frozen.contains_key(id))
    }

    /// Where today's checks no longer are what was frozen. An id is never given to another
    /// requirement: what changes its meaning gets a new one.
    pub fn broken_by(&self, checks: &[Check]) -> Vec<String> {
        let frozen = self.frozen.iter().flatten();
        frozen.filter_map(|(id, frozen)| self.difference(id, frozen, checks)).collect()
    }

    fn difference(&self, id: &str, frozen: &Frozen, checks: &[Check]) -> Option<String> {
        let set = &self.name;
        let Some(check) = checks.iter().find(|check| check.id == id) else {
            return Some(format!("{id} is gone, but requirement set {set} has it"));
        };
        if check.level.as_str() != frozen.level {
            let (now, then) = (check.level.as_str(), &frozen.level);
            return Some(format!("{id} is a {now}, but a {then} in requirement set {set}"));
        }
        let is_same = fingerprint(check.sentence) == frozen.sentence;
        (!is_same).then(|| format!("the sentence of {id} is not the one of requirement set {set}"))
    }

    fn parse(name: &str, text: &str) -> Result<Self, RequirementsError> {
        let file: SetFile = toml::from_str(text).map_err(|error| RequirementsError::Broken {
            name: name.to_owned(),
            message: error.message().to_owned(),
        })?;
        Ok(Self { name: name.to_owned(), frozen: Some(file.checks) })
    }
}

/// What tells one sentence from another.
pub fn fingerprint(sentence: &str) -> String {
    let digest = Sha256::digest(sentence.as_bytes());
    digest.iter().take(FINGERPRINT_BYTES).map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::Level;
    use crate::cases;

    fn check_change(change: impl Fn(&mut Vec<Check>), wanted: &str) {
        let mut checks = cases::all();
        change(&mut checks);
        let broken =
            Requirements::named(DEFAULT_SET).expect("the set can be read").broken_by(&checks);
        assert_eq!(broken.len(), 1, "{broken:?}");
        assert!(broken[0].contains(wanted), "{broken:?}");
    }

    #[test]
    fn a_changed_sentence_level_or_lost_id_breaks_the_set() {
        check_change(|checks| checks[0].sentence = "does something else", "the sentence of MAN-01");
        check_change(|checks| checks[0].level = Level::Should, "MAN-01 is a should, but a must");
        check_change(|checks| checks.retain(|check| check.id != "MAN-01"), "MAN-01 is gone");
    }

    #[test]
    fn a_later_check_does_not_count_and_with_latest_it_does() {
        let frozen = Requirements::named(DEFAULT_SET).expect("the set can be read");
        assert!(frozen.counts("MAN-01"));
        assert!(!frozen.counts("NEW-01"));
        assert!(Requirements::latest().counts("NEW-01"));
    }

    #[test]
    fn an_unknown_set_is_refused_with_the_names() {
        let error = Requirements::named("0.9").expect_err("there is none");
        assert!(error.to_string().contains("there are: 1.0, latest"), "{error}");
    }
}
