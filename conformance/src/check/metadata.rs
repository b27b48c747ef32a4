//! The metadata of a check: its requirement, its level, and when it applies.

use serde::Deserialize;

/// How binding a requirement is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// A violation is a failure.
    Must,
    /// A violation is a warning, and a failure with `--strict`.
    Should,
    /// Good practice that the specification does not demand. A violation is advice and never a
    /// failure, not even with `--strict`.
    Practice,
}

impl Level {
    /// The name in reports.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Must => "must",
            Self::Should => "should",
            Self::Practice => "practice",
        }
    }
}

/// How much time checks take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tier {
    /// Sizes and repetitions that are just enough to catch the suite's own mutants.
    Brief,
    /// All checks together take less than a minute.
    Fast,
    /// All checks together take less than five minutes.
    Full,
    /// A soak test: the same checks with many more repetitions, for nightly runs and releases.
    Slow,
}

impl Tier {
    /// The name in reports and on the command line.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Brief => "brief",
            Self::Fast => "fast",
            Self::Full => "full",
            Self::Slow => "slow",
        }
    }
}

/// When a check applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Gate {
    /// Only if the adapter starts an agent CLI, which the fake CLI can replace.
    pub cli: bool,
    /// Only if the adapter declares this capability (a dotted path reaches into its details, for
    /// example `usage.cost`).
    pub capability: Option<&'static str>,
    /// Only with this scenario of the fixture pack.
    pub scenario: Option<&'static str>,
    /// Only if the agent can use the fake model.
    pub model: bool,
}

impl Gate {
    /// Always.
    pub const NONE: Self = Self { cli: false, capability: None, scenario: None, model: false };

    /// Only with the fake model.
    pub const MODEL: Self = Self { model: true, ..Self::NONE };

    /// Only with this capability.
    pub const fn capability(name: &'static str) -> Self {
        Self { capability: Some(name), ..Self::NONE }
    }

    /// Only with this scenario.
    pub const fn scenario(name: &'static str) -> Self {
        Self { scenario: Some(name), ..Self::NONE }
    }

    /// Only with this scenario and with the fake CLI.
    pub const fn cli_scenario(name: &'static str) -> Self {
        Self { cli: true, ..Self::scenario(name) }
    }

    /// Adds a capability.
    #[must_use]
    pub const fn with_capability(self, name: &'static str) -> Self {
        Self { capability: Some(name), ..self }
    }
}

/// How the outcome of a check is obtained.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A function exercises the adapter or agent and inspects the result.
    Active,
    /// A rule that is verified on every line received during any check.
    Invariant,
    /// Computed outside the runner; only the outcome is reported here.
    External,
}

/// The sentence of a specification that a check verifies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Citation {
    /// The title of the chapter or page.
    pub chapter: &'static str,
    /// The sentence, verbatim except for markup.
    pub sentence: &'static str,
}

/// The chapter of the scenarios that run with the real agent CLI.
pub const REAL_CHAPTER: &str = "REAL";

/// One check of the suite.
#[derive(Debug, Clone, Copy)]
pub struct Check {
    /// For example `MAN-01`; an id is never reused for another check.
    pub id: &'static str,
    /// How binding it is.
    pub level: Level,
    /// The requirement, as a sentence about the adapter.
    pub requirement: &'static str,
    /// Why it matters to users of an adapter.
    pub why: &'static str,
    /// When it applies.
    pub gate: Gate,
    /// The tier from which on it runs.
    pub tier: Tier,
    /// How its outcome is obtained.
    pub kind: Kind,
    /// The sentence of the specification that it verifies, if it is recorded.
    pub citation: Option<Citation>,
}

impl Check {
    /// Returns the letters before the number; an id without a number is a scenario of the real
    /// agent CLI.
    pub fn chapter(&self) -> &'static str {
        self.id.rsplit_once('-').map_or(REAL_CHAPTER, |(chapter, _)| chapter)
    }

    /// Returns what the check is based on, for reports: the cited sentence, or that the
    /// specification does not demand it.
    pub fn basis(&self) -> Option<String> {
        let specification = if self.id.starts_with("ACP-") { "ACP" } else { "the protocol" };
        match (self.citation, self.level) {
            (Some(Citation { chapter, sentence }), _) => {
                Some(format!("{specification}, {chapter}: \"{sentence}\""))
            }
            (None, Level::Practice) => {
                Some(format!("good practice; {specification} does not demand it"))
            }
            (None, Level::Must | Level::Should) => None,
        }
    }
}
