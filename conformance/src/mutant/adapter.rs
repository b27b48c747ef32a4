//! The state that the threads of the adapter share: the host and the open runs.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::mpsc::Sender;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use od_protocol::adapter::{InitializeParams, InputRunParams, RespondRunParams};
use od_protocol::{ErrorKind, ErrorObject, Event, InputOutcome};

use super::fault::{Behaviour, Fault};
use super::output::Output;
use super::run::Command;
use super::tree;

/// The grace period of open runs when the host has exited.
const HOST_EXIT_GRACE: Duration = Duration::from_millis(200);
/// The maximum number of open runs.
const MAX_OPEN_RUNS: usize = 3;
/// How long to wait for their end before everything is killed.
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
    runs: BTreeMap<String, OpenRun>,
}

impl State {
    /// The run with this id, unless it is ending.
    fn open(&mut self, run_id: &str) -> Option<&mut OpenRun> {
        self.runs.get_mut(run_id).filter(|run| !run.ending)
    }
}

/// An open run.
struct OpenRun {
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
        let open: Vec<&String> =
            state.runs.iter().filter(|(_, run)| !run.ending).map(|(id, _)| id).collect();
        let limit = match self.behaviour {
            behaviour if behaviour.has(Fault::UntypedTooManyRuns) => 1,
            behaviour if behaviour.has(Fault::Crosstalk) => usize::MAX,
            _ => MAX_OPEN_RUNS,
        };
        match open.iter().any(|open| *open == run_id) {
            true if self.behaviour.has(Fault::UntypedRunIdInUse) => {
                Err(ErrorObject::new(ErrorKind::InvalidParams, "not this run"))
            }
            true => Err(ErrorObject::new(
                ErrorKind::RunIdInUse,
                format!("the run {run_id} is open already"),
            )),
            false if open.len() < limit => Ok(()),
            false if self.behaviour.has(Fault::UntypedTooManyRuns) => {
                Err(ErrorObject::new(ErrorKind::Internal, "no more of this"))
            }
            false => Err(ErrorObject::new(
                ErrorKind::TooManyRuns,
                format!("{limit} runs are open and no more can be"),
            )
            .with_hint("start another adapter process")),
        }
    }

    pub(super) fn open_run(&self, run_id: String, commands: Sender<Command>) {
        let approvals = BTreeSet::new();
        let run = OpenRun { commands, stopping: false, ending: false, approvals, turn: None };
        self.state().runs.insert(run_id, run);
    }

    /// Marks the run as finished, although `done` is not sent yet.
    pub(super) fn ending(&self, run_id: &str) {
        if let Some(run) = self.state().runs.get_mut(run_id) {
            run.ending = true;
        }
    }

    /// `done` was sent. Another run with this id may already be open.
    pub(super) fn run_ended(&self, run_id: &str) {
        let mut state = self.state();
        if state.runs.get(run_id).is_some_and(|run| run.ending) {
            state.runs.remove(run_id);
        }
        self.changed.notify_all();
    }

    pub(super) fn cancel(&self, run_id: &str, grace: Duration) -> Cancelled {
        let mut state = self.state();
        if self.behaviour.has(Fault::CancelStopsAll) {
            drop(state);
            self.cancel_all(grace);
            state = self.state();
        }
        let by_prefix = self.behaviour.has(Fault::CancelByPrefix);
        let mut runs = state.runs.iter_mut().filter(|(_, run)| !run.ending);
        let found = runs.find(|(id, _)| *id == run_id || by_prefix && id.starts_with(run_id));
        let Some((_, run)) = found else { return Cancelled::NotThere };
        let before = std::mem::replace(&mut run.stopping, true);
        // A run that is just ending does not receive it, which is fine.
        let _ended = run.commands.send(Command::Cancel { grace });
        if before { Cancelled::Before } else { Cancelled::Now }
    }

    /// Registers an approval of a run.
    pub(super) fn open_approval(&self, run_id: &str, approval_id: &str) {
        if let Some(run) = self.state().runs.get_mut(run_id) {
            run.approvals.insert(approval_id.to_owned());
        }
    }

    /// Remembers the running turn of a run.
    pub(super) fn note_turn(&self, run_id: &str, event: &Event) {
        let turn = match event {
            Event::TurnStarted(started) => Some(started.turn_id.clone()),
            Event::TurnEnded(_) => None,
            _ => return,
        };
        if let Some(run) = self.state().runs.get_mut(run_id) {
            run.turn = turn;
        }
    }

    /// Withdraws an approval of a run, which then cannot be answered any more.
    pub(super) fn withdraw_approval(&self, run_id: &str, approval_id: &str) {
        if let Some(run) = self.state().runs.get_mut(run_id) {
            run.approvals.remove(approval_id);
        }
    }

    /// Sends a decision to the run that waits for it; only the first one counts.
    pub(super) fn answer(&self, mut params: RespondRunParams) -> Result<(), ErrorObject> {
        let mut state = self.state();
        if self.behaviour.has(Fault::AnswersOtherRun) {
            let waiting = state.runs.iter().find(|(_, run)| !run.approvals.is_empty());
            params.run_id = waiting.map_or(params.run_id, |(id, _)| id.clone());
        }
        let Some(run) = state.open(&params.run_id) else {
            let text = format!("unknown run {}", params.run_id);
            return Err(ErrorObject::new(ErrorKind::RunUnknown, text));
        };
        if self.behaviour.has(Fault::AnyApprovalId) {
            params.approval_id = run.approvals.first().cloned().unwrap_or(params.approval_id);
        }
        if !run.approvals.remove(&params.approval_id) {
            let text = format!("approval {} is unknown or already resolved", params.approval_id);
            return Err(ErrorObject::new(ErrorKind::ApprovalUnknown, text));
        }
        // A run that is just ending resolves its approvals itself.
        let _ended = run.commands.send(Command::Answer(params));
        Ok(())
    }

    /// Sends input to its run. A turn that is not running is refused.
    pub(super) fn input(&self, params: InputRunParams) -> Result<InputOutcome, ErrorObject> {
        let mut state = self.state();
        let is_other_turn = |run: &OpenRun| {
            params.expected_turn.is_some()
                && params.expected_turn != run.turn
                && !self.behaviour.has(Fault::IgnoresExpectedTurn)
        };
        if self.behaviour.has(Fault::InputToAll) {
            for (_, run) in state.runs.iter().filter(|(id, _)| **id != params.run_id) {
                let _ended = run.commands.send(Command::Input { text: params.text.clone() });
            }
        }
        match state.open(&params.run_id) {
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
        self.state().runs.len()
    }

    pub(super) fn begin_shutdown(&self) {
        self.state().shutting_down = true;
    }

    /// Stops every run without waiting for its end.
    pub(super) fn cancel_all(&self, grace: Duration) {
        for run in self.state().runs.values() {
            // As above: a run that is just ending does not receive it.
            let _ended = run.commands.send(Command::Cancel { grace });
        }
    }

    /// Stops every run and waits for their end.
    pub(super) fn stop_runs(&self, grace: Duration, limit: Duration) {
        self.cancel_all(grace);
        let deadline = Instant::now() + limit;
        let mut state = self.state();
        while !state.runs.is_empty() {
            let Some(left) = deadline.checked_duration_since(Instant::now()) else { return };
            let waited = self.changed.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// The host has exited: stops everything and exits.
    pub(super) fn exit_with_host(&self) -> ! {
        self.begin_shutdown();
        self.stop_runs(HOST_EXIT_GRACE, HOST_EXIT_WAIT);
        tree::sweep(0, |_| false);
        std::process::exit(0)
    }
}
