//! What differs between the CLIs of the family: values only.

use std::path::PathBuf;

use od_sdk::probe::version::CliVersion;
use od_sdk::{Install, Machine};

/// The mode in which the CLI runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Commands on stdin: accepts input, an abort and answers during a run.
    Rpc,
    /// The prompt on stdin, then events until the process ends.
    Json,
}

/// How a CLI asks for approval of a tool: by two choices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ApprovalChoices {
    /// The choice that allows.
    pub allow: &'static str,
    /// The choice that denies.
    pub deny: &'static str,
    /// The text of the title before the name of the tool.
    pub title: &'static str,
}

/// One CLI of the family.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dialect {
    /// The adapter's id; also the prefix of its own error kinds.
    pub id: &'static str,
    /// How to log in.
    pub login_hint: &'static str,
    /// The command that installs the tested version.
    pub install_command: &'static str,
    /// The variable that moves the settings folder.
    pub config_dir_variable: &'static str,
    /// The settings folder below the home folder.
    pub config_dir: &'static str,
    /// Flags of every run.
    pub fixed_args: &'static [&'static str],
    /// Further arguments of `--mode json`.
    pub json_args: &'static [&'static str],
    /// Variables that disable update checks.
    pub quiet_env: &'static [(&'static str, &'static str)],
    /// The flag that resumes a session.
    pub resume_flag: &'static str,
    /// The flag that names a new session, and the first version that has it.
    pub session_id_flag: Option<(&'static str, &'static str)>,
    /// The flag that adds a skill.
    pub skill_flag: Option<&'static str>,
    /// The flag that adds a folder.
    pub add_dir_flag: Option<&'static str>,
    /// The flag that denies tools, and the first version that has it; without one the CLI has no tool
    /// lists.
    pub deny_tools_flag: Option<(&'static str, &'static str)>,
    /// The flag that sets the permission mode.
    pub permission_flag: Option<&'static str>,
    /// The first version that reports `agent_settled`; older ones run with `--mode json`.
    pub rpc_since: Option<&'static str>,
    /// The first version with the level `max`; before it `xhigh` is the highest.
    pub max_since: Option<&'static str>,
    /// Whether the CLI also retries without reporting it. Output must then follow a rate limit soon.
    pub hides_retries: bool,
    /// The command that sends a prompt without interpreting commands of the CLI in it.
    pub literal_prompt: Option<&'static str>,
    /// How it asks for approval of a tool, if it does.
    pub approval_choices: Option<ApprovalChoices>,
}

impl Dialect {
    /// The flags of every run that this version supports; a run works without them.
    pub fn fixed_args(&self, install: &Install) -> impl Iterator<Item = &'static str> {
        self.fixed_args.iter().copied().filter(|flag| install.may_have(flag))
    }

    /// The settings folder, whether it exists or not.
    pub fn config_dir(&self, machine: &Machine) -> PathBuf {
        machine.dir(self.config_dir_variable, self.config_dir)
    }

    /// The default mode of this version.
    pub fn mode(&self, install: &Install) -> Mode {
        match is_at_least(install, self.rpc_since) {
            true => Mode::Rpc,
            false => Mode::Json,
        }
    }
}

/// Whether this version has a flag: its help lists it, or it is new enough. Some flags are not in the
/// help.
pub(super) fn has_flag(install: &Install, flag: &str, since: &str) -> bool {
    let is_named = install.flags.as_ref().is_some_and(|flags| flags.contains(flag));
    is_named || is_at_least(install, Some(since))
}

/// An unknown version counts as a current one.
pub(super) fn is_at_least(install: &Install, since: Option<&str>) -> bool {
    let version = install.version.as_deref().and_then(CliVersion::parse);
    match (version, since.and_then(CliVersion::parse)) {
        (Some(version), Some(since)) => version >= since,
        _ => true,
    }
}
