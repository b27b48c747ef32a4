//! Reports of one judgement: text while it runs, JSON and JUnit for machines.

mod json;
mod junit;
mod text;

use std::path::{Path, PathBuf};
use std::time::Duration;

pub use json::to_json;
pub use junit::to_junit;
pub use text::{print_result, print_summary};

use crate::case::Tier;
use crate::judge::{CheckResult, Status};
use crate::verdict::Finding;

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
    /// What repeats the judgement.
    pub seed: u64,
    /// What became of each check.
    pub results: Vec<CheckResult>,
    /// How long it took.
    pub took: Duration,
}

impl Report {
    /// What the judgement says about the adapter, in a few words.
    pub fn claim(&self) -> &'static str {
        if self.pack.is_some() { "full" } else { "protocol-only" }
    }

    /// How many checks have a status.
    pub fn count(&self, status: Status) -> usize {
        self.results.iter().filter(|result| result.status == status).count()
    }

    /// Whether the adapter conforms.
    pub fn is_conformant(&self) -> bool {
        !self.results.iter().any(|result| result.status.is_failure())
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
        let during = match &result.finding {
            Some(Finding::Fail(failure)) => failure.during.as_ref(),
            _ => None,
        };
        let is_other = |id: &&String| {
            **id != result.check.id && self.results.iter().any(|other| other.check.id == **id)
        };
        let during = during.filter(is_other).map(|id| format!(" --only {id}"));
        let tier = if self.tier == Tier::Full { " --tier full" } else { "" };
        format!(
            "conformance run {plugin}{} --only {}{}{tier} --seed {}",
            pack.unwrap_or_default(),
            result.check.id,
            during.unwrap_or_default(),
            self.seed
        )
    }
}

/// A path as one types it into a shell.
fn typed(path: &Path) -> String {
    let text = path.to_string_lossy().into_owned();
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+:\\".contains(c);
    if text.chars().all(is_plain) { text } else { format!("'{}'", text.replace('\'', r"'\''")) }
}
