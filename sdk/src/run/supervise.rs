//! The life of one run: begin, watch the clocks, stop it where asked, end it with nothing left.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use od_protocol::{ApprovalResolver, ErrorEvent, ErrorKind, Event, Heartbeat, JsonObject};

use super::core::{RunCore, Wake};
use super::launch::Launch;
use super::pipes;
use super::process::Process;
use super::registry::Runs;
use super::tail::Tail;
use super::verdict::{self, Reason};
use crate::adapter::{Exit, PoliteStop};
use crate::http;
use crate::invocation::{ProcessUse, StdinMode};
use crate::outbox::Outbox;
use crate::output::StdinCommand;
use crate::tree::{Ownership, Pipes, Tree};

/// Limits where `run/start` names none. The whole run has none: people know, we do not.
const DEFAULT_START: Duration = Duration::from_secs(120);
const DEFAULT_IDLE: Duration = Duration::from_secs(15 * 60);

/// A sign of life comes at least every ten seconds of silence.
const HEARTBEAT: Duration = Duration::from_secs(8);

/// How long a process may live on after its last word.
const EXIT_GRACE: Duration = Duration::from_millis(500);

/// How long output may trickle in after the process has ended: an orphan may hold the pipe.
const DRAIN_GRACE: Duration = Duration::from_millis(200);

/// Between SIGTERM and SIGKILL.
const TERMINATE_GRACE: Duration = Duration::from_secs(1);

/// How long a run that ran out of time may take to stop politely.
const TIMEOUT_GRACE: Duration = Duration::from_secs(1);

/// How long to wait for the pipe's end once every process is dead.
const PIPE_GRACE: Duration = Duration::from_secs(1);

/// Where a run is in its life.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Running,
    /// It has had its last word, its process is ending, or its output is: until then.
    Ending(Instant),
    /// The polite way, until then.
    Asked(Instant),
    /// SIGTERM was sent; until then.
    Terminated(Instant),
}

/// Where a run's wishes and reports arrive.
pub(crate) struct Channels {
    pub(crate) wakes: Receiver<Wake>,
    pub(crate) stdin: Option<Receiver<StdinCommand>>,
    pub(crate) http: Option<(http::Client, Receiver<http::Command>)>,
}

pub(crate) struct Supervisor {
    core: Arc<RunCore>,
    launch: Launch,
    channels: Channels,
    outbox: Outbox,
    tail: Arc<Tail>,
    began: Instant,
    phase: Phase,
    reason: Option<Reason>,
    exited: bool,
    stdout_ended: bool,
    last_heartbeat: Instant,
}

impl Supervisor {
    pub(crate) fn new(
        core: Arc<RunCore>,
        launch: Launch,
        channels: Channels,
        outbox: Outbox,
    ) -> Self {
        let now = Instant::now();
        Self {
            core,
            launch,
            channels,
            outbox,
            tail: Arc::default(),
            began: now,
            phase: Phase::Running,
            reason: None,
            exited: false,
            stdout_ended: false,
            last_heartbeat: now,
        }
    }

    /// Runs the run, to its end.
    pub(crate) fn supervise(mut self, runs: &Runs) {
        match self.channels.wakes.recv() {
            Ok(Wake::HostGone) | Err(_) => return runs.forget(&self.core.run_id),
            Ok(_) => {}
        }
        if self.launch.invocation.process == ProcessUse::Attached {
            self.stdout_ended = true;
            self.watch(&Process::Attached, None, runs);
        } else {
            match self.launch.spawn() {
                Ok((tree, pipes)) => self.watch(&Process::Own(Arc::new(tree)), Some(pipes), runs),
                Err(error) => verdict::tell_spawn_failure(&self.core, &self.launch, &error),
            }
        }
        self.outbox.write_now();
        runs.forget(&self.core.run_id);
    }

    fn watch(&mut self, process: &Process, pipes: Option<Pipes>, runs: &Runs) {
        let first_events = self.launch.first_events(process.pid());
        self.core.tell_start(first_events, &self.launch.invocation);
        self.outbox.write_now();
        if let (Some(tree), Some(pipes)) = (process.tree(), pipes) {
            self.start_threads(tree, pipes);
        }
        self.start_http();
        self.core.begin();
        while !self.is_over() {
            let wait = self.next_deadline().saturating_duration_since(Instant::now());
            match self.channels.wakes.recv_timeout(wait) {
                Ok(wake) => self.on_wake(wake, process),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => self.reason = Some(Reason::HostGone),
            }
            if self.reason == Some(Reason::HostGone) {
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
        self.core.with_output(|output| {
            output.write_stdin(first_bytes);
            if stdin_mode == StdinMode::Close {
                output.close_stdin();
            }
        });
        if let (Some(stdin), Some(commands)) = (process_pipes.stdin, self.channels.stdin.take()) {
            pipes::write_stdin(stdin, commands);
        }
        if let Some(stderr) = process_pipes.stderr {
            pipes::read_stderr(self.core.clone(), stderr, self.tail.clone());
        }
        if let Some(stdout) = process_pipes.stdout {
            let trace = self.launch.trace_file();
            pipes::read_stdout(self.core.clone(), stdout, trace, self.outbox.clone());
        }
        let (tree, core) = (tree.clone(), self.core.clone());
        std::thread::spawn(move || {
            tree.wait_for_exit();
            core.wake(Wake::Exited);
        });
    }

    fn start_http(&mut self) {
        if let Some((client, commands)) = self.channels.http.take() {
            client.start(http::Wiring {
                core: self.core.clone(),
                commands,
                outbox: self.outbox.clone(),
                trace: self.launch.trace_file(),
            });
        }
    }

    fn is_over(&self) -> bool {
        self.exited && self.stdout_ended
    }

    fn on_wake(&mut self, wake: Wake, process: &Process) {
        let now = Instant::now();
        match wake {
            Wake::Begin | Wake::Changed => {}
            Wake::Cancel { grace } => self.stop(Reason::Cancelled, grace, process),
            Wake::HostGone => self.reason = Some(Reason::HostGone),
            Wake::Finished => {
                self.core.with_output(|output| output.close_stdin());
                self.phase = Phase::Ending(now + self.exit_grace(process));
            }
            Wake::ConnectionLost => self.end_within(TERMINATE_GRACE),
            Wake::StdoutEnded => {
                self.stdout_ended = true;
                self.end_within(TERMINATE_GRACE);
            }
            Wake::Exited => {
                self.exited = true;
                self.end_within(DRAIN_GRACE);
            }
        }
    }

    /// How long the process may take after its last word; a server is told that it was the last.
    fn exit_grace(&self, process: &Process) -> Duration {
        let invocation = &self.launch.invocation;
        match invocation.process {
            ProcessUse::Own => {}
            ProcessUse::Server => process.terminate(),
            ProcessUse::Attached => return Duration::ZERO,
        }
        invocation.exit_grace.unwrap_or(EXIT_GRACE)
    }

    /// The end is near: not later than this, unless it was to come sooner anyway.
    fn end_within(&mut self, grace: Duration) {
        let deadline = Instant::now() + grace;
        self.phase = match self.phase {
            Phase::Ending(earlier) => Phase::Ending(earlier.min(deadline)),
            Phase::Running | Phase::Asked(_) | Phase::Terminated(_) => Phase::Ending(deadline),
        };
    }

    /// Starts the ladder: polite, SIGTERM, SIGKILL.
    fn stop(&mut self, reason: Reason, grace: Duration, process: &Process) {
        if self.reason.is_some() {
            // A second wish can only make it faster.
            if let Phase::Asked(deadline) = self.phase {
                self.phase = Phase::Asked(deadline.min(Instant::now() + grace));
            }
            return;
        }
        self.reason = Some(reason);
        self.core.deny(ApprovalResolver::Cancel, false);
        match self.core.polite_stop() {
            PoliteStop::Interrupt => process.interrupt(),
            PoliteStop::Terminate => process.terminate(),
            PoliteStop::Written => {}
        }
        if !matches!(self.phase, Phase::Ending(_)) {
            self.phase = Phase::Asked(Instant::now() + grace);
        }
    }

    /// What the clock asks for; `false` means the polite ways are used up.
    fn on_clock(&mut self, process: &Process) -> bool {
        let now = Instant::now();
        match self.phase {
            Phase::Ending(deadline) => return now < deadline,
            Phase::Terminated(deadline) => return now < deadline,
            Phase::Asked(deadline) if now >= deadline => {
                process.terminate();
                self.phase = Phase::Terminated(now + TERMINATE_GRACE);
            }
            Phase::Asked(_) => {}
            Phase::Running => self.watch_clocks(now, process),
        }
        true
    }

    fn watch_clocks(&mut self, now: Instant, process: &Process) {
        let answers = self.launch.install.host_answers_approvals;
        let by = if answers { ApprovalResolver::Timeout } else { ApprovalResolver::Policy };
        self.core.deny(by, answers);
        for (which, deadline) in self.limits() {
            if deadline.is_some_and(|deadline| now >= deadline) {
                self.time_out(which, process);
                return;
            }
        }
        if self.silence_deadline().is_some_and(|deadline| now >= deadline) {
            self.core.tell_silence();
        }
        let silent_since = self.core.last_output().unwrap_or(self.began);
        if now >= silent_since.max(self.last_heartbeat) + HEARTBEAT {
            self.last_heartbeat = now;
            let silent_ms = now.duration_since(silent_since).as_millis() as u64;
            self.core.with_output(|output| output.event(Event::Heartbeat(Heartbeat { silent_ms })));
        }
    }

    fn time_out(&mut self, which: &str, process: &Process) {
        let message = format!(
            "the run was stopped: its {which} limit ran out after {} ms",
            self.began.elapsed().as_millis()
        );
        let mut data = JsonObject::new();
        data.insert("which".to_owned(), which.into());
        let error = ErrorEvent {
            data: Some(data),
            ..ErrorEvent::fatal(ErrorKind::Timeout, message)
                .with_hint(format!("give the run more time: timeouts.{which}Ms"))
        };
        self.core.with_output(|output| output.event(Event::Error(error)));
        self.stop(Reason::TimedOut, TIMEOUT_GRACE, process);
    }

    /// The limits that apply now.
    fn limits(&self) -> [(&'static str, Option<Instant>); 3] {
        let timeouts = &self.launch.start_run_params.timeouts;
        let limit = |given: Option<u64>, default: Option<Duration>| match given {
            Some(0) => None,
            Some(millis) => Some(Duration::from_millis(millis)),
            None => default,
        };
        let start = limit(timeouts.start_ms, Some(DEFAULT_START));
        let idle = limit(timeouts.idle_ms, Some(DEFAULT_IDLE));
        let total = limit(timeouts.total_ms, None);
        let last_output = self.core.last_output();
        let waiting = self.core.with_output(|output| output.emitter.is_waiting_for_approval());
        [
            ("total", total.map(|limit| self.began + limit)),
            ("start", start.filter(|_| !self.core.has_spoken()).map(|limit| self.began + limit)),
            (
                "idle",
                idle.filter(|_| !waiting).and_then(|limit| last_output.map(|last| last + limit)),
            ),
        ]
    }

    /// When the mapper wants to be asked about the silence.
    fn silence_deadline(&self) -> Option<Instant> {
        let limit = self.core.with_output(|output| {
            let is_waiting = output.emitter.is_waiting_for_approval();
            output.silence_limit.filter(|_| !is_waiting && output.ending.is_none())
        });
        Some(self.core.last_output().unwrap_or(self.began) + limit?)
    }

    fn next_deadline(&self) -> Instant {
        match self.phase {
            Phase::Ending(deadline) | Phase::Asked(deadline) | Phase::Terminated(deadline) => {
                deadline
            }
            Phase::Running => {
                let silent_since = self.core.last_output().unwrap_or(self.began);
                let heartbeat = silent_since.max(self.last_heartbeat) + HEARTBEAT;
                let limits = self.limits();
                let limit = limits.iter().filter_map(|(_, deadline)| *deadline).min();
                let approval = self.core.with_output(|output| {
                    output.emitter.open_approvals().filter_map(|open| open.deadline).min()
                });
                let deadlines = [limit, approval, self.silence_deadline()];
                deadlines.into_iter().flatten().fold(heartbeat, Instant::min)
            }
        }
    }

    /// Ends whatever is left and writes the last events. After this nothing of the run is alive.
    fn end(&mut self, process: &Process, runs: &Runs) {
        let ownership = Ownership { run_id: &self.core.run_id, alone: runs.count() <= 1 };
        let status = process.end(ownership);
        // Nobody is left to read what was written for this run.
        let report = self.launch.remove_folder();
        self.wait_for_output(process);
        if let Some(report) = report {
            self.core.map_report(&report);
        }
        let exit = Exit { code: status.code, signal: status.signal, stderr_tail: self.tail.text() };
        let verdict = verdict::of(&self.core, &self.launch, self.reason, &exit);
        self.core.with_output(|output| {
            output.emitter.done(verdict, &exit);
            // The client ends when nobody can ask it for anything any more.
            output.http = None;
        });
    }

    /// Every process is dead, so pipe and stream have an end; it is reached as soon as the host
    /// reads. What the agent CLI said before it ended is not lost to a slow host.
    fn wait_for_output(&mut self, process: &Process) {
        let mut seen = self.core.last_output();
        let streams = |core: &RunCore| process.tree().is_some() && core.is_streaming();
        let has_more = |stdout_ended: bool, core: &RunCore| !stdout_ended || streams(core);
        while has_more(self.stdout_ended, &self.core) && self.reason != Some(Reason::HostGone) {
            match self.channels.wakes.recv_timeout(PIPE_GRACE) {
                Ok(Wake::StdoutEnded) => self.stdout_ended = true,
                Ok(Wake::HostGone) => self.reason = Some(Reason::HostGone),
                Ok(_) => {}
                Err(RecvTimeoutError::Disconnected) => return,
                Err(RecvTimeoutError::Timeout) => {
                    let before = std::mem::replace(&mut seen, self.core.last_output());
                    let host_is_slow = self.outbox.is_congested() && self.reason.is_none();
                    if !host_is_slow && seen == before {
                        return;
                    }
                }
            }
        }
    }
}
