//! Reports of one judgement: text while it runs, JSON, JUnit and TAP for machines, a page for people
//! who were not there.

mod excerpt;
mod html;
mod json;
mod junit;
mod tap;
mod text;

use std::path::{Path, PathBuf};
use std::time::Duration;

pub use html::to_html;
pub use json::to_json;
pub use junit::to_junit;
pub use tap::to_tap;
pub use text::{print_result, print_summary};

use crate::case::Tier;
use crate::chapters::DRIFT_CHAPTER;
use crate::judge::{CheckResult, Status};
use crate::real::RealFacts;
use crate::requirements::{DEFAULT_ACP_SET, DEFAULT_SET};
use crate::verdict::Finding;

/// What is judged when it is no adapter: an agent that speaks the Agent Client Protocol.
#[derive(Debug, Clone)]
pub struct AgentSubject {
    /// Its command line, the program first.
    pub command: Vec<String>,
    /// The switches that describe it, as they are typed.
    pub switches: Vec<String>,
    /// Whether it was driven against the fake model.
    pub has_model: bool,
}

/// One judgement of one plugin.
pub struct Report {
    /// The plugin.
    pub plugin: PathBuf,
    /// Its id.
    pub adapter_id: String,
    /// Its version, when the manifest says it.
    pub adapter_version: String,
    /// The pack; `None` means that only the protocol was judged.
    pub pack: Option<PathBuf>,
    /// How much time was taken.
    pub tier: Tier,
    /// The name of the requirement set.
    pub requirements: String,
    /// The baseline file, when there is one.
    pub baseline: Option<PathBuf>,
    /// What repeats the judgement.
    pub seed: u64,
    /// What was played with the real agent CLI; `None` when the suite played it.
    pub real: Option<RealFacts>,
    /// The agent, when it is no adapter that is judged.
    pub agent: Option<AgentSubject>,
    /// What became of each check.
    pub results: Vec<CheckResult>,
    /// Known failures that name no check; they count as failures.
    pub stale_entries: Vec<String>,
    /// How long it took.
    pub took: Duration,
}

impl Report {
    /// What the judgement says about the adapter, in a few words.
    pub fn claim(&self) -> &'static str {
        match (&self.real, self.gap()) {
            (Some(_), _) => "real",
            (None, None) => "full",
            (None, Some(_)) => "protocol-only",
        }
    }

    /// Why only the protocol was judged; `None` when more was.
    pub fn gap(&self) -> Option<&'static str> {
        match (&self.agent, &self.real, &self.pack) {
            (Some(agent), _, _) if agent.has_model => None,
            (Some(_), _, _) => Some("nothing says how the agent reaches the fake model"),
            (None, Some(_), _) | (None, _, Some(_)) => None,
            (None, None, None) => Some("there is no fixture pack"),
        }
    }

    /// How many checks have a status.
    pub fn count(&self, status: Status) -> usize {
        self.results.iter().filter(|result| result.status == status).count()
    }

    /// Whether the adapter conforms.
    pub fn is_conformant(&self) -> bool {
        let has_failure = self.results.iter().any(|result| result.status.is_failure());
        !has_failure && self.stale_entries.is_empty()
    }

    /// The chapters that were judged, in their order.
    pub fn chapters(&self) -> Vec<&'static str> {
        let mut chapters: Vec<&str> = Vec::new();
        for result in &self.results {
            if !chapters.contains(&result.check.chapter()) {
                chapters.push(result.check.chapter());
            }
        }
        chapters
    }

    /// Whether the suite itself went wrong.
    pub fn has_suite_error(&self) -> bool {
        self.count(Status::SuiteError) > 0
    }

    /// What to type to repeat one check. A rule over every line is repeated together with the
    /// check that made the adapter break it.
    pub fn rerun(&self, result: &CheckResult) -> String {
        let plugin = typed(&self.plugin);
        let pack = self.pack.as_ref().map(|pack| format!(" --pack {}", typed(pack)));
        let pack = pack.unwrap_or_default();
        let during = match &result.finding {
            Some(Finding::Fail(failure)) => failure.during.as_ref(),
            _ => None,
        };
        if let Some(real) = &self.real {
            let cli = typed(&real.cli);
            if result.check.chapter() == DRIFT_CHAPTER {
                return format!("conformance drift {plugin}{pack} --cli {cli}");
            }
            let scenario = during.map_or(result.check.id, String::as_str);
            let seed = self.seed;
            return format!(
                "conformance run {plugin}{pack} --real --cli {cli} --only {scenario} --seed {seed}"
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
            None => format!("conformance run {plugin}{pack} {ending}"),
        }
    }

    /// The switches without which the same run would get another status.
    fn terms(&self, result: &CheckResult) -> String {
        let usual = if self.agent.is_some() { DEFAULT_ACP_SET } else { DEFAULT_SET };
        let set = Some(&self.requirements).filter(|set| *set != usual);
        let set = set.map(|set| format!(" --requirements {set}")).unwrap_or_default();
        let is_listed = matches!(result.status, Status::KnownFailure | Status::Stale);
        let baseline = self.baseline.as_ref().filter(|_| is_listed);
        let baseline = baseline.map(|file| format!(" --baseline {}", typed(file)));
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

/// A path as one types it into a shell.
fn typed(path: &Path) -> String {
    quoted(&path.to_string_lossy())
}

/// A word as one types it into a shell.
fn quoted(text: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+:\\".contains(c);
    let is_word = !text.is_empty() && text.chars().all(is_plain);
    if is_word { text.to_owned() } else { format!("'{}'", text.replace('\'', r"'\''")) }
}
