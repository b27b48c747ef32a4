//! What an adapter's author writes: one [`Adapter`] and one [`Mapper`]. Both are plain synchronous
//! code; neither sees a process, a clock or the wire.

use od_protocol::{
    AuthStatus, DetectAdapterResult, DoneEvidence, DoneStatus, ErrorKind, ErrorObject,
    GetQuotaResult, InputOutcome, ListModelsResult, ListSessionsParams, ListSessionsResult,
    Manifest, ReadSessionsParams, ReadSessionsResult, RespondRunParams, StartRunParams, StopReason,
};

use crate::{Install, Invocation, Machine, RunOutput};

/// One agent CLI, as values and pure functions.
///
/// Required: the manifest, the login, how a run is started and how its output is read. The rest
/// has defaults that follow from the manifest.
pub trait Adapter: Send + Sync + 'static {
    /// What `--manifest` prints. Computed from constants only: no file, no process, no clock.
    fn manifest(&self) -> Manifest;

    /// Whether a run on this machine would be let in, and which credential would pay. Reads files
    /// and variables only: it is called on the way of every run.
    fn auth(&self, machine: &Machine) -> AuthStatus;

    /// Turns `run/start` into a command line, variables and the first bytes of stdin. Pure.
    ///
    /// # Errors
    /// Options that only this adapter can judge; what the capabilities exclude was refused before.
    fn invocation(
        &self,
        start_run_params: &StartRunParams,
        install: &Install,
    ) -> Result<Invocation, ErrorObject>;

    /// As [`Adapter::invocation`], for an agent CLI that takes a credential by stdin only: the
    /// machine has it, with the variables of the run on top.
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

    /// A fresh state machine for one run.
    fn mapper(&self, start_run_params: &StartRunParams, install: &Install) -> Box<dyn Mapper>;

    /// The HTTP client, for an agent CLI that is a server. Without it a mapper can send no requests.
    fn http(&self) -> Option<crate::http::Client> {
        None
    }

    /// Where the agent CLI is. The default looks for the manifest's names in `config.cliPath`
    /// (exactly), PATH, the login shell's PATH and well-known folders, and reads the version from
    /// the install's own metadata; it starts no process.
    ///
    /// # Errors
    /// `cli_not_found` with the command that installs it.
    fn locate(&self, machine: &Machine) -> Result<Install, ErrorObject> {
        crate::probe::locate(&self.manifest(), machine)
    }

    /// What is installed here. The default asks [`Adapter::locate`], reads the version
    /// (`--version` as a last resort, with a limit, cached), and [`Adapter::auth`].
    fn detect(&self, machine: &Machine, refresh: bool) -> DetectAdapterResult {
        crate::detect::detect(self, machine, refresh)
    }

    /// The agent CLI's settings folder, whether it exists or not.
    fn config_dir(&self, _machine: &Machine) -> Option<std::path::PathBuf> {
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
    fn quota(&self, _machine: &Machine) -> Result<Option<GetQuotaResult>, ErrorObject> {
        Err(unsupported("quota"))
    }

    /// Answers `sessions/list`.
    ///
    /// # Errors
    /// Unsupported unless overridden.
    fn list_sessions(
        &self,
        _machine: &Machine,
        _list_sessions_params: &ListSessionsParams,
    ) -> Result<ListSessionsResult, ErrorObject> {
        Err(unsupported("sessions"))
    }

    /// Answers `sessions/read`.
    ///
    /// # Errors
    /// Unsupported unless overridden.
    fn read_session(
        &self,
        _machine: &Machine,
        _read_sessions_params: &ReadSessionsParams,
    ) -> Result<ReadSessionsResult, ErrorObject> {
        Err(unsupported("sessions"))
    }
}

/// Turns one run's native lines into events: a pure state machine. The runner calls it from one
/// thread at a time.
pub trait Mapper: Send {
    /// The run has begun; a run that is attached to a server connects to it here.
    fn on_begin(&mut self, _output: &mut RunOutput) {}

    /// The agent CLI was started so: for what an invocation made up, such as the id of a session.
    fn on_started(&mut self, _invocation: &Invocation, _output: &mut RunOutput) {}

    /// One line of the agent CLI's stdout, without its line end; blank lines are left out. It may
    /// hold anything: what is not understood is noise or [`RunOutput::unmapped`], never a failure.
    fn on_line(&mut self, line: &[u8], output: &mut RunOutput);

    /// One line of the agent CLI's stderr, for CLIs that say there what they say nowhere else.
    fn on_stderr_line(&mut self, _line: &[u8], _output: &mut RunOutput) {}

    /// The reply to a [`RunOutput::request`].
    fn on_reply(&mut self, _reply: &crate::http::Reply, _output: &mut RunOutput) {}

    /// The data of one event of the stream that [`RunOutput::open_stream`] opened. As with lines, it
    /// may hold anything. When the stream ends, the run ends soon, with [`Mapper::on_exit`].
    fn on_stream_event(&mut self, _data: &[u8], _output: &mut RunOutput) {}

    /// The agent CLI was silent for as long as [`RunOutput::limit_silence`] allows: say why with
    /// [`RunOutput::fail`], or set another limit. By default the run goes on.
    fn on_silence(&mut self, _output: &mut RunOutput) {}

    /// `run/input`: hand the text on and say what becomes of it. `expected_turn`, when given, must
    /// be the turn that runs.
    fn on_input(
        &mut self,
        _text: &str,
        _expected_turn: Option<&str>,
        _output: &mut RunOutput,
    ) -> InputOutcome {
        InputOutcome::Refused
    }

    /// A decision on an approval this mapper asked for. The runner has checked that it is open and
    /// emits `approval_resolved` itself; here it is handed on to the agent CLI. Denials by time-out
    /// and cancel arrive the same way.
    fn on_decision(&mut self, _respond_run_params: &RespondRunParams, _output: &mut RunOutput) {}

    /// The run is to stop: start the agent CLI's own polite way, or name a signal.
    fn on_cancel(&mut self, _output: &mut RunOutput) -> PoliteStop {
        PoliteStop::Interrupt
    }

    /// The process has ended: what it wrote into the file that [`Invocation::report`] names. Called
    /// before the end of the run is told, also after [`RunOutput::finish`].
    fn on_report(&mut self, _report: &[u8], _output: &mut RunOutput) {}

    /// The agent CLI ended without the mapper having called [`RunOutput::finish`]. `None` means
    /// that nothing it said explains the end: the runner then reports `cli_crashed` with the last
    /// lines of stderr.
    fn on_exit(&mut self, _exit: &Exit, _output: &mut RunOutput) -> Option<Ending> {
        None
    }
}

/// How an agent CLI is asked to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PoliteStop {
    /// SIGINT to the CLI's group (on Windows: nothing gentler than ending it).
    Interrupt,
    /// SIGTERM to the CLI's group.
    Terminate,
    /// The mapper has written something to stdin, or sent a request, that makes it stop.
    Written,
}

/// How the agent CLI's process ended.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Exit {
    /// Its exit code; `None` when a signal ended it.
    pub code: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
    /// The last lines of stderr, bounded, terminal colours removed.
    pub stderr_tail: String,
}

/// The verdict on a run, as its mapper sees it. A failed one goes with a fatal error event, see
/// [`RunOutput::fail`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ending {
    /// How it ended.
    pub status: DoneStatus,
    /// Why the model stopped.
    pub stop_reason: StopReason,
    /// What the verdict stands on.
    pub evidence: DoneEvidence,
}

impl Ending {
    /// The agent CLI said itself that it is done.
    pub const COMPLETED: Self = Self {
        status: DoneStatus::Completed,
        stop_reason: StopReason::EndTurn,
        evidence: DoneEvidence::NativeResult,
    };
}

fn unsupported(capability: &str) -> ErrorObject {
    ErrorObject::new(
        ErrorKind::CapabilityUnsupported,
        format!("this adapter does not declare the capability {capability:?}"),
    )
    .with_which(capability)
}
