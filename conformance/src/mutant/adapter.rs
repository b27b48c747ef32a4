//! The state the threads of the adapter share: who talks to us, which run is open.

use std::collections::BTreeSet;
use std::sync::mpsc::Sender;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use od_protocol::adapter::{InitializeParams, InputRunParams, RespondRunParams};
use od_protocol::{ApprovalResolver, ErrorKind, ErrorObject, InputOutcome};

use super::fault::{Behaviour, Fault};
use super::output::Output;
use super::run::Command;
use super::tree;

/// How long an open run gets when the host is gone.
const LAST_GRACE: Duration = Duration::from_millis(200);
/// How long its end is waited for before everything is killed.
const LAST_WAIT: Duration = Duration::from_secs(2);

/// The adapter.
pub(super) struct Adapter {
    pub(super) behaviour: Behaviour,
    pub(super) output: Output,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    initialized: Option<InitializeParams>,
    shutting_down: bool,
    run: Option<OpenRun>,
}

/// The run that is open. One at a time, so that every process below the adapter is known to
/// belong to it.
struct OpenRun {
    run_id: String,
    commands: Sender<Command>,
    /// A cancel was accepted.
    stopping: bool,
    /// The last event is on its way.
    ending: bool,
    /// The questions nobody has answered.
    approvals: BTreeSet<String>,
}

/// What became of a cancel.
pub(super) enum Cancelled {
    /// The run is being stopped because of it.
    Now,
    /// It was being stopped already.
    Before,
    /// There is no such run, or it has ended.
    NotThere,
}

impl Adapter {
    pub(super) fn new(behaviour: Behaviour) -> Self {
        Self {
            behaviour,
            output: Output::new(behaviour),
            state: Mutex::default(),
            changed: Condvar::new(),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What `initialize` was called with.
    pub(super) fn initialized(&self) -> Option<InitializeParams> {
        self.state().initialized.clone()
    }

    pub(super) fn set_initialized(&self, initialize_params: InitializeParams) {
        self.state().initialized = Some(initialize_params);
    }

    /// Whether a run of this id could be opened now.
    pub(super) fn may_open(&self, run_id: &str) -> Result<(), ErrorObject> {
        let state = self.state();
        if state.shutting_down {
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
        self.state().run =
            Some(OpenRun { run_id, commands, stopping: false, ending: false, approvals });
    }

    /// From now on the run counts as finished, though `done` is still to be sent.
    pub(super) fn ending(&self) {
        if let Some(run) = &mut self.state().run {
            run.ending = true;
        }
    }

    /// `done` has been sent. Another run may have been opened in the meantime.
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
                // A run that ends this very moment no longer listens, which is as good.
                let _ended = run.commands.send(Command::Cancel { grace });
                if before { Cancelled::Before } else { Cancelled::Now }
            }
            _ => Cancelled::NotThere,
        }
    }

    /// The open run asks something.
    pub(super) fn open_approval(&self, approval_id: &str) {
        if let Some(run) = &mut self.state().run {
            run.approvals.insert(approval_id.to_owned());
        }
    }

    /// Hands a decision to the run that waits for it; only the first one counts.
    pub(super) fn answer(&self, params: RespondRunParams) -> Result<(), ErrorObject> {
        let mut state = self.state();
        let run = state.run.as_mut().filter(|run| run.run_id == params.run_id && !run.ending);
        let Some(run) = run else {
            let text = format!("there is no run {}", params.run_id);
            return Err(ErrorObject::new(ErrorKind::RunUnknown, text));
        };
        if !run.approvals.remove(&params.approval_id) {
            let text = format!("nobody asked {} or it is answered", params.approval_id);
            return Err(ErrorObject::new(ErrorKind::ApprovalUnknown, text));
        }
        // A run that ends this very moment resolves its questions itself.
        let _ended = run.commands.send(Command::Answer {
            approval_id: params.approval_id,
            outcome: params.outcome,
            by: params.by.unwrap_or(ApprovalResolver::User),
        });
        Ok(())
    }

    /// Hands input to its run. `parrot` knows no turns, so none can be the expected one.
    pub(super) fn input(&self, params: InputRunParams) -> Result<InputOutcome, ErrorObject> {
        let state = self.state();
        let run = state.run.as_ref().filter(|run| run.run_id == params.run_id && !run.ending);
        let is_other_turn =
            params.expected_turn.is_some() && !self.behaviour.has(Fault::IgnoresExpectedTurn);
        match run {
            Some(_) if is_other_turn => Ok(InputOutcome::Refused),
            Some(run) => Ok(match run.commands.send(Command::Input { text: params.text }) {
                Ok(()) => InputOutcome::Queued,
                Err(_) => InputOutcome::Refused,
            }),
            None if self.behaviour.has(Fault::InputToTheDead) => Ok(InputOutcome::Queued),
            None => {
                let text = format!("there is no run {}", params.run_id);
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
            // As above: nobody listens when it ends by itself.
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

    /// The host is gone: stop everything and exit.
    pub(super) fn leave(&self) -> ! {
        self.begin_shutdown();
        self.stop_run(LAST_GRACE, LAST_WAIT);
        tree::sweep(0, |_| false);
        std::process::exit(0)
    }
}
