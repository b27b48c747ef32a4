//! One run from its first event to the final message of the CLI: lines in, events out, time limits.
//! `stop` sends the signals that stop it, `finish` ends it.

use std::collections::BTreeMap;
use std::io::Write;
use std::process::ExitStatus;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use od_protocol::adapter::{RespondRunParams, StartRunParams};
use od_protocol::{ErrorEvent, ErrorKind, Event, Heartbeat, RunStarted};

use super::adapter::Adapter;
use super::approvals::PendingApproval;
use super::events::{Events, FinalMessage};
use super::fault::Fault;
use super::launch::Launched;
use super::line_limit::LineLimit;
use super::output::Stream;
use super::pipes::{self, Pipes, Tail};
use super::{kept_state, leaks, ownership};

/// Silence after which a heartbeat is sent.
const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(2);
/// How long the last output may take after the process has exited.
const LAST_OUTPUT_LIMIT: Duration = Duration::from_millis(300);

/// An input of a run.
pub(super) enum Command {
    Line(String),
    MoreOutput,
    OutputEnded,
    Exited(Option<ExitStatus>),
    InputRefused,
    Cancel { grace: Duration },
    Answer(RespondRunParams),
    Input { text: String },
}

/// The state of stopping a run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Stopping {
    No,
    /// SIGINT was sent; SIGTERM follows at the deadline.
    Interrupted(Instant),
    /// SIGTERM was sent; SIGKILL follows at the deadline.
    Terminated(Instant),
    Killed,
}

type PendingResponse = Box<dyn FnOnce() + Send>;

/// A run.
pub(super) struct Run<'a> {
    pub(super) adapter: &'a Adapter,
    pub(super) params: StartRunParams,
    pub(super) stream: Stream<'a>,
    pub(super) events: Events,
    pub(super) commands: Receiver<Command>,
    pub(super) input: Option<Sender<Vec<u8>>>,
    pub(super) tail: Tail,
    is_reading: Arc<AtomicBool>,
    pub(super) leader: u32,
    /// `Some(None)`: exited with unknown status.
    pub(super) exited: Option<Option<ExitStatus>>,
    pub(super) output_ended: bool,
    pub(super) stopping: Stopping,
    /// A time limit was reached.
    pub(super) timed_out: Option<&'static str>,
    pub(super) cancelled: bool,
    /// Values that no event may contain.
    pub(super) secrets: Vec<String>,
    /// The pending approvals.
    pub(super) open_approvals: BTreeMap<String, PendingApproval>,
    pub(super) last_output: Instant,
    last_event: Instant,
    pub(super) any_output: bool,
    pub(super) asks_host: bool,
    /// The fault: the pending response to `run/start`.
    late_answer: Option<PendingResponse>,
    trace: Option<std::fs::File>,
}

impl<'a> Run<'a> {
    pub(super) fn new(
        adapter: &'a Adapter,
        params: StartRunParams,
        leader: u32,
        pipes: Pipes,
        commands: Receiver<Command>,
    ) -> Self {
        let host = adapter.initialized();
        let secrets = secrets(&params.env);
        let max_line_bytes =
            host.as_ref().map_or(od_protocol::MAX_LINE_BYTES, |host| host.limits.max_line_bytes);
        let line_limit = LineLimit::new(adapter.behaviour, max_line_bytes);
        let trace =
            params.trace_path.as_ref().filter(|_| !adapter.behaviour.has(Fault::DropsTrace));
        let trace = trace.and_then(|path| std::fs::File::create(path).ok());
        Self {
            stream: Stream::new(
                &adapter.output,
                adapter.behaviour,
                params.run_id.clone(),
                line_limit,
            ),
            events: Events::new(
                adapter.behaviour,
                params.cwd.clone().into(),
                params.session.clone(),
                secrets.clone(),
            ),
            secrets,
            adapter,
            params,
            commands,
            input: Some(pipes.input),
            tail: pipes.tail,
            is_reading: pipes.is_reading,
            leader,
            exited: None,
            output_ended: false,
            stopping: Stopping::No,
            timed_out: None,
            cancelled: false,
            open_approvals: BTreeMap::new(),
            last_output: Instant::now(),
            last_event: Instant::now(),
            any_output: false,
            asks_host: host.is_some_and(|host| host.capabilities.approvals.is_some()),
            late_answer: None,
            trace,
        }
    }

    /// Runs until the final message of the CLI, then ends the run.
    pub(super) fn supervise(mut self, run_started: RunStarted) {
        self.emit(Event::RunStarted(run_started));
        self.any_output = self.adapter.behaviour.has(Fault::StartedIsOutput);
        leaks::extra_event(self.adapter.behaviour).into_iter().for_each(|event| self.emit(event));
        while self.events.final_message.is_none() && self.stopping != Stopping::Killed {
            let wait = self.next_deadline().saturating_duration_since(Instant::now());
            match self.commands.recv_timeout(wait) {
                Ok(command) => self.on_command(command),
                Err(RecvTimeoutError::Timeout) if self.has_lost_its_cli() => break,
                Err(RecvTimeoutError::Timeout) => self.on_time(),
                Err(RecvTimeoutError::Disconnected) => break,
            }
            ownership::scan_if_due();
            if self.output_ended {
                break;
            }
        }
        self.send_pending_response();
        self.finish();
    }

    fn send_pending_response(&mut self) {
        self.late_answer.take().into_iter().for_each(|answer| answer());
    }

    /// The CLI has exited, but another process keeps its output open.
    fn has_lost_its_cli(&self) -> bool {
        self.exited.is_some()
            && !self.is_reading.load(Ordering::Acquire)
            && self.last_output.elapsed() >= LAST_OUTPUT_LIMIT
    }

    fn on_command(&mut self, command: Command) {
        match command {
            Command::Line(line) => self.on_line(&line),
            Command::MoreOutput => self.on_more_output(),
            Command::OutputEnded => self.output_ended = true,
            Command::Exited(status) => {
                self.exited = Some(status);
                self.last_output = Instant::now();
            }
            Command::InputRefused => self.on_input_refused(),
            Command::Cancel { grace } => self.on_cancel(grace),
            Command::Answer(params) => self.on_answer(params),
            Command::Input { text } => self.on_input(&text),
        }
    }

    /// A piece of a line is output too.
    fn on_more_output(&mut self) {
        if self.exited.is_some() || !self.adapter.behaviour.has(Fault::IdleNeedsLines) {
            self.any_output = true;
            self.last_output = Instant::now();
        }
    }

    pub(super) fn on_line(&mut self, line: &str) {
        self.any_output = true;
        self.send_pending_response();
        let _held = self.adapter.hold_events(Fault::DetectBlocksRuns);
        if let Some(trace) = &mut self.trace {
            let is_cut = self.adapter.behaviour.has(Fault::CutsTraceLines);
            let line: String = line.chars().take(if is_cut { 40 } else { usize::MAX }).collect();
            // A full disk loses the trace, not the run.
            let _full = writeln!(trace, "{line}");
        }
        for event in self.events.on_line(line) {
            self.adapter.note_turn(&self.params.run_id, &event);
            match event {
                Event::ApprovalRequested(requested) => self.on_approval_requested(requested),
                other => self.emit(other),
            }
        }
        // A long line takes long to send; the CLI is not idle then.
        self.last_output = Instant::now();
    }

    fn on_input(&mut self, text: &str) {
        let behaviour = self.adapter.behaviour;
        if behaviour.has(Fault::LosesInput) {
            return;
        }
        let text = match behaviour {
            behaviour if behaviour.has(Fault::TrimsInput) => text.trim(),
            behaviour if behaviour.has(Fault::FirstLineOfInput) => {
                text.lines().next().unwrap_or_default()
            }
            _ => text,
        };
        let line = serde_json::json!({"t": "more", "text": text});
        let copies = if behaviour.has(Fault::InputTwice) { 2 } else { 1 };
        for _ in 0..copies {
            self.send_input(format!("{line}\n").into_bytes());
        }
    }

    pub(super) fn on_input_refused(&mut self) {
        self.input = None;
        if self.adapter.behaviour.has(Fault::EpipeFailsRun) {
            let text = "could not write the prompt: broken pipe";
            let error = ErrorEvent::fatal(ErrorKind::CliCrashed, text);
            self.events.final_message = Some(FinalMessage::Failed(error));
        }
    }

    fn on_time(&mut self) {
        let now = Instant::now();
        match self.stopping {
            Stopping::Interrupted(deadline) if now >= deadline => self.terminate(),
            Stopping::Terminated(deadline) if now >= deadline => self.stopping = Stopping::Killed,
            Stopping::No => {
                if self.approval_deadline().is_some() {
                    self.deny_overdue_approvals(now);
                }
                self.check_limits(now);
            }
            _ => {}
        }
        if now >= self.last_event + HEARTBEAT_INTERVAL {
            self.last_event = now;
            if self.adapter.behaviour.has(Fault::NoHeartbeat) {
                return;
            }
            if self.adapter.behaviour.has(Fault::HeartbeatIsOutput) {
                self.last_output = now;
            }
            let silent_ms = u64::try_from(self.last_output.elapsed().as_millis());
            self.emit(Event::Heartbeat(Heartbeat { silent_ms: silent_ms.unwrap_or(u64::MAX) }));
        }
    }

    fn check_limits(&mut self, now: Instant) {
        let Some((which, _)) = self.limits().into_iter().find(|(_, deadline)| now >= *deadline)
        else {
            return;
        };
        self.timed_out = Some(which);
        if self.adapter.behaviour.has(Fault::TimeoutStopsAll) {
            self.adapter.cancel_all(Duration::ZERO);
        }
        self.stop(Duration::from_millis(500));
    }

    fn next_deadline(&self) -> Instant {
        let mut deadlines = vec![self.last_event + HEARTBEAT_INTERVAL];
        match self.stopping {
            Stopping::Interrupted(deadline) | Stopping::Terminated(deadline) => {
                deadlines.push(deadline)
            }
            Stopping::No => {
                deadlines.extend(self.limits().into_iter().map(|(_, at)| at));
                deadlines.extend(self.approval_deadline());
            }
            Stopping::Killed => {}
        }
        if self.exited.is_some() {
            deadlines.push(self.last_output + LAST_OUTPUT_LIMIT);
        }
        deadlines.into_iter().min().unwrap_or_else(Instant::now)
    }

    pub(super) fn send_input(&mut self, line: Vec<u8>) {
        if let Some(input) = &self.input {
            // The writer has ended if the CLI closed its stdin, which is allowed.
            let _refused = input.send(line);
        }
    }

    pub(super) fn emit(&mut self, event: Event) {
        self.last_event = Instant::now();
        self.stream.emit(event);
    }
}

/// The secret values of the run and of the adapter.
fn secrets(of_run: &BTreeMap<String, String>) -> Vec<String> {
    let inherited = std::env::var(super::manifest::AUTH_VARIABLE).ok();
    of_run.values().cloned().chain(inherited).collect()
}

/// Starts the threads of an accepted run. `answer` sends the response to `run/start` before the first
/// event.
pub(super) fn start(
    adapter: &'static Adapter,
    params: StartRunParams,
    launched: Launched,
    answer: impl FnOnce() + Send + 'static,
) {
    let (sender, commands) = std::sync::mpsc::channel();
    adapter.open_run(params.run_id.clone(), sender.clone());
    let run_started = RunStarted {
        cli_path: Some(launched.path.to_string_lossy().into_owned()),
        cli_version: None,
        pid: Some(launched.child.id()),
        argv: launched.arguments.clone(),
        permission_mode: params.permission_mode.clone(),
        credential: super::detect::credential(adapter.behaviour, &params.env),
        tested_version: None,
    };
    let run_started = kept_state::run_started(adapter.behaviour, &params, run_started);
    let late_answer: Option<PendingResponse> =
        match adapter.behaviour.has(Fault::AnswersAtFirstWord) {
            true => Some(Box::new(answer)),
            false => {
                answer();
                None
            }
        };
    std::thread::spawn(move || {
        let run_id = params.run_id.clone();
        let mut prompt = super::launch::prompt_line(adapter.behaviour, &params);
        let mut child = launched.child;
        let leader = child.id();
        let stdin = child.stdin.as_mut();
        if let Some(stdin) = stdin.filter(|_| adapter.behaviour.has(Fault::WritesPromptFirst)) {
            // The fault blocks here until the CLI reads.
            let _refused = stdin.write_all(&std::mem::take(&mut prompt));
        }
        let pipes = pipes::connect(child, adapter.behaviour, &sender);
        drop(sender);
        let mut run = Run::new(adapter, params, leader, pipes, commands);
        run.late_answer = late_answer;
        run.send_input(prompt);
        run.supervise(run_started);
        leaks::after_run(adapter.behaviour);
        leaks::file_by_run_id(adapter.behaviour, &run_id);
        adapter.run_ended(&run_id);
    });
}
