//! How an agent CLI is started: arguments, variables, files, the first bytes of stdin.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::Install;

/// One argument; a hidden one is not shown in `run_started.argv`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Argument {
    /// The argument.
    pub text: String,
    /// It contains prompt text or a secret.
    pub hidden: bool,
}

/// The placeholder for the run's own folder at the start of an argument or a variable's value, see
/// [`Invocation::file`]. It is replaced by the folder's path when the agent CLI is started.
pub const RUN_FOLDER: &str = "{run-folder}";

/// A file that exists while its run does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunFile {
    /// Its name in the run's own folder.
    pub name: String,
    /// Its content.
    pub contents: Vec<u8>,
}

/// What happens with stdin after the first bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum StdinMode {
    /// It is closed.
    #[default]
    Close,
    /// It stays open for the mapper; the runner closes it at the end.
    KeepOpen,
}

/// Which process a run uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ProcessUse {
    /// Its own process, which exits by itself after the result.
    #[default]
    Own,
    /// Its own server, which gets SIGTERM after the result.
    Server,
    /// None: the run uses a server that was started elsewhere.
    Attached,
}

/// How an agent CLI is started.
///
/// ```
/// use od_sdk::Invocation;
///
/// let mut invocation = Invocation::default();
/// invocation.arg("--json").flag("--model", "m-1").hidden_flag("--system", "be brief");
/// let settings = invocation.file("settings.json", "{}");
/// invocation.set_env("ACME_SETTINGS", settings);
/// invocation.stdin = b"hello".to_vec();
/// assert_eq!(invocation.shown_args(), ["--json", "--model", "m-1", "--system", "<8 bytes>"]);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Invocation {
    /// The arguments after the program.
    pub args: Vec<Argument>,
    /// Variables on top of the allowlist; `run/start.env` overrides them.
    pub env: BTreeMap<String, String>,
    /// The names of further variables of the adapter's environment to pass on. Those in the manifest's
    /// `auth.env` and `requirements.env` are passed on anyway.
    pub pass_env: Vec<String>,
    /// Files for an agent CLI that reads settings or instructions only from a path.
    pub files: Vec<RunFile>,
    /// The file in the run's own folder that the agent CLI writes and the mapper reads when the process
    /// has ended, see [`Invocation::report`].
    pub report: Option<String>,
    /// Flags that this version of the agent CLI lacks: the run starts without them and emits a notice,
    /// see [`Invocation::known_flag`].
    pub left_out: Vec<String>,
    /// The first bytes of stdin: usually the prompt.
    pub stdin: Vec<u8>,
    /// What happens with stdin then.
    pub stdin_mode: StdinMode,
    /// The permission mode for `run_started`.
    pub permission_mode: Option<String>,
    /// How long the process may take to exit after the result before it is killed; `None` means half a
    /// second.
    pub exit_grace: Option<Duration>,
    /// Which process the run uses.
    pub process: ProcessUse,
}

impl Invocation {
    /// Adds an argument.
    pub fn arg(&mut self, text: impl Into<String>) -> &mut Self {
        self.args.push(Argument { text: text.into(), hidden: false });
        self
    }

    /// Adds several arguments.
    pub fn args<I: IntoIterator<Item = S>, S: Into<String>>(&mut self, texts: I) -> &mut Self {
        self.args
            .extend(texts.into_iter().map(|text| Argument { text: text.into(), hidden: false }));
        self
    }

    /// Adds a flag and its value.
    pub fn flag(&mut self, flag: &str, value: impl Into<String>) -> &mut Self {
        self.arg(flag).arg(value)
    }

    /// Adds a flag that some versions lack. It is left out only when a help page was read that does not
    /// list it; do not use this for a hidden flag.
    pub fn known_arg(&mut self, install: &Install, flag: &str) -> &mut Self {
        if self.is_known(install, flag) { self.arg(flag) } else { self }
    }

    /// As [`Invocation::known_arg`], with a value.
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
        if !is_known && !self.left_out.iter().any(|known| known == flag) {
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

    /// Adds a file to the run's own folder, which only this user can read and which is removed after the
    /// run. Returns its path for the start of an argument or a variable's value.
    pub fn file(&mut self, name: &str, contents: impl Into<Vec<u8>>) -> String {
        self.files.push(RunFile { name: name.to_owned(), contents: contents.into() });
        format!("{RUN_FOLDER}/{name}")
    }

    /// Adds an empty file to the run's own folder for the agent CLI to write; the mapper gets its content
    /// by [`Mapper::on_report`](crate::Mapper::on_report). Returns its path.
    pub fn report(&mut self, name: &str) -> String {
        self.report = Some(name.to_owned());
        self.file(name, "")
    }

    /// Returns the arguments as `run_started` shows them.
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
