//! A process with its pipes: sends messages and reads lines. The implementor of `Sorter` interprets the
//! lines, so adapters and ACP agents share this code.

use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::wire::{self, Incoming, Outgoing, Stall};
use crate::outcome::{CheckOutcome, Failure, Finding};
use crate::process;
use crate::transcript::{Location, Source, Transcript};

/// How many pending lines are read after the timeout, so that a process that floods its output
/// cannot block the suite.
const MAX_LATE_LINES: usize = 10_000;

/// The pause between two checks for an exit.
const POLL_INTERVAL: Duration = Duration::from_millis(3);

/// Checks a line on stderr.
pub type StderrChecker = Box<dyn Fn(&[u8], &Location) + Send>;

/// Sorts the lines of a process.
pub trait Sorter {
    /// The word for the process in messages.
    const PROCESS: &'static str;

    /// Registers a request, so that a response with this id is expected.
    fn expect_answer(&mut self, id: &str, method: &str, params: &Value);

    /// Registers a line that is about to be sent.
    fn note_sent(&mut self, _line: &[u8]) {}

    /// Returns a function that checks lines on stderr.
    fn stderr_checker(&self) -> StderrChecker {
        Box::new(|_, _| {})
    }

    /// Processes a complete line.
    fn take_line(&mut self, bytes: &[u8], at: Instant, location: Location);

    /// Reports a line that was too long to be kept.
    fn report_oversized(&mut self, bytes: usize, location: &Location);

    /// Reports output that ends inside a line.
    fn report_unterminated(&mut self, bytes: &[u8], location: &Location);
}

/// A running process with everything it has sent.
pub struct Connection<S> {
    /// Everything it has sent.
    pub inbox: S,
    transcript: Transcript,
    time_factor: f64,
    next_id: u64,
    child: Child,
    exit: Option<ExitStatus>,
    outgoing: Option<Sender<Outgoing>>,
    incoming: Receiver<Incoming>,
    is_stdout_closed: bool,
    stall: Stall,
}

impl<S: Sorter> Connection<S> {
    /// Starts a process without sending anything.
    ///
    /// # Errors
    /// Blocked if it cannot be started.
    pub fn start(
        command: &mut Command,
        transcript: Transcript,
        time_factor: f64,
        inbox: S,
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
        let on_stderr = inbox.stderr_checker();
        wire::start_stderr(child.stderr.take().ok_or_else(missing)?, transcript.clone(), on_stderr);
        transcript.note(Source::Remark, format!("started as process {}", child.id()).as_bytes());
        Ok(Self {
            inbox,
            transcript,
            time_factor,
            next_id: 1,
            child,
            exit: None,
            outgoing: Some(outgoing),
            incoming,
            is_stdout_closed: false,
            stall,
        })
    }

    /// Returns its process id.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Scales a timeout by the time factor.
    pub fn limit(&self, limit: Duration) -> Duration {
        limit.mul_f64(self.time_factor)
    }

    /// Returns the last line of the transcript.
    pub fn location(&self) -> Location {
        self.transcript.location()
    }

    /// Writes a remark into the transcript and returns its location.
    pub fn remark(&self, text: &str) -> Location {
        self.transcript.note(Source::Remark, text.as_bytes())
    }

    /// Sends bytes unchanged. The caller adds the line feed.
    pub fn send_raw(&mut self, bytes: &[u8]) {
        self.transcript.note(Source::Suite, bytes.strip_suffix(b"\n").unwrap_or(bytes));
        self.inbox.note_sent(bytes);
        if let Some(outgoing) = &self.outgoing {
            // If the process has exited, the wait for its response reports it.
            let _gone = outgoing.send(Outgoing::Bytes(bytes.to_vec()));
        }
    }

    /// Sends bytes in pieces with a pause after each. The caller adds the line feed.
    pub fn send_in_pieces(&mut self, bytes: &[u8], piece_bytes: usize, pause: Duration) {
        self.transcript.note(Source::Suite, bytes.strip_suffix(b"\n").unwrap_or(bytes));
        self.inbox.note_sent(bytes);
        for piece in bytes.chunks(piece_bytes.max(1)) {
            if let Some(outgoing) = &self.outgoing {
                // If the process has exited, the wait for its response reports it.
                let _gone = outgoing.send(Outgoing::Bytes(piece.to_vec()));
            }
            std::thread::sleep(pause);
        }
    }

    /// Sends a message.
    pub fn send(&mut self, message: &Value) {
        self.send_raw(format!("{message}\n").as_bytes());
    }

    /// Sends a request and returns its id as JSON text.
    pub fn ask(&mut self, method: &str, params: Value) -> String {
        let id = json!(self.next_id);
        self.next_id += 1;
        self.ask_with_id(id, method, params)
    }

    /// Sends a request with the given id.
    pub fn ask_with_id(&mut self, id: Value, method: &str, params: Value) -> String {
        let key = id.to_string();
        self.inbox.expect_answer(&key, method, &params);
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        key
    }

    /// Sends a notification.
    pub fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    /// Closes the process's stdin.
    pub fn close_stdin(&mut self) {
        self.transcript.note(Source::Remark, b"the suite closed stdin");
        if let Some(outgoing) = self.outgoing.take() {
            let _gone = outgoing.send(Outgoing::Close);
        }
    }

    /// Closes the reading end of stdout, so that writing to it fails.
    pub fn close_stdout(&mut self) {
        self.transcript.note(Source::Remark, b"the suite closed stdout");
        let (_, nothing) = std::sync::mpsc::sync_channel(1);
        self.incoming = nothing;
        self.is_stdout_closed = true;
    }

    /// Reads nothing for some time, so that the pipe fills up.
    pub fn stall(&self, time: Duration) {
        self.remark(&format!("the suite does not read for {time:?}"));
        self.stall.set(true);
        std::thread::sleep(time);
        self.stall.set(false);
    }

    /// Reads output until the condition holds or the timeout expires.
    pub fn pump(&mut self, limit: Duration, mut condition: impl FnMut(&S) -> bool) -> bool {
        let deadline = Instant::now() + limit;
        let mut late_lines = 0;
        loop {
            if condition(&self.inbox) {
                return true;
            }
            if self.is_stdout_closed || late_lines > MAX_LATE_LINES {
                return false;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            late_lines += usize::from(left.is_zero());
            match self.incoming.recv_timeout(left) {
                Ok(incoming) => self.take(incoming),
                Err(RecvTimeoutError::Timeout) => return false,
                Err(RecvTimeoutError::Disconnected) => self.is_stdout_closed = true,
            }
        }
    }

    fn take(&mut self, incoming: Incoming) {
        match incoming {
            Incoming::Line { bytes, at } => {
                let location = self.transcript.note(Source::Stdout, &bytes);
                self.inbox.take_line(&bytes, at, location);
            }
            Incoming::Oversized { bytes } => {
                let text = format!("a line of {bytes} bytes, dropped");
                let location = self.transcript.note(Source::Stdout, text.as_bytes());
                self.inbox.report_oversized(bytes, &location);
            }
            Incoming::Unterminated { bytes } => {
                let location = self.transcript.note(Source::Stdout, &bytes);
                self.inbox.report_unterminated(&bytes, &location);
            }
            Incoming::End => {
                self.remark(&format!("the {} closed its stdout", S::PROCESS));
                self.is_stdout_closed = true;
            }
        }
    }

    /// Reads pending messages and those that arrive within the time.
    pub fn listen(&mut self, time: Duration) {
        self.pump(time, |_| false);
    }

    /// Whether the process or the suite closed its stdout.
    pub fn is_stdout_closed(&self) -> bool {
        self.is_stdout_closed
    }

    /// Whether the process is running.
    pub fn is_running(&mut self) -> bool {
        self.try_exit().is_none()
    }

    /// Describes why no message arrives.
    pub fn describe_silence(&mut self) -> String {
        let process = S::PROCESS;
        match (self.is_running(), self.is_stdout_closed) {
            (false, _) => format!("the {process} has exited"),
            (true, true) => format!("the {process} closed its stdout"),
            (true, false) => format!("nothing was received and the {process} is still running"),
        }
    }

    /// Builds a failure that points at the last line of the transcript.
    pub fn failure(
        &self,
        expected: impl Into<String>,
        got: impl Into<String>,
        sent: impl Into<String>,
    ) -> Finding {
        Failure::new(expected, got).sent(sent).at(self.location()).into()
    }

    /// Fails at the last line of the transcript unless the condition holds.
    pub fn ensure(
        &self,
        condition: bool,
        expected: impl Into<String>,
        got: impl Into<String>,
        sent: impl Into<String>,
    ) -> CheckOutcome {
        if condition { Ok(()) } else { Err(self.failure(expected, got, sent)) }
    }

    /// Waits for the process to exit while reading its output.
    pub fn wait_exit(&mut self, limit: Duration) -> Option<ExitStatus> {
        let deadline = Instant::now() + limit;
        loop {
            if let Some(status) = self.try_exit() {
                self.pump(Duration::from_millis(20), |_| false);
                return Some(status);
            }
            if Instant::now() >= deadline {
                return None;
            }
            if self.is_stdout_closed {
                std::thread::sleep(POLL_INTERVAL);
            } else {
                self.pump(POLL_INTERVAL, |_| false);
            }
        }
    }

    fn try_exit(&mut self) -> Option<ExitStatus> {
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
    pub fn kill(&mut self) {
        if self.try_exit().is_none() {
            process::kill_tree(self.pid());
            // SIGKILL always ends it; waiting removes the zombie.
            self.exit = self.child.wait().ok();
        }
    }
}
