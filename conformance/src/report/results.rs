//! The results of one suite run, from which every report is made.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::chapters::DRIFT_CHAPTER;
use super::coverage::Coverage;
use crate::check::{CheckResult, Status, Tier};
use crate::outcome::Finding;
use crate::real::RealFacts;
use crate::requirements::{DEFAULT_ACP_SET, DEFAULT_SET};

/// The subject if it is not an adapter: an agent that implements the Agent Client Protocol.
#[derive(Debug, Clone)]
pub struct AgentSubject {
    /// Its command line, program first.
    pub command: Vec<String>,
    /// The options that describe it, as typed.
    pub switches: Vec<String>,
    /// Whether it used the fake model.
    pub has_model: bool,
}

/// The results of one suite run.
pub struct Report {
    /// The adapter.
    pub adapter: PathBuf,
    /// Its id.
    pub adapter_id: String,
    /// Its version, if the manifest contains it.
    pub adapter_version: String,
    /// The pack; `None` if only the protocol was checked.
    pub pack: Option<PathBuf>,
    /// The tier.
    pub tier: Tier,
    /// The name of the requirement set.
    pub requirements: String,
    /// The baseline file, if any.
    pub baseline: Option<PathBuf>,
    /// The seed that reproduces the run.
    pub seed: u64,
    /// The facts about the real agent CLI; `None` if the fake CLI was used.
    pub real: Option<RealFacts>,
    /// The agent, if the subject is not an adapter.
    pub agent: Option<AgentSubject>,
    /// What was not evaluated.
    pub coverage: Coverage,
    /// The results of the checks.
    pub results: Vec<CheckResult>,
    /// Known failures that name no check; they count as failures.
    pub stale_entries: Vec<String>,
    /// How long it took.
    pub took: Duration,
}

impl Report {
    /// Returns the level of the run: what a conformant result means.
    pub fn claim(&self) -> &'static str {
        match (&self.real, self.gap()) {
            (Some(_), _) => "real",
            (None, Some(_)) => "protocol-only",
            (None, None) if self.coverage.is_partial => "selected checks",
            (None, None) if !self.coverage.not_evaluated.is_empty() => "core",
            (None, None) => "full",
        }
    }

    /// Returns the conclusion with its level, for example `conforms (core, 1.1)`.
    pub fn conclusion(&self) -> String {
        let conformance = if self.is_conformant() { "conforms" } else { "does not conform" };
        let level = match self.gap() {
            Some(gap) => format!("protocol-only: {gap}"),
            None => self.claim().to_owned(),
        };
        format!("{conformance} ({level}, requirement set {})", self.requirements)
    }

    /// Returns why only the protocol was checked; `None` if more was.
    pub fn gap(&self) -> Option<&'static str> {
        match (&self.agent, &self.real, &self.pack) {
            (Some(agent), _, _) if agent.has_model => None,
            (Some(_), _, _) => Some("no option defines how the agent reaches the fake model"),
            (None, Some(_), _) | (None, _, Some(_)) => None,
            (None, None, None) => Some("no fixture pack was found"),
        }
    }

    /// Counts the checks with a status.
    pub fn count(&self, status: Status) -> usize {
        self.results.iter().filter(|result| result.status == status).count()
    }

    /// Whether the adapter conforms.
    pub fn is_conformant(&self) -> bool {
        let has_failure = self.results.iter().any(|result| result.status.is_failure());
        !has_failure && self.stale_entries.is_empty()
    }

    /// Returns the chapters in their order.
    pub fn chapters(&self) -> Vec<&'static str> {
        let mut chapters: Vec<&str> = Vec::new();
        for result in &self.results {
            if !chapters.contains(&result.check.chapter()) {
                chapters.push(result.check.chapter());
            }
        }
        chapters
    }

    /// Whether the suite itself failed.
    pub fn has_suite_error(&self) -> bool {
        self.count(Status::SuiteError) > 0
    }

    /// Returns the command that repeats one check. An invariant is repeated together with the check
    /// during which it was violated.
    pub fn rerun(&self, result: &CheckResult) -> String {
        let adapter = quoted_path(&self.adapter);
        let pack = self.pack.as_ref().map(|pack| format!(" --pack {}", quoted_path(pack)));
        let pack = pack.unwrap_or_default();
        let during = match &result.finding {
            Some(Finding::Fail(failure)) => failure.during.as_ref(),
            _ => None,
        };
        if let Some(real) = &self.real {
            let cli = quoted_path(&real.cli);
            if result.check.chapter() == DRIFT_CHAPTER {
                return format!("conformance drift {adapter}{pack} --cli {cli}");
            }
            let scenario = during.map_or(result.check.id, String::as_str);
            let seed = self.seed;
            return format!(
                "conformance run {adapter}{pack} --real --cli {cli} --only {scenario} --seed {seed}"
            );
        }
        let is_other = |id: &&String| {
            **id != result.check.id && self.results.iter().any(|other| other.check.id == **id)
        };
        let during = during.filter(is_other).map(|id| format!(" --only {id}"));
        let tier = match self.tier {
            Tier::Fast => String::new(),
            other => format!(" --tier {}", other.as_str()),
        };
        let terms = self.terms(result);
        let only = format!("--only {}{}", result.check.id, during.unwrap_or_default());
        let ending = format!("{only}{tier}{terms} --seed {}", self.seed);
        match &self.agent {
            Some(agent) => agent.rerun(&ending),
            None => format!("conformance run {adapter}{pack} {ending}"),
        }
    }

    /// Returns the options without which the same run would have another status.
    fn terms(&self, result: &CheckResult) -> String {
        let usual = if self.agent.is_some() { DEFAULT_ACP_SET } else { DEFAULT_SET };
        let set = Some(&self.requirements).filter(|set| *set != usual);
        let set = set.map(|set| format!(" --requirements {set}")).unwrap_or_default();
        let is_listed = matches!(result.status, Status::KnownFailure | Status::Stale);
        let baseline = self.baseline.as_ref().filter(|_| is_listed);
        let baseline = baseline.map(|file| format!(" --baseline {}", quoted_path(file)));
        format!("{set}{}", baseline.unwrap_or_default())
    }
}

impl AgentSubject {
    fn rerun(&self, ending: &str) -> String {
        let quoted = |words: &[String]| words.iter().map(|word| quoted(word)).collect::<Vec<_>>();
        let switches: String =
            quoted(&self.switches).iter().map(|switch| format!("{switch} ")).collect();
        let command = quoted(&self.command).join(" ");
        format!("conformance run --profile acp-agent {switches}{ending} -- {command}")
    }
}

/// Quotes a path for a shell.
fn quoted_path(path: &Path) -> String {
    quoted(&path.to_string_lossy())
}

/// Quotes a word for a shell.
fn quoted(text: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+:\\".contains(c);
    let is_plain_word = !text.is_empty() && text.chars().all(is_plain);
    if is_plain_word { text.to_owned() } else { format!("'{}'", text.replace('\'', r"'\''")) }
}
