//! One adapter process: start it, call it, read what it says, and leave nothing of it behind.

pub(crate) mod caller;
pub(crate) mod lines;
pub(crate) mod mark;
pub(crate) mod observations;
pub(crate) mod process;
pub(crate) mod reader;
mod stderr_tail;
mod transport;

#[cfg(unix)]
pub(crate) mod unix;
#[cfg(windows)]
pub(crate) mod windows;

#[cfg(unix)]
pub(crate) use unix as os;
#[cfg(windows)]
pub(crate) use windows as os;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use od_protocol::{Call, ErrorKind, ErrorObject, InitializeParams, InitializeResult};
use tokio::process::Command;
use tokio::sync::watch;
use tokio::task::AbortHandle;

use crate::journal::sink::Intake;
use crate::telemetry::metrics::AdapterMeter;
use caller::Caller;
use observations::Observations;
use process::{Ended, Process};
use reader::OutputReader;
use stderr_tail::StderrTail;

/// How long an adapter may take to end after its stdin was closed.
pub(crate) const POLITE_END: Duration = Duration::from_secs(2);
/// How long after an adapter's death its last words may still arrive.
pub(crate) const LAST_WORDS: Duration = Duration::from_secs(1);

/// What to start.
#[derive(Debug)]
pub(crate) struct Launch {
    pub(crate) executable: PathBuf,
    pub(crate) environment: Vec<(OsString, OsString)>,
    pub(crate) initialize: InitializeParams,
    pub(crate) intake: Option<Intake>,
    pub(crate) meter: AdapterMeter,
}

/// A running, initialised adapter process.
#[derive(Debug)]
pub struct Plugin {
    process: Process,
    caller: Caller,
    writer: AbortHandle,
    output: watch::Receiver<()>,
    initialized: InitializeResult,
}

/// A process and the lines to it.
struct Started {
    process: Process,
    caller: Caller,
    writer: AbortHandle,
    output: watch::Receiver<()>,
}

impl Plugin {
    /// Starts an adapter and initialises it.
    ///
    /// # Errors
    /// What it answered, or why it could not; nothing of it is left then.
    pub(crate) async fn launch(launch: Launch) -> Result<Self, ErrorObject> {
        let started = start(&launch).map_err(|error| {
            let path = launch.executable.display();
            ErrorObject::new(ErrorKind::PluginCrashed, format!("cannot start {path}: {error}"))
                .with_hint("run `od-host doctor` to check the adapter")
        })?;
        let Started { mut process, caller, writer, output } = started;
        match caller.call(launch.initialize).await {
            Ok(initialized) => Ok(Self { process, caller, writer, output, initialized }),
            Err(error) => {
                let error = caller.explain(error, &mut process).await;
                process.end().await;
                // The failure of a run is counted with its end.
                if launch.intake.is_none() {
                    launch.meter.failed(&error.kind());
                }
                Err(error)
            }
        }
    }

    /// What it answered to `initialize`.
    pub fn initialized(&self) -> &InitializeResult {
        &self.initialized
    }

    /// Its process id.
    pub fn pid(&self) -> u32 {
        self.process.pid()
    }

    /// Calls a method with the method's own limit of time:
    /// `plugin.call(ListModelsParams::default()).await`.
    ///
    /// # Errors
    /// What the adapter answered; `plugin_crashed` or `plugin_hung` when it did not.
    pub async fn call<P: Call>(&self, params: P) -> Result<P::Result, ErrorObject> {
        self.caller.call(params).await
    }

    /// Ends the process politely (stdin EOF), then hard, and sweeps what it leaves.
    pub async fn close(mut self) {
        self.close_stdin();
        // Whether it ends in time or not, the rest is the same.
        drop(tokio::time::timeout(POLITE_END, self.process.exited()).await);
        self.process.end().await;
    }

    /// Ends the process at once; the caller sweeps, for several at a time.
    pub(crate) async fn stop(self) -> Ended {
        self.writer.abort();
        self.process.stop().await
    }

    /// Closes stdin, which tells the adapter to stop everything.
    pub(crate) fn close_stdin(&self) {
        self.writer.abort();
    }

    /// For calls while somebody else waits for the process.
    pub(crate) fn caller(&self) -> &Caller {
        &self.caller
    }

    /// Adds to an error how the process ended, when it has.
    pub(crate) async fn explain(&mut self, error: ErrorObject) -> ErrorObject {
        self.caller.explain(error, &mut self.process).await
    }

    /// Changes when the adapter has broken the protocol, and errs when the last of its output was read.
    pub(crate) fn output(&self) -> watch::Receiver<()> {
        self.output.clone()
    }

    /// Waits until the process has ended.
    pub(crate) async fn exited(&mut self) -> Option<std::process::ExitStatus> {
        self.process.exited().await
    }
}

fn start(launch: &Launch) -> std::io::Result<Started> {
    let (stdout, child_stdout) = std::io::pipe()?;
    os::enlarge_pipe(&stdout);
    let mut command = Command::new(&launch.executable);
    command
        .arg("--stdio")
        .env_clear()
        .envs(launch.environment.iter().map(|(name, value)| (name, value)));
    command.stdin(Stdio::piped()).stdout(child_stdout).stderr(Stdio::piped());
    let mut process = process::spawn(command)?;
    launch.meter.started();
    tracing::debug!(agent = launch.meter.agent(), pid = process.pid(), "adapter started");
    let missing = || std::io::Error::other("the process has no pipe");
    let stdin = process.inner().stdin.take().ok_or_else(missing)?;
    let stderr = StderrTail::collect(process.inner().stderr.take().ok_or_else(missing)?);

    let (lines, written) = tokio::sync::mpsc::channel(64);
    let (answers, answered) = tokio::sync::mpsc::unbounded_channel();
    let pending = transport::Pending::default();
    let observations = Arc::new(Observations::new(launch.meter.clone()));
    let writer = tokio::spawn(transport::write_stdin(stdin, written)).abort_handle();
    let (open, output) = watch::channel(());
    let reader = OutputReader {
        stdout,
        open,
        intake: launch.intake.clone(),
        answers,
        pending: pending.clone(),
        observations: Arc::clone(&observations),
    };
    std::thread::Builder::new().name("od-read".to_owned()).spawn(move || reader.run())?;
    let down = transport::Down { lines, pending };
    let up = transport::Up { answers: answered };
    let caller = Caller::new(launch.meter.agent().to_owned(), down, up, stderr, observations);
    Ok(Started { process, caller, writer, output })
}
