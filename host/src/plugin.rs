//! One adapter process: starts it, calls its methods, reads its output, and removes all its processes at the end.

pub(crate) mod caller;
pub(crate) mod host_marker;
pub(crate) mod name;
pub(crate) mod observations;
pub(crate) mod orphans;
mod pending_calls;
pub(crate) mod process;
pub(crate) mod reader;
mod stderr_tail;

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

use od_protocol::adapter::{InitializeParams, InitializeResult};
use od_protocol::{Call, ErrorKind, ErrorObject};
use tokio::process::Command;
use tokio::sync::watch;
use tokio::task::AbortHandle;

use crate::journal::writer::EventWriter;
use crate::telemetry::metrics::AdapterCounters;
use caller::Caller;
use observations::Observations;
use pending_calls::PendingCalls;
use process::{Ended, Process};
use reader::OutputReader;
use stderr_tail::StderrTail;

/// How long an adapter may take to exit after its stdin was closed.
pub(crate) const SHUTDOWN_GRACE: Duration = Duration::from_secs(2);
/// How long after an adapter's exit its last output may still arrive.
pub(crate) const FINAL_OUTPUT_GRACE: Duration = Duration::from_secs(1);
/// Requests that may wait for an adapter that does not read its stdin.
const MAX_QUEUED_REQUESTS: usize = 64;

/// How to start an adapter.
#[derive(Debug)]
pub(crate) struct Launch {
    pub(crate) executable: PathBuf,
    pub(crate) environment: Vec<(OsString, OsString)>,
    pub(crate) initialize: InitializeParams,
    /// Where the events of the run go; `None` for a process without a run.
    pub(crate) events: Option<EventWriter>,
    pub(crate) counters: AdapterCounters,
}

/// A running, initialized adapter process.
#[derive(Debug)]
pub struct Plugin {
    process: Process,
    caller: Caller,
    writer: AbortHandle,
    output: watch::Receiver<()>,
    initialized: InitializeResult,
}

/// A process that is not initialized yet.
struct Started {
    process: Process,
    caller: Caller,
    writer: AbortHandle,
    output: watch::Receiver<()>,
}

impl Plugin {
    /// Starts an adapter and initializes it.
    ///
    /// # Errors
    /// The adapter's error, or why it did not answer; its processes are gone then.
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
                // A failure during a run is counted at the end of the run.
                if launch.events.is_none() {
                    launch.counters.failed(&error.kind());
                }
                Err(error)
            }
        }
    }

    /// Its result of `initialize`.
    pub fn initialized(&self) -> &InitializeResult {
        &self.initialized
    }

    /// Its process id.
    pub fn pid(&self) -> u32 {
        self.process.pid()
    }

    /// Calls a method with the method's own time limit:
    /// `plugin.call(ListModelsParams::default()).await`.
    ///
    /// # Errors
    /// The adapter's error; `plugin_crashed` or `plugin_hung` when it did not answer.
    pub async fn call<P: Call>(&self, params: P) -> Result<P::Result, ErrorObject> {
        self.caller.call(params).await
    }

    /// Closes stdin, waits for the process to exit, then kills it and everything it started.
    pub async fn close(mut self) {
        self.close_stdin();
        // The next step is the same whether it exits in time or not.
        drop(tokio::time::timeout(SHUTDOWN_GRACE, self.process.exited()).await);
        self.process.end().await;
    }

    /// Kills the process group. The caller kills orphaned processes, for several adapters at once.
    pub(crate) async fn stop(self) -> Ended {
        self.writer.abort();
        self.process.stop().await
    }

    /// Closes stdin, which makes the adapter stop all work and exit.
    pub(crate) fn close_stdin(&self) {
        self.writer.abort();
    }

    /// For calls while another task waits for the process.
    pub(crate) fn caller(&self) -> &Caller {
        &self.caller
    }

    /// Adds the exit status to an error if the process has exited.
    pub(crate) async fn explain(&mut self, error: ErrorObject) -> ErrorObject {
        self.caller.explain(error, &mut self.process).await
    }

    /// Changes when the adapter violates the protocol fatally, and closes at the end of its output.
    pub(crate) fn output(&self) -> watch::Receiver<()> {
        self.output.clone()
    }

    /// Waits until the process has exited.
    pub(crate) async fn exited(&mut self) -> Option<std::process::ExitStatus> {
        self.process.exited().await
    }
}

fn start(launch: &Launch) -> std::io::Result<Started> {
    let (stdout, child_stdout) = std::io::pipe()?;
    od_os::process::enlarge_pipe(&stdout);
    let mut command = Command::new(&launch.executable);
    command
        .arg("--stdio")
        .env_clear()
        .envs(launch.environment.iter().map(|(name, value)| (name, value)));
    command.stdin(Stdio::piped()).stdout(child_stdout).stderr(Stdio::piped());
    let mut process = process::spawn(command)?;
    launch.counters.started();
    tracing::debug!(agent = launch.counters.agent(), pid = process.pid(), "adapter started");
    let missing = || std::io::Error::other("the process has no pipe");
    let stdin = process.inner().stdin.take().ok_or_else(missing)?;
    let stderr = StderrTail::collect(process.inner().stderr.take().ok_or_else(missing)?);

    let (requests, lines) = tokio::sync::mpsc::channel(MAX_QUEUED_REQUESTS);
    let calls = PendingCalls::default();
    let observations = Arc::new(Observations::new(launch.counters.clone()));
    let writer = tokio::spawn(caller::write_stdin(stdin, lines)).abort_handle();
    let (open, output) = watch::channel(());
    let reader = OutputReader {
        stdout,
        open,
        events: launch.events.clone(),
        calls: calls.clone(),
        observations: Arc::clone(&observations),
    };
    std::thread::Builder::new().name("od-read".to_owned()).spawn(move || reader.run())?;
    let agent = launch.counters.agent().to_owned();
    let caller = Caller { agent, requests, calls, stderr, observations };
    Ok(Started { process, caller, writer, output })
}
