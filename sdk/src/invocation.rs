//! How an agent CLI is started: arguments, variables, the first bytes of stdin.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::Install;

/// One argument; a hidden one is not shown in `run_started.argv`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Argument {
    /// What the agent CLI gets.
    pub text: String,
    /// It carries prompt text or a secret.
    pub hidden: bool,
}

/// An argument or a variable's value that begins so names a file of the run's own folder, see
/// [`Invocation::file`]. The folder's path takes its place when the agent CLI is started.
pub const RUN_FOLDER: &str = "{run-folder}";

/// A file that exists as long as its run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunFile {
    /// Its name in the run's own folder.
    pub name: String,
    /// What it holds.
    pub contents: Vec<u8>,
}

/// What becomes of stdin after the first bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum StdinMode {
    /// It is closed: the agent CLI has all it gets.
    #[default]
    Close,
    /// It stays open: the mapper writes more, and the runner closes it at the end.
    KeepOpen,
}

/// Which process a run is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ProcessUse {
    /// One of its own, which ends by itself after its last word.
    #[default]
    Own,
    /// A server of its own: it is told to end (SIGTERM) after its last word.
    Server,
    /// None: it talks to a server that somebody else has started and will end.
    Attached,
}

/// How an agent CLI is started.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Invocation {
    /// The arguments after the program.
    pub args: Vec<Argument>,
    /// Variables on top of the allowlist and below `run/start.env`.
    pub env: BTreeMap<String, String>,
    /// Further variables of the adapter's environment the agent CLI may see, by name. The
    /// manifest's `auth.env` and `requirements.env` are passed anyway.
    pub pass_env: Vec<String>,
    /// Files for an agent CLI that takes settings or instructions by path only.
    pub files: Vec<RunFile>,
    /// The file of the run's own folder that the agent CLI writes and the mapper reads when the
    /// process has ended, see [`Invocation::report`].
    pub report: Option<String>,
    /// Flags that this version of the agent CLI lacks: the run does without them and says so, see
    /// [`Invocation::known_flag`].
    pub left_out: Vec<String>,
    /// The first bytes of stdin: usually the prompt.
    pub stdin: Vec<u8>,
    /// What becomes of stdin then.
    pub stdin_mode: StdinMode,
    /// The permission mode for `run_started`.
    pub permission_mode: Option<String>,
    /// How long the process may take to end after its last word before it is ended; `None` means
    /// half a second.
    pub exit_grace: Option<Duration>,
    /// Which process the run is about.
    pub process: ProcessUse,
}

impl Invocation {
    /// Adds an argument.
    pub fn arg(&mut self, text: impl Into<String>) -> &mut Self {
        self.args.push(Argument { text: text.into(), hidden: false });
        self
    }

    /// Adds several.
    pub fn args<I: IntoIterator<Item = S>, S: Into<String>>(&mut self, texts: I) -> &mut Self {
        self.args
            .extend(texts.into_iter().map(|text| Argument { text: text.into(), hidden: false }));
        self
    }

    /// Adds a flag and its value.
    pub fn flag(&mut self, flag: &str, value: impl Into<String>) -> &mut Self {
        self.arg(flag).arg(value)
    }

    /// Adds a flag that a version may lack. A help that was never read proves nothing, so it is left
    /// out only where a help page was read that does not name it; never ask so for a hidden flag.
    pub fn known_arg(&mut self, install: &Install, flag: &str) -> &mut Self {
        if self.is_known(install, flag) { self.arg(flag) } else { self }
    }

    /// The same with a value.
    pub fn known_flag(
        &mut self,
        install: &Install,
        flag: &str,
        value: impl Into<String>,
    ) -> &mut Self {
        if self.is_known(install, flag) { self.flag(flag, value) } else { self }
    }

    fn is_known(&mut self, install: &Install, flag: &str) -> bool {
        let is_known = install.may_have(flag);
        if !is_known && !self.left_out.iter().any(|told| told == flag) {
            self.left_out.push(flag.to_owned());
        }
        is_known
    }

    /// Adds a flag and a value that is not shown.
    pub fn hidden_flag(&mut self, flag: &str, value: impl Into<String>) -> &mut Self {
        self.arg(flag).hidden_arg(value)
    }

    /// Adds an argument that is not shown.
    pub fn hidden_arg(&mut self, text: impl Into<String>) -> &mut Self {
        self.args.push(Argument { text: text.into(), hidden: true });
        self
    }

    /// Sets a variable.
    pub fn set_env(&mut self, name: &str, value: impl Into<String>) -> &mut Self {
        self.env.insert(name.to_owned(), value.into());
        self
    }

    /// Adds a file to the run's own folder, which only this user can read and which is gone when the
    /// run is over. Returns its path, to be put at the start of an argument or a variable's value.
    pub fn file(&mut self, name: &str, contents: impl Into<Vec<u8>>) -> String {
        self.files.push(RunFile { name: name.to_owned(), contents: contents.into() });
        format!("{RUN_FOLDER}/{name}")
    }

    /// Names a file of the run's own folder that the agent CLI is told to write; the mapper gets
    /// what it holds by [`Mapper::on_report`](crate::Mapper::on_report). Returns its path.
    pub fn report(&mut self, name: &str) -> String {
        self.report = Some(name.to_owned());
        self.file(name, "")
    }

    /// The arguments as `run_started` shows them.
    pub fn shown_args(&self) -> Vec<String> {
        self.args
            .iter()
            .map(|argument| match argument.hidden {
                true => format!("<{} bytes>", argument.text.len()),
                false => argument.text.clone(),
            })
            .collect()
    }
}
