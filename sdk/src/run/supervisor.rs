//! The life of one run: begin, watch the clocks, stop it on request, end it with no process left.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use od_os::tree::{Orphans, Pipes, Tree};
use od_protocol::environment::RUN_ID_VARIABLE;
use od_protocol::{ApprovalResolver, ErrorEvent, ErrorKind, Event, Heartbeat, JsonObject};

use super::launch::Launch;
use super::outcome::{self, StopCause};
use super::pipes;
use super::process::Process;
use super::registry::Runs;
use super::state::{RunState, Wake};
use super::stderr_tail::StderrTail;
use crate::invocation::{ProcessUse, StdinMode};
use crate::outbox::Outbox;
use crate::output::StdinCommand;
use crate::{Exit, PoliteStop, http};

/// Limits where `run/start` sets none. The whole run has no default limit.
const DEFAULT_START_LIMIT: Duration = Duration::from_secs(120);
const DEFAULT_IDLE_LIMIT: Duration = Duration::from_secs(15 * 60);

/// The protocol requires an event at least every ten seconds.
const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(8);

/// How long a process may run after it has reported its end.
const EXIT_GRACE: Duration = Duration::from_millis(500);

/// How long output is read after the process has ended: an orphan may hold the pipe open.
const DRAIN_GRACE: Duration = Duration::from_millis(200);

/// The time between SIGTERM and SIGKILL.
const TERMINATE_GRACE: Duration = Duration::from_secs(1);

/// How long a run that timed out may take to stop politely.
const TIMEOUT_GRACE: Duration = Duration::from_secs(1);

/// How long the end of a pipe is waited for after every process has ended.
const PIPE_GRACE: Duration = Duration::from_secs(1);

/// The phase of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Running,
    /// The outcome is known, or the process or its output has ended; the deadline for the rest.
    Ending(Instant),
    /// The polite stop was requested; its deadline.
    Stopping(Instant),
    /// SIGTERM was sent; the deadline of the process.
    Terminated(Instant),
}

/// The channels of a run.
pub(super) struct Channels {
    pub(super) wakes: Receiver<Wake>,
    pub(super) stdin: Option<Receiver<StdinCommand>>,
    pub(super) http: Option<(http::Client, Receiver<http::Command>)>,
}

pub(super) struct Supervisor {
    state: Arc<RunState>,
    launch: Launch,
    channels: Channels,
    outbox: Outbox,
    tail: Arc<StderrTail>,
    began: Instant,
    phase: Phase,
    cause: Option<StopCause>,
    has_exited: bool,
    stdout_ended: bool,
    last_heartbeat: Instant,
}

impl Supervisor {
    pub(super) fn new(
        state: Arc<RunState>,
        launch: Launch,
        channels: Channels,
        outbox: Outbox,
    ) -> Self {
        let now = Instant::now();
        Self {
            state,
            launch,
            channels,
            outbox,
            tail: Arc::default(),
            began: now,
            phase: Phase::Running,
            cause: None,
            has_exited: false,
            stdout_ended: false,
            last_heartbeat: now,
        }
    }

    /// Supervises the run to its end.
    pub(super) fn supervise(mut self, runs: &Runs) {
        match self.channels.wakes.recv() {
            Ok(Wake::HostGone) | Err(_) => return runs.remove(&self.state.run_id),
            Ok(_) => {}
        }
        if self.launch.invocation.process == ProcessUse::Attached {
            self.stdout_ended = true;
            self.watch(&Process::Attached, None, runs);
        } else {
            match self.launch.spawn() {
                Ok((tree, pipes)) => self.watch(&Process::Own(Arc::new(tree)), Some(pipes), runs),
                Err(error) => outcome::emit_spawn_failure(&self.state, &self.launch, &error),
            }
        }
        self.outbox.write_now();
        runs.remove(&self.state.run_id);
    }

    fn watch(&mut self, process: &Process, pipes: Option<Pipes>, runs: &Runs) {
        let first_events = self.launch.first_events(process.pid());
        self.state.start(first_events, &self.launch.invocation);
        self.outbox.write_now();
        if let (Some(tree), Some(pipes)) = (process.tree(), pipes) {
            self.start_threads(tree, pipes);
        }
        self.start_http();
        self.state.begin();
        while !self.has_ended() {
            let wait = self.next_deadline().saturating_duration_since(Instant::now());
            match self.channels.wakes.recv_timeout(wait) {
                Ok(wake) => self.on_wake(wake, process),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => self.cause = Some(StopCause::HostGone),
            }
            if self.cause == Some(StopCause::HostGone) {
                break;
            }
            if !self.on_clock(process) {
                break;
            }
        }
        self.end(process, runs);
    }

    fn start_threads(&mut self, tree: &Arc<Tree>, process_pipes: Pipes) {
        let invocation = &mut self.launch.invocation;
        let first_bytes = std::mem::take(&mut invocation.stdin);
        let stdin_mode = invocation.stdin_mode;
        self.state.with_output(|output| {
            output.write_stdin(first_bytes);
            if stdin_mode == StdinMode::Close {
                output.close_stdin();
            }
        });
        if let (Some(stdin), Some(commands)) = (process_pipes.stdin, self.channels.stdin.take()) {
            pipes::write_stdin(stdin, commands);
        }
        if let Some(stderr) = process_pipes.stderr {
            pipes::read_stderr(self.state.clone(), stderr, self.tail.clone());
        }
        if let Some(stdout) = process_pipes.stdout {
            let trace = self.launch.trace_file();
            pipes::read_stdout(self.state.clone(), stdout, trace, self.outbox.clone());
        }
        let (tree, state) = (tree.clone(), self.state.clone());
        std::thread::spawn(move || {
            tree.wait_for_exit();
            state.wake(Wake::Exited);
        });
    }

    fn start_http(&mut self) {
        if let Some((client, commands)) = self.channels.http.take() {
            client.start(http::Wiring {
                run: self.state.clone(),
                commands,
                outbox: self.outbox.clone(),
                trace: self.launch.trace_file(),
            });
        }
    }

    fn has_ended(&self) -> bool {
        self.has_exited && self.stdout_ended
    }

    fn on_wake(&mut self, wake: Wake, process: &Process) {
        match wake {
            Wake::Begin | Wake::Changed => {}
            Wake::Cancel { grace } => self.stop(StopCause::Cancelled, grace, process),
            Wake::HostGone => self.cause = Some(StopCause::HostGone),
            Wake::Finished => {
                self.state.with_output(|output| output.close_stdin());
                self.phase = Phase::Ending(Instant::now() + self.exit_grace(process));
            }
            Wake::ConnectionLost => self.end_within(TERMINATE_GRACE),
            Wake::StdoutEnded => {
                self.stdout_ended = true;
                self.end_within(TERMINATE_GRACE);
            }
            Wake::Exited => {
                self.has_exited = true;
                self.end_within(DRAIN_GRACE);
            }
        }
    }

    /// Returns how long the process may run after the outcome is known. A server gets SIGTERM.
    fn exit_grace(&self, process: &Process) -> Duration {
        let invocation = &self.launch.invocation;
        match invocation.process {
            ProcessUse::Own => {}
            ProcessUse::Server => process.terminate(),
            ProcessUse::Attached => return Duration::ZERO,
        }
        invocation.exit_grace.unwrap_or(EXIT_GRACE)
    }

    /// Ends the run within this time, or earlier if it was ending already.
    fn end_within(&mut self, grace: Duration) {
        let deadline = Instant::now() + grace;
        self.phase = match self.phase {
            Phase::Ending(earlier) => Phase::Ending(earlier.min(deadline)),
            Phase::Running | Phase::Stopping(_) | Phase::Terminated(_) => Phase::Ending(deadline),
        };
    }

    /// Starts the sequence of a stop: polite, SIGTERM, SIGKILL.
    fn stop(&mut self, cause: StopCause, grace: Duration, process: &Process) {
        if self.cause.is_some() {
            // A second request can only shorten the time.
            if let Phase::Stopping(deadline) = self.phase {
                self.phase = Phase::Stopping(deadline.min(Instant::now() + grace));
            }
            return;
        }
        self.cause = Some(cause);
        self.state.deny(ApprovalResolver::Cancel, false);
        match self.state.polite_stop() {
            PoliteStop::Interrupt => process.interrupt(),
            PoliteStop::Terminate => process.terminate(),
            PoliteStop::Written => {}
        }
        if !matches!(self.phase, Phase::Ending(_)) {
            self.phase = Phase::Stopping(Instant::now() + grace);
        }
    }

    /// Acts on expired deadlines. Returns `false` when the process must be killed now.
    fn on_clock(&mut self, process: &Process) -> bool {
        let now = Instant::now();
        match self.phase {
            Phase::Ending(deadline) => return now < deadline,
            Phase::Terminated(deadline) => return now < deadline,
            Phase::Stopping(deadline) if now >= deadline => {
                process.terminate();
                self.phase = Phase::Terminated(now + TERMINATE_GRACE);
            }
            Phase::Stopping(_) => {}
            Phase::Running => self.check_limits(now, process),
        }
        true
    }

    fn check_limits(&mut self, now: Instant, process: &Process) {
        let host_answers = self.launch.install.host_answers_approvals;
        let by = if host_answers { ApprovalResolver::Timeout } else { ApprovalResolver::Policy };
        self.state.deny(by, host_answers);
        for (which, deadline) in self.limits() {
            if deadline.is_some_and(|deadline| now >= deadline) {
                self.time_out(which, process);
                return;
            }
        }
        if self.silence_deadline().is_some_and(|deadline| now >= deadline) {
            self.state.report_silence();
        }
        let silent_since = self.state.last_output().unwrap_or(self.began);
        if now >= silent_since.max(self.last_heartbeat) + HEARTBEAT_INTERVAL {
            self.last_heartbeat = now;
            let silent_ms = now.duration_since(silent_since).as_millis() as u64;
            let heartbeat = Event::Heartbeat(Heartbeat { silent_ms });
            self.state.with_output(|output| output.event(heartbeat));
        }
    }

    fn time_out(&mut self, which: &str, process: &Process) {
        let elapsed = self.began.elapsed().as_millis();
        let message = format!("run stopped: its {which} limit expired after {elapsed} ms");
        let mut data = JsonObject::new();
        data.insert("which".to_owned(), which.into());
        let error = ErrorEvent {
            data: Some(data),
            ..ErrorEvent::fatal(ErrorKind::Timeout, message)
                .with_hint(format!("give the run more time: timeouts.{which}Ms"))
        };
        self.state.with_output(|output| output.event(Event::Error(error)));
        self.stop(StopCause::TimedOut, TIMEOUT_GRACE, process);
    }

    /// Returns the time limits that apply now.
    fn limits(&self) -> [(&'static str, Option<Instant>); 3] {
        let timeouts = &self.launch.start_run_params.timeouts;
        let limit = |given: Option<u64>, default: Option<Duration>| match given {
            Some(0) => None,
            Some(millis) => Some(Duration::from_millis(millis)),
            None => default,
        };
        let start = limit(timeouts.start_ms, Some(DEFAULT_START_LIMIT));
        let idle = limit(timeouts.idle_ms, Some(DEFAULT_IDLE_LIMIT));
        let total = limit(timeouts.total_ms, None);
        let idle_since = self.state.idle_since();
        let is_waiting = self.state.with_output(|output| output.emitter.is_waiting_for_approval());
        let start = start.filter(|_| !self.state.has_stdout());
        let idle = idle.filter(|_| !is_waiting);
        [
            ("total", total.map(|limit| self.began + limit)),
            ("start", start.map(|limit| self.began + limit)),
            ("idle", idle.and_then(|limit| idle_since.map(|since| since + limit))),
        ]
    }

    /// Returns when `on_silence` is called.
    fn silence_deadline(&self) -> Option<Instant> {
        let limit = self.state.with_output(|output| {
            let is_waiting = output.emitter.is_waiting_for_approval();
            output.silence_limit.filter(|_| !is_waiting && output.outcome.is_none())
        });
        Some(self.state.idle_since().unwrap_or(self.began) + limit?)
    }

    fn next_deadline(&self) -> Instant {
        match self.phase {
            Phase::Ending(deadline) | Phase::Stopping(deadline) | Phase::Terminated(deadline) => {
                deadline
            }
            Phase::Running => {
                let silent_since = self.state.last_output().unwrap_or(self.began);
                let heartbeat = silent_since.max(self.last_heartbeat) + HEARTBEAT_INTERVAL;
                let limits = self.limits();
                let limit = limits.iter().filter_map(|(_, deadline)| *deadline).min();
                let approval = self.state.with_output(|output| {
                    output.emitter.open_approvals().filter_map(|open| open.deadline).min()
                });
                let deadlines = [limit, approval, self.silence_deadline()];
                deadlines.into_iter().flatten().fold(heartbeat, Instant::min)
            }
        }
    }

    /// Kills what is alive and emits the last events. No process of the run is alive afterwards.
    fn end(&mut self, process: &Process, runs: &Runs) {
        let orphans = match runs.count() {
            0 | 1 => Orphans::All,
            _ => Orphans::With { variable: RUN_ID_VARIABLE, value: &self.state.run_id },
        };
        let status = process.end(orphans);
        let report = self.launch.remove_folder();
        self.wait_for_output(process);
        if let Some(report) = report {
            self.state.map_report(&report);
        }
        let exit = Exit { code: status.code, signal: status.signal, stderr_tail: self.tail.text() };
        let outcome = outcome::evaluate(&self.state, &self.launch, self.cause, &exit);
        self.state.with_output(|output| {
            output.emitter.done(outcome, &exit);
            // The HTTP client ends when its channel is closed.
            output.http = None;
        });
    }

    /// Waits for the rest of stdout and the event stream. Every process has ended, so both have an
    /// end; a slow host only delays it, and no output is lost to a slow host.
    fn wait_for_output(&mut self, process: &Process) {
        let mut seen = self.state.last_output();
        let is_streaming = |state: &RunState| process.tree().is_some() && state.is_streaming();
        let has_more = |stdout_ended: bool, state: &RunState| !stdout_ended || is_streaming(state);
        while has_more(self.stdout_ended, &self.state) && self.cause != Some(StopCause::HostGone) {
            match self.channels.wakes.recv_timeout(PIPE_GRACE) {
                Ok(Wake::StdoutEnded) => self.stdout_ended = true,
                Ok(Wake::HostGone) => self.cause = Some(StopCause::HostGone),
                Ok(_) => {}
                Err(RecvTimeoutError::Disconnected) => return,
                Err(RecvTimeoutError::Timeout) => {
                    let before = std::mem::replace(&mut seen, self.state.last_output());
                    let host_is_slow = self.outbox.is_congested() && self.cause.is_none();
                    if !host_is_slow && seen == before {
                        return;
                    }
                }
            }
        }
    }
}
