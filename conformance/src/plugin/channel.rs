//! A process with its pipes: bytes in, lines out, and an end whatever state it is in. What the lines
//! mean is the affair of whoever sorts them.

use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use super::wire::{self, Incoming, Outgoing, Stall};
use crate::process;
use crate::transcript::{Place, Source, Transcript};
use crate::verdict::Finding;

/// How many lines that are there already are taken in after the time is over. A process that floods
/// must not keep the suite busy for ever.
const LATE_LINES: usize = 10_000;

/// How often an exit is looked for.
const POLL: Duration = Duration::from_millis(3);

/// Sorts what a process says.
pub(crate) trait Sorter {
    /// Takes something in.
    fn take(&mut self, incoming: Incoming);

    /// Whether nothing more can come.
    fn has_ended(&self) -> bool;

    /// Says that nothing more can come.
    fn end(&mut self);
}

/// A running process.
pub(crate) struct Channel {
    transcript: Transcript,
    patience: f64,
    child: Child,
    exit: Option<ExitStatus>,
    outgoing: Option<Sender<Outgoing>>,
    incoming: Receiver<Incoming>,
    stall: Stall,
}

impl Channel {
    /// Starts a process. Nothing is said to it yet.
    ///
    /// # Errors
    /// Blocked when it cannot be started.
    pub(crate) fn start(
        command: &mut Command,
        transcript: Transcript,
        patience: f64,
    ) -> Result<Self, Finding> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(|error| {
            let program = command.get_program().to_string_lossy();
            Finding::Blocked(format!("{program} cannot be started: {error}"))
        })?;
        let missing = || Finding::Suite("a pipe of the process is missing".to_owned());
        let outgoing = wire::start_writer(child.stdin.take().ok_or_else(missing)?);
        let stall = Stall::default();
        let stdout = child.stdout.take().ok_or_else(missing)?;
        let incoming = wire::start_reader(stdout, stall.clone());
        wire::start_stderr(child.stderr.take().ok_or_else(missing)?, transcript.clone());
        transcript.note(Source::Remark, format!("started as process {}", child.id()).as_bytes());
        let outgoing = Some(outgoing);
        Ok(Self { transcript, patience, child, exit: None, outgoing, incoming, stall })
    }

    /// Its process.
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// A limit of time, stretched on slow machines.
    pub(crate) fn limit(&self, limit: Duration) -> Duration {
        limit.mul_f64(self.patience)
    }

    /// The last line of the transcript.
    pub(crate) fn place(&self) -> Place {
        self.transcript.place()
    }

    /// Writes a remark into the transcript and says where it stands.
    pub(crate) fn remark(&self, text: &str) -> Place {
        self.transcript.note(Source::Remark, text.as_bytes())
    }

    /// Sends bytes exactly as they are. A line feed is the caller's business.
    pub(crate) fn send_raw(&mut self, bytes: &[u8]) {
        self.transcript.note(Source::Suite, bytes.strip_suffix(b"\n").unwrap_or(bytes));
        if let Some(outgoing) = &self.outgoing {
            // A process that is gone is seen by the wait for its answer.
            let _gone = outgoing.send(Outgoing::Bytes(bytes.to_vec()));
        }
    }

    /// Closes the process's stdin.
    pub(crate) fn close_stdin(&mut self) {
        self.transcript.note(Source::Remark, b"the suite closed the plugin's stdin");
        if let Some(outgoing) = self.outgoing.take() {
            let _gone = outgoing.send(Outgoing::Close);
        }
    }

    /// Stops reading the process's stdout for good, so that writing to it fails.
    pub(crate) fn close_stdout(&mut self) {
        self.transcript.note(Source::Remark, b"the suite closed the plugin's stdout");
        let (_, nothing) = std::sync::mpsc::sync_channel(1);
        self.incoming = nothing;
    }

    /// Reads nothing for a while, so that the process has to wait with what it says.
    pub(crate) fn stall(&self, time: Duration) {
        self.remark(&format!("nobody reads for {time:?}"));
        self.stall.set(true);
        std::thread::sleep(time);
        self.stall.set(false);
    }

    /// Takes in what the process says until something is so, or the time is over.
    pub(crate) fn pump<S: Sorter>(
        &mut self,
        sorter: &mut S,
        limit: Duration,
        mut is_so: impl FnMut(&S) -> bool,
    ) -> bool {
        let deadline = Instant::now() + limit;
        let mut late_lines = 0;
        loop {
            if is_so(sorter) {
                return true;
            }
            if sorter.has_ended() || late_lines > LATE_LINES {
                return false;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            late_lines += usize::from(left.is_zero());
            match self.incoming.recv_timeout(left) {
                Ok(incoming) => sorter.take(incoming),
                Err(RecvTimeoutError::Timeout) => return false,
                Err(RecvTimeoutError::Disconnected) => sorter.end(),
            }
        }
    }

    /// Waits for the process to exit, taking in what it still says.
    pub(crate) fn wait_exit<S: Sorter>(
        &mut self,
        sorter: &mut S,
        limit: Duration,
    ) -> Option<ExitStatus> {
        let deadline = Instant::now() + limit;
        loop {
            if let Some(status) = self.try_exit() {
                self.pump(sorter, Duration::from_millis(20), |_| false);
                return Some(status);
            }
            if Instant::now() >= deadline {
                return None;
            }
            if sorter.has_ended() {
                std::thread::sleep(POLL);
            } else {
                self.pump(sorter, POLL, |_| false);
            }
        }
    }

    /// How the process ended, if it has.
    pub(crate) fn try_exit(&mut self) -> Option<ExitStatus> {
        if self.exit.is_none() {
            self.exit = self.child.try_wait().ok().flatten();
            if let Some(status) = self.exit {
                self.transcript
                    .note(Source::Remark, format!("the plugin ended: {status}").as_bytes());
            }
        }
        self.exit
    }

    /// Ends the process and everything below it.
    pub(crate) fn kill(&mut self) {
        if self.try_exit().is_none() {
            process::kill_tree(self.pid());
            // It cannot outlive SIGKILL; waiting only clears the table of processes.
            self.exit = self.child.wait().ok();
        }
    }
}
