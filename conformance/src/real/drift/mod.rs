//! Compares the real agent CLI with the recordings of its pack: kinds of lines, their members,
//! flags, versions. `shapes` reads lines, `flags` reads help texts.

mod flags;
mod shapes;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

pub(super) use flags::flags_of;
pub use flags::{FLAGS_FILE, flags_in};
pub use shapes::{Recordings, Shapes, recordings};

/// Added and removed names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Change {
    /// Present now, absent before.
    pub new: BTreeSet<String>,
    /// Present before, absent now.
    pub vanished: BTreeSet<String>,
}

impl Change {
    /// Whether nothing changed.
    pub fn is_empty(&self) -> bool {
        self.new.is_empty() && self.vanished.is_empty()
    }

    fn to_json(&self) -> Value {
        json!({ "new": self.new, "vanished": self.vanished })
    }
}

/// The sets of flags to compare.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FlagFacts {
    /// Those in the help now.
    pub shown: BTreeSet<String>,
    /// The recorded ones; `None` without a file of flags.
    pub kept: Option<BTreeSet<String>>,
    /// Those that the pack lists as hidden.
    pub hidden: BTreeSet<String>,
    /// Those that the adapter passes.
    pub passed: BTreeSet<String>,
}

impl FlagFacts {
    /// What changed since the recording; `None` without a file of flags.
    pub fn change(&self) -> Option<Change> {
        let kept = self.kept.as_ref()?;
        let is_hidden = |flag: &&String| self.hidden.contains(*flag);
        Some(Change {
            new: self.shown.difference(kept).filter(|flag| !is_hidden(flag)).cloned().collect(),
            vanished: kept.difference(&self.shown).filter(|it| !is_hidden(it)).cloned().collect(),
        })
    }

    /// Those that the adapter passes, but neither help nor pack contains.
    pub fn unknown(&self) -> BTreeSet<String> {
        let unshown = self.passed.difference(&self.shown);
        unshown.filter(|flag| !self.hidden.contains(*flag)).cloned().collect()
    }

    /// Those that the pack lists as hidden, but the help contains.
    pub fn no_longer_hidden(&self) -> BTreeSet<String> {
        self.hidden.intersection(&self.shown).cloned().collect()
    }
}

/// Found, tested and minimum version.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct VersionFacts {
    /// The version text of the agent CLI.
    pub found: String,
    /// The tested version of the manifest.
    pub tested: Option<String>,
    /// The minimum version of the manifest.
    pub minimum: Option<String>,
}

impl VersionFacts {
    /// Whether the agent CLI has the tested version; `None` when the manifest has none.
    pub fn is_tested(&self) -> Option<bool> {
        let tested = self.tested.as_ref()?;
        Some(words(&self.found).any(|word| word == tested))
    }

    /// Whether the agent CLI is new enough; `None` when unknown.
    pub fn meets_minimum(&self) -> Option<bool> {
        let minimum = numbers(self.minimum.as_deref()?)?;
        let found = words(&self.found).find_map(numbers)?;
        Some(found >= minimum)
    }
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '+');
    // A version may end a sentence.
    text.split(move |c| !is_word(c)).map(|word| word.trim_start_matches('v').trim_end_matches('.'))
}

/// The numbers of a version; `None` when the text is not a version.
fn numbers(version: &str) -> Option<Vec<u64>> {
    let plain = version.split(['-', '+']).next()?;
    let numbers: Option<Vec<u64>> = plain.split('.').map(|part| part.parse().ok()).collect();
    numbers.filter(|numbers| numbers.len() > 1)
}

/// All differences from the recordings of the pack.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Drift {
    /// The versions.
    pub version: VersionFacts,
    /// Kinds of lines; `None` when the pack has no recordings.
    pub kinds: Option<Change>,
    /// Members of lines, as `kind/member`; `None` when the pack has no recordings.
    pub members: Option<Change>,
    /// Messages that the adapter did not map, with their count.
    pub unmapped: BTreeMap<String, u64>,
    /// The flags; `None` when they were not compared.
    pub flags: Option<FlagFacts>,
}

impl Drift {
    /// Compares the output per scenario with the recordings.
    pub fn compare_lines(&mut self, output: &Recordings, recordings: &Recordings) {
        let (known, all) = (union(recordings.values()), union(output.values()));
        let of_same = union(output.keys().filter_map(|name| recordings.get(name)));
        self.kinds = Some(Change {
            new: all.0.keys().filter(|kind| !known.0.contains_key(*kind)).cloned().collect(),
            vanished: of_same.0.keys().filter(|kind| !all.0.contains_key(*kind)).cloned().collect(),
        });
        let mut members = Change::default();
        for (kind, shape) in &all.0 {
            let Some(before) = known.0.get(kind) else { continue };
            let named = |member: &String| format!("{kind} {member}");
            let new = shape.optional.difference(&before.optional).collect();
            members.new.extend(outermost(&new).map(named));
            let vanished = before.common.difference(&shape.optional).collect();
            members.vanished.extend(outermost(&vanished).map(named));
        }
        self.members = Some(members);
    }

    /// Whether nothing differs. Another version with the same behaviour is not drift.
    pub fn is_none(&self) -> bool {
        let changes =
            [&self.kinds, &self.members, &self.flags.as_ref().and_then(FlagFacts::change)];
        let unknown = self.flags.as_ref().map(FlagFacts::unknown).unwrap_or_default();
        changes.into_iter().flatten().all(Change::is_empty)
            && unknown.is_empty()
            && self.unmapped.is_empty()
            && self.version.meets_minimum() != Some(false)
    }

    /// As JSON.
    pub fn to_json(&self) -> Value {
        let version = &self.version;
        json!({
            "drift": !self.is_none(),
            "version": {
                "found": version.found,
                "tested": version.tested,
                "isTested": version.is_tested(),
                "minimum": version.minimum,
                "meetsMinimum": version.meets_minimum(),
            },
            "kinds": self.kinds.as_ref().map(Change::to_json),
            "members": self.members.as_ref().map(Change::to_json),
            "unmapped": self.unmapped,
            "flags": self.flags.as_ref().map(|flags| json!({
                "change": flags.change().as_ref().map(Change::to_json),
                "unknown": flags.unknown(),
                "noLongerHidden": flags.no_longer_hidden(),
            })),
        })
    }
}

/// Removes members of members: what is in a new object is new with it.
fn outermost<'a>(members: &'a BTreeSet<&'a String>) -> impl Iterator<Item = &'a String> {
    let is_inside = |member: &str| {
        let ends = member.match_indices('/').map(|(end, _)| member[..end].to_owned());
        ends.into_iter().any(|outer| members.contains(&outer))
    };
    members.iter().copied().filter(move |member| !is_inside(member))
}

fn union<'a>(all: impl Iterator<Item = &'a Shapes>) -> Shapes {
    let mut sum = Shapes::default();
    all.for_each(|shapes| sum.extend(shapes));
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(name: &str, text: &str) -> (String, Shapes) {
        (name.to_owned(), Shapes::read(text))
    }

    fn set(names: &[&str]) -> BTreeSet<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn new_and_vanished_lines_are_reported() {
        let init = r#"{"type":"system","subtype":"init","old":1}"#;
        let other = r#"{"type":"stream_event","event":{"type":"message_start"}}"#;
        let recorded = Recordings::from([
            one("plain", &format!("{init}\n{other}\nno json\n")),
            one("other", r#"{"type":"elsewhere"}"#),
        ]);
        let now = r#"{"type":"system","subtype":"init","young":{"inner":1}}"#;
        let output = Recordings::from([one("plain", &format!("{now}\n{}", r#"{"type":"fresh"}"#))]);
        let mut drift = Drift::default();
        drift.compare_lines(&output, &recorded);
        let kinds = Change { new: set(&["fresh"]), vanished: set(&["stream_event/message_start"]) };
        assert_eq!(drift.kinds, Some(kinds));
        let members =
            Change { new: set(&["system/init /young"]), vanished: set(&["system/init /old"]) };
        assert_eq!(drift.members, Some(members));
        assert!(!drift.is_none());
        drift.compare_lines(&recorded, &recorded);
        assert!(drift.is_none(), "{drift:?}");
    }

    #[test]
    fn flags_are_new_vanished_hidden_or_unknown() {
        let facts = FlagFacts {
            shown: set(&["--model", "--fresh", "--open"]),
            kept: Some(set(&["--model", "--gone", "--secret"])),
            hidden: set(&["--secret", "--open"]),
            passed: set(&["--model", "--secret", "--invented"]),
        };
        let change = Change { new: set(&["--fresh"]), vanished: set(&["--gone"]) };
        assert_eq!(facts.change(), Some(change));
        assert_eq!(facts.unknown(), set(&["--invented"]));
        assert_eq!(facts.no_longer_hidden(), set(&["--open"]));
        assert_eq!(FlagFacts::default().change(), None);
    }

    #[test]
    fn versions_are_compared_by_their_numbers() {
        let facts = |found: &str| VersionFacts {
            found: found.to_owned(),
            tested: Some("2.1.10".to_owned()),
            minimum: Some("2.1.9".to_owned()),
        };
        let same = facts("v2.1.10 (Parrot)");
        assert_eq!((same.is_tested(), same.meets_minimum()), (Some(true), Some(true)));
        let old = facts("parrot 2.1.8");
        assert_eq!((old.is_tested(), old.meets_minimum()), (Some(false), Some(false)));
        assert_eq!(facts("unreleased").meets_minimum(), None);
    }
}
