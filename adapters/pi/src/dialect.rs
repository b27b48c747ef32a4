//! What differs between the CLIs that speak this format: values only.

use std::path::PathBuf;

use od_sdk::probe::version::CliVersion;
use od_sdk::{Install, Machine};

/// How a CLI is spoken to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Commands on stdin: input, an abort and answers reach a run that goes on.
    Rpc,
    /// The prompt on stdin, then events until the process ends.
    Json,
}

/// How a CLI asks whether a tool may run: a choice between two words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ApprovalWords {
    /// The choice that allows.
    pub allow: &'static str,
    /// The choice that denies.
    pub deny: &'static str,
    /// What the title says before the name of the tool.
    pub title: &'static str,
}

/// One CLI of the family.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dialect {
    /// The adapter's id; also the vendor's part of its own error kinds.
    pub id: &'static str,
    /// What a person does to log in.
    pub login_hint: &'static str,
    /// The command that installs the tested version.
    pub install_command: &'static str,
    /// The variable that moves the settings folder.
    pub config_dir_variable: &'static str,
    /// The settings folder below the home folder.
    pub config_dir: &'static str,
    /// Flags that keep a run tidy.
    pub fixed_args: &'static [&'static str],
    /// Arguments that `--mode json` needs besides.
    pub json_args: &'static [&'static str],
    /// Variables that keep a run quiet.
    pub quiet_env: &'static [(&'static str, &'static str)],
    /// The flag that continues a session.
    pub resume_flag: &'static str,
    /// The flag that names a new session, and the first version that has it.
    pub session_id_flag: Option<(&'static str, &'static str)>,
    /// The flag that takes a skill.
    pub skill_flag: Option<&'static str>,
    /// The flag that takes a further folder.
    pub add_dir_flag: Option<&'static str>,
    /// The flag that takes tools away, and the first version that has it; without one there are no
    /// lists of tools.
    pub deny_tools_flag: Option<(&'static str, &'static str)>,
    /// The flag that takes a permission mode.
    pub permission_flag: Option<&'static str>,
    /// The first version whose commands tell when nothing more will come; older ones are read one
    /// way.
    pub rpc_since: Option<&'static str>,
    /// The first version with the level `max`; before it `xhigh` is the highest.
    pub max_since: Option<&'static str>,
    /// Its provider's client tries again by itself, in silence: a rate limit that was told once must
    /// be followed by something soon.
    pub hides_retries: bool,
    /// The command that takes a prompt without looking for commands of the CLI's own in it.
    pub literal_prompt: Option<&'static str>,
    /// How it asks whether a tool may run.
    pub approval_words: Option<ApprovalWords>,
}

impl Dialect {
    /// The arguments that are always there, without those that the help of this install does not
    /// know: they only keep a run tidy, so that it goes on without them.
    pub fn fixed_args(&self, install: &Install) -> impl Iterator<Item = &'static str> {
        self.fixed_args.iter().copied().filter(|flag| install.may_have(flag))
    }

    /// The settings folder, whether it exists or not.
    pub fn config_dir(&self, machine: &Machine) -> PathBuf {
        machine.dir(self.config_dir_variable, self.config_dir)
    }

    /// How this install is spoken to, unless the run says otherwise.
    pub fn mode(&self, install: &Install) -> Mode {
        match is_at_least(install, self.rpc_since) {
            true => Mode::Rpc,
            false => Mode::Json,
        }
    }
}

/// Whether an install has a flag: its help names it, or its version is new enough. Absence from the
/// help alone proves nothing.
pub(super) fn has_flag(install: &Install, flag: &str, since: &str) -> bool {
    let is_named = install.flags.as_ref().is_some_and(|flags| flags.contains(flag));
    is_named || is_at_least(install, Some(since))
}

/// An install whose version nobody knows counts as a current one.
pub(super) fn is_at_least(install: &Install, since: Option<&str>) -> bool {
    let version = install.version.as_deref().and_then(CliVersion::parse);
    match (version, since.and_then(CliVersion::parse)) {
        (Some(version), Some(since)) => version >= since,
        _ => true,
    }
}
