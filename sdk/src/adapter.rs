//! What an adapter's author writes: one [`Adapter`], which creates a [`Mapper`] for each run. Both
//! are plain synchronous code without a process, a clock or the wire.

use std::path::{Path, PathBuf};

use od_protocol::adapter::{
    DetectAdapterResult, ListModelsResult, ListSessionsParams, ListSessionsResult,
    ReadSessionParams, ReadSessionResult, StartRunParams,
};
use od_protocol::{AuthStatus, ErrorKind, ErrorObject, Manifest, Quota};

use crate::session_files::{self, SessionFormat};
use crate::{Install, Invocation, Machine, Mapper, http, probe};

/// One agent CLI, as values and pure functions.
///
/// Required: the manifest, the login, how a run is started and how its output is mapped. The rest
/// has defaults that follow from the manifest.
///
/// ```
/// use od_protocol::adapter::StartRunParams;
/// use od_protocol::{AuthStatus, ErrorObject, Manifest};
/// use od_sdk::{Adapter, Install, Invocation, Machine, Mapper, RunOutcome, RunOutput, auth};
///
/// struct Parrot;
///
/// impl Adapter for Parrot {
///     fn manifest(&self) -> Manifest {
///         Manifest::new("parrot", "Parrot")
///     }
///     fn auth(&self, _machine: &Machine) -> AuthStatus {
///         auth::not_needed()
///     }
///     fn invocation(
///         &self,
///         start_run_params: &StartRunParams,
///         _install: &Install,
///     ) -> Result<Invocation, ErrorObject> {
///         let mut invocation = Invocation::default();
///         invocation.arg("--json");
///         invocation.stdin = start_run_params.prompt.text.clone().into_bytes();
///         Ok(invocation)
///     }
///     fn mapper(&self, _: &StartRunParams, _: &Install) -> Box<dyn Mapper> {
///         Box::new(Lines)
///     }
/// }
///
/// struct Lines;
///
/// impl Mapper for Lines {
///     fn on_line(&mut self, line: &[u8], output: &mut RunOutput) {
///         match line {
///             b"END" => output.finish(RunOutcome::COMPLETED),
///             text => output.text_delta("answer", &String::from_utf8_lossy(text)),
///         }
///     }
/// }
///
/// let params = StartRunParams::default();
/// let invocation = Parrot.invocation(&params, &Install::default())?;
/// assert_eq!(invocation.shown_args(), ["--json"]);
/// // fn main() -> std::process::ExitCode { od_sdk::serve(Parrot) }
/// # Ok::<(), ErrorObject>(())
/// ```
pub trait Adapter: Send + Sync + 'static {
    /// Returns what `--manifest` prints. Computed from constants: no file, no process, no clock.
    fn manifest(&self) -> Manifest;

    /// Returns whether a run on this machine is logged in, and which credential pays. Reads files
    /// and variables only: it is called before every run.
    fn auth(&self, machine: &Machine) -> AuthStatus;

    /// Returns the company whose service runs the models with this login, such as `acme`. It
    /// is added to usage that names no provider. `None` when it is not certain: it is not guessed
    /// later.
    fn provider(&self, _machine: &Machine, _auth: &AuthStatus) -> Option<String> {
        None
    }

    /// Turns `run/start` into a command line, variables and the first bytes of stdin. Pure.
    ///
    /// # Errors
    /// Options that only this adapter can check; what the capabilities exclude was refused before.
    fn invocation(
        &self,
        start_run_params: &StartRunParams,
        install: &Install,
    ) -> Result<Invocation, ErrorObject>;

    /// As [`Adapter::invocation`], with the machine, which includes the variables of the run: for an
    /// agent CLI that needs a credential on stdin or a file of an earlier session.
    ///
    /// # Errors
    /// As [`Adapter::invocation`].
    fn invocation_on(
        &self,
        _machine: &Machine,
        start_run_params: &StartRunParams,
        install: &Install,
    ) -> Result<Invocation, ErrorObject> {
        self.invocation(start_run_params, install)
    }

    /// Creates the state machine of one run.
    fn mapper(&self, start_run_params: &StartRunParams, install: &Install) -> Box<dyn Mapper>;

    /// Returns the HTTP client, for an agent CLI that is a server. Without it a mapper cannot send
    /// requests.
    fn http(&self) -> Option<http::Client> {
        None
    }

    /// Finds the agent CLI. The default searches the manifest's names in `config.cliPath` (exactly),
    /// PATH, the login shell's PATH and well-known folders, and reads the version from the
    /// install's own metadata. It starts no process.
    ///
    /// # Errors
    /// `cli_not_found` with the command that installs it.
    fn locate(&self, machine: &Machine) -> Result<Install, ErrorObject> {
        probe::locate(&self.manifest(), machine)
    }

    /// Returns the help pages that a detection reads, by the arguments that print them (`["--help"]`,
    /// `["exec", "--help"]`). Later runs find their flags in [`Install::flags`].
    fn help_pages(&self) -> &'static [&'static [&'static str]] {
        &[]
    }

    /// Changes the result of a detection: for an adapter whose capabilities depend on the installed
    /// version.
    fn adjust_detection(&self, _result: &mut DetectAdapterResult) {}

    /// Returns the agent CLI's settings folder, whether it exists or not.
    fn config_dir(&self, _machine: &Machine) -> Option<PathBuf> {
        None
    }

    /// Answers `models/list`.
    ///
    /// # Errors
    /// Unsupported unless overridden.
    fn models(&self, _machine: &Machine) -> Result<ListModelsResult, ErrorObject> {
        Err(unsupported("models"))
    }

    /// Answers `quota/get`.
    ///
    /// # Errors
    /// Unsupported unless overridden.
    fn quota(&self, _machine: &Machine) -> Result<Option<Quota>, ErrorObject> {
        Err(unsupported("quota"))
    }

    /// Returns how sessions are read from files below [`Adapter::config_dir`].
    fn session_store(&self) -> Option<SessionStore> {
        None
    }

    /// Answers `sessions/list`. The default uses [`Adapter::session_store`].
    ///
    /// # Errors
    /// Unsupported without a session store.
    fn list_sessions(
        &self,
        machine: &Machine,
        list_sessions_params: &ListSessionsParams,
    ) -> Result<ListSessionsResult, ErrorObject> {
        match (self.session_store(), self.config_dir(machine)) {
            (Some(store), Some(folder)) => Ok((store.list)(&folder, list_sessions_params)),
            _ => Err(unsupported("sessions")),
        }
    }

    /// Answers `sessions/read`. The default uses [`Adapter::session_store`].
    ///
    /// # Errors
    /// `session_unknown`, or unsupported without a session store.
    fn read_session(
        &self,
        machine: &Machine,
        read_session_params: &ReadSessionParams,
    ) -> Result<ReadSessionResult, ErrorObject> {
        match (self.session_store(), self.config_dir(machine)) {
            (Some(store), Some(folder)) => (store.read)(&folder, read_session_params),
            _ => Err(unsupported("sessions")),
        }
    }
}

/// Functions that read an agent CLI's sessions; each gets [`Adapter::config_dir`].
#[derive(Debug, Clone, Copy)]
pub struct SessionStore {
    /// Lists sessions.
    pub list: fn(&Path, &ListSessionsParams) -> ListSessionsResult,
    /// Reads one session.
    pub read: fn(&Path, &ReadSessionParams) -> Result<ReadSessionResult, ErrorObject>,
}

impl SessionStore {
    /// Reads sessions that are files of JSON lines.
    pub fn of<F: SessionFormat>() -> Self {
        Self {
            list: |config_dir, params| {
                session_files::list::<F>(F::files(config_dir, params.cwd.as_deref()), params)
            },
            read: |config_dir, params| {
                let files = F::files(config_dir, params.cwd.as_deref());
                session_files::read(&files, params, F::to_events)
            },
        }
    }
}

fn unsupported(capability: &str) -> ErrorObject {
    ErrorObject::new(
        ErrorKind::CapabilityUnsupported,
        format!("this adapter does not declare the capability {capability:?}"),
    )
    .with_which(capability)
}
