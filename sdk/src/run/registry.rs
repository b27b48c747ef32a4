//! The runs of this adapter process: starts, finds and stops them.

use std::collections::HashMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use od_protocol::adapter::{
    CancelRunParams, CancelRunResult, InputRunParams, InputRunResult, RespondRunParams,
    RespondRunResult, StartRunParams, StartRunResult,
};
use od_protocol::{ErrorKind, ErrorObject};

use super::prepare::{RunSetup, prepare};
use super::state::{RunState, Wake};
use crate::UserInput;
use crate::outbox::Outbox;

/// A host starts one adapter process per run; this limits hosts that do not.
const MAX_RUNS: usize = 64;

/// How long an agent CLI may take to stop politely when `run/cancel` sets no time.
const DEFAULT_CANCEL_GRACE: Duration = Duration::from_secs(2);

/// How long after the polite stop of `shutdown` the runs may take to end.
const SHUTDOWN_LIMIT: Duration = Duration::from_secs(5);

/// How long runs may take to be killed when the host has exited.
const KILL_LIMIT: Duration = Duration::from_secs(4);

/// How long the last events may take to be written when the host has exited.
const DRAIN_LIMIT: Duration = Duration::from_millis(500);

/// The runs of this adapter process.
#[derive(Clone)]
pub(crate) struct Runs {
    outbox: Outbox,
    shared: Arc<(Mutex<Registry>, Condvar)>,
}

#[derive(Default)]
struct Registry {
    running: HashMap<String, Arc<RunState>>,
    /// Accepted, but the acceptance is not queued for the host yet.
    accepted: Vec<Arc<RunState>>,
}

impl Runs {
    pub(crate) fn new(outbox: Outbox) -> Self {
        Self { outbox, shared: Arc::default() }
    }

    /// `run/start`.
    pub(crate) fn start(
        &self,
        setup: &RunSetup,
        start_run_params: StartRunParams,
    ) -> Result<StartRunResult, ErrorObject> {
        let run_id = start_run_params.run_id.clone();
        let (state, supervisor) = prepare(setup, start_run_params, &self.outbox)?;
        let mut registry = self.lock();
        if registry.running.contains_key(&run_id) {
            let message = format!("run {run_id:?} is already running");
            return Err(ErrorObject::new(ErrorKind::RunIdInUse, message));
        }
        if registry.running.len() >= MAX_RUNS {
            let message = format!("this adapter process already has {MAX_RUNS} runs");
            return Err(ErrorObject::new(ErrorKind::TooManyRuns, message)
                .with_hint("start another adapter process, or wait for a run to end"));
        }
        registry.running.insert(run_id.clone(), state.clone());
        registry.accepted.push(state);
        drop(registry);
        let runs = self.clone();
        std::thread::spawn(move || supervisor.supervise(&runs));
        Ok(StartRunResult { run_id })
    }

    /// Begins the accepted runs. Call it when their acceptances are queued.
    pub(crate) fn begin_accepted(&self) {
        for state in std::mem::take(&mut self.lock().accepted) {
            state.wake(Wake::Begin);
        }
    }

    /// `run/input`.
    pub(crate) fn input(&self, params: &InputRunParams) -> Result<InputRunResult, ErrorObject> {
        let state = self.find(&params.run_id)?;
        let expected_turn = params.expected_turn.as_deref();
        let outcome = state.input(UserInput { text: &params.text, expected_turn });
        Ok(InputRunResult { outcome })
    }

    /// `run/respond`.
    pub(crate) fn respond(
        &self,
        params: &RespondRunParams,
    ) -> Result<RespondRunResult, ErrorObject> {
        match self.find(&params.run_id)?.decide(params) {
            true => Ok(RespondRunResult {}),
            false => Err(ErrorObject::new(
                ErrorKind::ApprovalUnknown,
                format!("run {:?} has no open approval {:?}", params.run_id, params.approval_id),
            )
            .with_hint("it was answered, timed out or was withdrawn")),
        }
    }

    /// `run/cancel`.
    pub(crate) fn cancel(&self, params: &CancelRunParams) -> CancelRunResult {
        let grace = params.grace_ms.map_or(DEFAULT_CANCEL_GRACE, Duration::from_millis);
        let state = self.lock().running.get(&params.run_id).cloned();
        CancelRunResult { accepted: state.is_some_and(|state| state.request_cancel(grace)) }
    }

    /// The number of running runs.
    pub(crate) fn count(&self) -> usize {
        self.lock().running.len()
    }

    /// Cancels all runs and waits until they have ended.
    pub(crate) fn cancel_all(&self, grace: Duration) {
        for state in self.states() {
            state.request_cancel(grace);
        }
        self.wait_until_empty(grace + SHUTDOWN_LIMIT);
    }

    /// Kills all runs because the host has exited, and writes their last events.
    pub(crate) fn kill_all(&self) {
        for state in self.states() {
            state.wake(Wake::HostGone);
        }
        self.wait_until_empty(KILL_LIMIT);
        self.outbox.drain(DRAIN_LIMIT);
    }

    /// Removes a run that has ended.
    pub(super) fn remove(&self, run_id: &str) {
        self.lock().running.remove(run_id);
        self.shared.1.notify_all();
    }

    fn find(&self, run_id: &str) -> Result<Arc<RunState>, ErrorObject> {
        self.lock().running.get(run_id).cloned().ok_or_else(|| {
            ErrorObject::new(ErrorKind::RunUnknown, format!("run {run_id:?} is not running here"))
        })
    }

    fn states(&self) -> Vec<Arc<RunState>> {
        self.lock().running.values().cloned().collect()
    }

    fn wait_until_empty(&self, limit: Duration) {
        let deadline = Instant::now() + limit;
        let mut registry = self.lock();
        while !registry.running.is_empty() {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            let waited = self.shared.1.wait_timeout(registry, left);
            registry = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn lock(&self) -> MutexGuard<'_, Registry> {
        self.shared.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
