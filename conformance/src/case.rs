//! What a check is: its id, the sentence it proves, when it applies. The checks themselves live in
//! `cases/`, one file per chapter.

use crate::acp::AgentBench;
use crate::bench::Bench;
use crate::verdict::Verdict;

/// How binding a requirement is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// Not meeting it is a failure.
    Must,
    /// Not meeting it is a warning, and a failure with `--strict`.
    Should,
}

impl Level {
    /// The word in reports.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Must => "must",
            Self::Should => "should",
        }
    }
}

/// How patient one must be to run a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tier {
    /// Sizes and repetitions that are just enough to catch the suite's own mutants.
    Brief,
    /// All of these together take less than a minute.
    Fast,
    /// All of these together take less than five.
    Full,
    /// A soak: the same checks, much longer, to be run over night or before a release.
    Slow,
}

impl Tier {
    /// The word in reports and on the command line.
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
    /// Only when the adapter drives a process, so that the stand-in can take its place.
    pub cli: bool,
    /// Only when the adapter declares this capability (a dotted path reaches into its details,
    /// such as `usage.cost`).
    pub capability: Option<&'static str>,
    /// Only with this scenario of the fixture pack.
    pub scenario: Option<&'static str>,
    /// Only when the agent can be pointed at the fake model.
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

    /// Only with this scenario, and it needs the stand-in agent CLI.
    pub const fn cli_scenario(name: &'static str) -> Self {
        Self { cli: true, ..Self::scenario(name) }
    }

    /// Adds a capability.
    #[must_use]
    pub const fn with_capability(self, name: &'static str) -> Self {
        Self { capability: Some(name), ..self }
    }
}

/// How a check is made.
#[derive(Clone, Copy)]
pub enum Body {
    /// It does something with the plugin and looks at what comes of it.
    Active(fn(&mut Bench) -> Verdict),
    /// The same with an agent that speaks the Agent Client Protocol, without any adapter.
    Agent(fn(&mut AgentBench) -> Verdict),
    /// It is a rule that `invariants.rs` watches over every line any check receives.
    Invariant,
    /// It is made elsewhere, and only its verdict comes here.
    Elsewhere,
}

/// The chapter of the scenarios that are played with the real agent CLI.
pub const REAL_CHAPTER: &str = "REAL";

/// One check of the suite.
#[derive(Clone, Copy)]
pub struct Check {
    /// Such as `MAN-01`; never used twice, never given to another check.
    pub id: &'static str,
    /// How binding it is.
    pub level: Level,
    /// The requirement, as a sentence about the adapter.
    pub sentence: &'static str,
    /// Why it matters to the people who use an adapter.
    pub why: &'static str,
    /// When it applies.
    pub gate: Gate,
    /// How long it takes.
    pub tier: Tier,
    /// How it is made.
    pub body: Body,
}

/// A check that must hold, belongs to the fast tier and does something itself: the usual kind.
pub const fn active(
    id: &'static str,
    sentence: &'static str,
    why: &'static str,
    gate: Gate,
    body: fn(&mut Bench) -> Verdict,
) -> Check {
    let body = Body::Active(body);
    Check { id, level: Level::Must, sentence, why, gate, tier: Tier::Fast, body }
}

impl Check {
    /// The letters before the number; what has none is a scenario of the real agent CLI.
    pub fn chapter(&self) -> &'static str {
        self.id.rsplit_once('-').map_or(REAL_CHAPTER, |(chapter, _)| chapter)
    }
}
