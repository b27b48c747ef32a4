//! The state that the threads of the adapter share: the host and the open run.

use std::collections::BTreeSet;
use std::sync::mpsc::Sender;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use od_protocol::adapter::{InitializeParams, InputRunParams, RespondRunParams};
use od_protocol::{ApprovalResolver, ErrorKind, ErrorObject, Event, InputOutcome};

use super::fault::{Behaviour, Fault};
use super::output::Output;
use super::run::Command;
use super::tree;

/// The grace period of an open run when the host has exited.
const HOST_EXIT_GRACE: Duration = Duration::from_millis(200);
/// How long to wait for its end before everything is killed.
const HOST_EXIT_WAIT: Duration = Duration::from_secs(2);

/// The adapter.
pub(super) struct Adapter {
    pub(super) behaviour: Behaviour,
    pub(super) output: Output,
    state: Mutex<State>,
    changed: Condvar,
    /// The fault: held while no event may be sent.
    events: Mutex<()>,
}

#[derive(Default)]
struct State {
    initialized: Option<InitializeParams>,
    shutting_down: bool,
    run: Option<OpenRun>,
}

/// The open run. Only one at a time, so that every process below the adapter belongs to it.
struct OpenRun {
    run_id: String,
    commands: Sender<Command>,
    /// A cancel was accepted.
    stopping: bool,
    /// Its last event is being sent.
    ending: bool,
    /// The pending approvals.
    approvals: BTreeSet<String>,
    /// The running turn.
    turn: Option<String>,
}

/// The result of a cancel.
pub(super) enum Cancelled {
    /// The run is being stopped.
    Now,
    /// It was already being stopped.
    Before,
    /// The run does not exist or has ended.
    NotThere,
}

impl Adapter {
    pub(super) fn new(behaviour: Behaviour) -> Self {
        Self {
            behaviour,
            output: Output::new(behaviour),
            state: Mutex::default(),
            changed: Condvar::new(),
            events: Mutex::default(),
        }
    }

    /// The fault: no event is sent while the guard exists.
    pub(super) fn hold_events(&self, fault: Fault) -> Option<MutexGuard<'_, ()>> {
        let is_held = self.behaviour.has(fault);
        is_held.then(|| self.events.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Whether a method is refused because of a shutdown.
    pub(super) fn refuses_after_shutdown(&self, method: &str) -> bool {
        let is_served = match method {
            "ping" => !self.behaviour.has(Fault::NoPingAfterShutdown),
            "run/start" => self.behaviour.has(Fault::RunsAfterShutdown),
            _ => self.behaviour.has(Fault::ServesAfterShutdown),
        };
        !is_served && self.state().shutting_down
    }

    /// The faults that refuse absent or null parameters.
    pub(super) fn refuses_params(&self, line: &str, params: Option<&str>) -> bool {
        self.behaviour.has(Fault::RefusesNullParams) && line.contains("\"params\":null")
            || self.behaviour.has(Fault::RefusesAbsentParams) && params.is_none()
    }

    /// The fault that takes a null option of a run for a requested one.
    pub(super) fn takes_null_for_option(&self, params: Option<&str>) -> bool {
        self.behaviour.has(Fault::RefusesNullMembers)
            && params.is_some_and(|params| params.contains("\"effort\":null"))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The parameters of `initialize`.
    pub(super) fn initialized(&self) -> Option<InitializeParams> {
        self.state().initialized.clone()
    }

    pub(super) fn set_initialized(&self, initialize_params: InitializeParams) {
        self.state().initialized = Some(initialize_params);
    }

    /// Checks whether a run with this id can be opened.
    pub(super) fn may_open(&self, run_id: &str) -> Result<(), ErrorObject> {
        let state = self.state();
        if state.shutting_down && !self.behaviour.has(Fault::RunsAfterShutdown) {
            return Err(ErrorObject::new(ErrorKind::ShuttingDown, "the adapter is shutting down"));
        }
        match state.run.as_ref().filter(|run| !run.ending) {
            Some(run) if run.run_id != run_id && self.behaviour.has(Fault::UntypedTooManyRuns) => {
                Err(ErrorObject::new(ErrorKind::Internal, "no more of this"))
            }
            Some(run) if run.run_id == run_id && self.behaviour.has(Fault::UntypedRunIdInUse) => {
                Err(ErrorObject::new(ErrorKind::InvalidParams, "not this run"))
            }
            Some(run) if run.run_id == run_id => Err(ErrorObject::new(
                ErrorKind::RunIdInUse,
                format!("the run {run_id} is open already"),
            )),
            Some(_) if self.behaviour.has(Fault::Crosstalk) => Ok(()),
            Some(run) => Err(ErrorObject::new(
                ErrorKind::TooManyRuns,
                format!("the run {} is open and only one can be", run.run_id),
            )
            .with_hint("start another adapter process")),
            None => Ok(()),
        }
    }

    pub(super) fn open_run(&self, run_id: String, commands: Sender<Command>) {
        let approvals = BTreeSet::new();
        self.state().run = Some(OpenRun {
            run_id,
            commands,
            stopping: false,
            ending: false,
            approvals,
            turn: None,
        });
    }

    /// Marks the run as finished, although `done` is not sent yet.
    pub(super) fn ending(&self) {
        if let Some(run) = &mut self.state().run {
            run.ending = true;
        }
    }

    /// `done` was sent. Another run may already be open.
    pub(super) fn run_ended(&self, run_id: &str) {
        let mut state = self.state();
        if state.run.as_ref().is_some_and(|run| run.run_id == run_id && run.ending) {
            state.run = None;
        }
        self.changed.notify_all();
    }

    pub(super) fn cancel(&self, run_id: &str, grace: Duration) -> Cancelled {
        let mut state = self.state();
        match &mut state.run {
            Some(run) if run.run_id == run_id && !run.ending => {
                let before = std::mem::replace(&mut run.stopping, true);
                // A run that is just ending does not receive it, which is fine.
                let _ended = run.commands.send(Command::Cancel { grace });
                if before { Cancelled::Before } else { Cancelled::Now }
            }
            _ => Cancelled::NotThere,
        }
    }

    /// Registers an approval of the open run.
    pub(super) fn open_approval(&self, approval_id: &str) {
        if let Some(run) = &mut self.state().run {
            run.approvals.insert(approval_id.to_owned());
        }
    }

    /// Remembers the running turn of the open run.
    pub(super) fn note_turn(&self, event: &Event) {
        let turn = match event {
            Event::TurnStarted(started) => Some(started.turn_id.clone()),
            Event::TurnEnded(_) => None,
            _ => return,
        };
        if let Some(run) = &mut self.state().run {
            run.turn = turn;
        }
    }

    /// Sends a decision to the run that waits for it; only the first one counts.
    pub(super) fn answer(&self, params: RespondRunParams) -> Result<(), ErrorObject> {
        let mut state = self.state();
        let run = state.run.as_mut().filter(|run| run.run_id == params.run_id && !run.ending);
        let Some(run) = run else {
            let text = format!("unknown run {}", params.run_id);
            return Err(ErrorObject::new(ErrorKind::RunUnknown, text));
        };
        if !run.approvals.remove(&params.approval_id) {
            let text = format!("approval {} is unknown or already resolved", params.approval_id);
            return Err(ErrorObject::new(ErrorKind::ApprovalUnknown, text));
        }
        // A run that is just ending resolves its approvals itself.
        let _ended = run.commands.send(Command::Answer {
            approval_id: params.approval_id,
            outcome: params.outcome,
            by: params.by.unwrap_or(ApprovalResolver::User),
        });
        Ok(())
    }

    /// Sends input to its run. A turn that is not running is refused.
    pub(super) fn input(&self, params: InputRunParams) -> Result<InputOutcome, ErrorObject> {
        let state = self.state();
        let run = state.run.as_ref().filter(|run| run.run_id == params.run_id && !run.ending);
        let is_other_turn = |run: &OpenRun| {
            params.expected_turn.is_some()
                && params.expected_turn != run.turn
                && !self.behaviour.has(Fault::IgnoresExpectedTurn)
        };
        match run {
            Some(run) if is_other_turn(run) => Ok(InputOutcome::Refused),
            Some(run) => Ok(match run.commands.send(Command::Input { text: params.text }) {
                Ok(()) => InputOutcome::Queued,
                Err(_) => InputOutcome::Refused,
            }),
            None if self.behaviour.has(Fault::InputToTheDead) => Ok(InputOutcome::Queued),
            None => {
                let text = format!("unknown run {}", params.run_id);
                Err(ErrorObject::new(ErrorKind::RunUnknown, text))
            }
        }
    }

    pub(super) fn open_runs(&self) -> usize {
        usize::from(self.state().run.is_some())
    }

    pub(super) fn begin_shutdown(&self) {
        self.state().shutting_down = true;
    }

    /// Stops the open run, whatever its id, and waits for its end.
    pub(super) fn stop_run(&self, grace: Duration, limit: Duration) {
        if let Some(run) = &self.state().run {
            // As above: a run that is just ending does not receive it.
            let _ended = run.commands.send(Command::Cancel { grace });
        }
        let deadline = Instant::now() + limit;
        let mut state = self.state();
        while state.run.is_some() {
            let Some(left) = deadline.checked_duration_since(Instant::now()) else { return };
            let waited = self.changed.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// The host has exited: stops everything and exits.
    pub(super) fn exit_with_host(&self) -> ! {
        self.begin_shutdown();
        self.stop_run(HOST_EXIT_GRACE, HOST_EXIT_WAIT);
        tree::sweep(0, |_| false);
        std::process::exit(0)
    }
}
