//! A process with its pipes: bytes in, lines out. The implementor of `Sorter` interprets the lines.

use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use super::wire::{self, Incoming, Outgoing, Stall};
use crate::outcome::Finding;
use crate::process;
use crate::transcript::{Location, Source, Transcript};

/// How many pending lines are read after the timeout, so that a process that floods its output
/// cannot block the suite.
const MAX_LATE_LINES: usize = 10_000;

/// The pause between two checks for an exit.
const POLL_INTERVAL: Duration = Duration::from_millis(3);

/// Sorts the output of a process.
pub(crate) trait Sorter {
    /// Processes one item.
    fn take(&mut self, incoming: Incoming);

    /// Whether the output has ended.
    fn has_ended(&self) -> bool;

    /// Marks the output as ended.
    fn end(&mut self);
}

/// A running process.
pub(crate) struct Channel {
    transcript: Transcript,
    time_factor: f64,
    child: Child,
    exit: Option<ExitStatus>,
    outgoing: Option<Sender<Outgoing>>,
    incoming: Receiver<Incoming>,
    stall: Stall,
}

impl Channel {
    /// Starts a process without sending anything.
    ///
    /// # Errors
    /// Blocked if it cannot be started.
    pub(crate) fn start(
        command: &mut Command,
        transcript: Transcript,
        time_factor: f64,
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
        Ok(Self { transcript, time_factor, child, exit: None, outgoing, incoming, stall })
    }

    /// Returns its process id.
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Scales a timeout by the time factor.
    pub(crate) fn limit(&self, limit: Duration) -> Duration {
        limit.mul_f64(self.time_factor)
    }

    /// Returns the last line of the transcript.
    pub(crate) fn location(&self) -> Location {
        self.transcript.location()
    }

    /// Writes a remark into the transcript and returns its location.
    pub(crate) fn remark(&self, text: &str) -> Location {
        self.transcript.note(Source::Remark, text.as_bytes())
    }

    /// Sends bytes unchanged. The caller adds the line feed.
    pub(crate) fn send_raw(&mut self, bytes: &[u8]) {
        self.transcript.note(Source::Suite, bytes.strip_suffix(b"\n").unwrap_or(bytes));
        if let Some(outgoing) = &self.outgoing {
            // If the process has exited, the wait for its response reports it.
            let _gone = outgoing.send(Outgoing::Bytes(bytes.to_vec()));
        }
    }

    /// Closes the process's stdin.
    pub(crate) fn close_stdin(&mut self) {
        self.transcript.note(Source::Remark, b"the suite closed stdin");
        if let Some(outgoing) = self.outgoing.take() {
            let _gone = outgoing.send(Outgoing::Close);
        }
    }

    /// Closes the reading end of stdout, so that writing to it fails.
    pub(crate) fn close_stdout(&mut self) {
        self.transcript.note(Source::Remark, b"the suite closed stdout");
        let (_, nothing) = std::sync::mpsc::sync_channel(1);
        self.incoming = nothing;
    }

    /// Reads nothing for some time, so that the pipe fills up.
    pub(crate) fn stall(&self, time: Duration) {
        self.remark(&format!("the suite does not read for {time:?}"));
        self.stall.set(true);
        std::thread::sleep(time);
        self.stall.set(false);
    }

    /// Reads output until the condition holds or the timeout expires.
    pub(crate) fn pump<S: Sorter>(
        &mut self,
        sorter: &mut S,
        limit: Duration,
        mut condition: impl FnMut(&S) -> bool,
    ) -> bool {
        let deadline = Instant::now() + limit;
        let mut late_lines = 0;
        loop {
            if condition(sorter) {
                return true;
            }
            if sorter.has_ended() || late_lines > MAX_LATE_LINES {
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

    /// Waits for the process to exit while reading its output.
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
                std::thread::sleep(POLL_INTERVAL);
            } else {
                self.pump(sorter, POLL_INTERVAL, |_| false);
            }
        }
    }

    /// Returns the exit status if the process has exited.
    pub(crate) fn try_exit(&mut self) -> Option<ExitStatus> {
        if self.exit.is_none() {
            self.exit = self.child.try_wait().ok().flatten();
            if let Some(status) = self.exit {
                self.transcript
                    .note(Source::Remark, format!("the process ended: {status}").as_bytes());
            }
        }
        self.exit
    }

    /// Kills the process and its descendants.
    pub(crate) fn kill(&mut self) {
        if self.try_exit().is_none() {
            process::kill_tree(self.pid());
            // SIGKILL always ends it; waiting removes the zombie.
            self.exit = self.child.wait().ok();
        }
    }
}
