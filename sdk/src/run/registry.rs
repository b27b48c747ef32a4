//! The runs of this adapter process: accepting, finding, stopping them.

use std::collections::HashMap;
use std::sync::mpsc::channel;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use od_protocol::{
    CancelRunParams, CancelRunResult, ErrorKind, ErrorObject, InputRunParams, InputRunResult,
    RespondRunParams, RespondRunResult, StartRunParams, StartRunResult,
};

use super::core::{RunCore, Wake};
use super::launch::Launch;
use super::supervise::{Channels, Supervisor};
use crate::adapter::Adapter;
use crate::emit::Emitter;
use crate::outbox::Outbox;
use crate::output::RunOutput;
use crate::{Machine, Secret, environment, gate};

/// How many runs one adapter process takes; a host starts one process per run.
const MOST_RUNS: usize = 64;

/// How long an agent CLI may take to stop politely when the host does not say.
const DEFAULT_GRACE: Duration = Duration::from_millis(2_000);

/// What a run needs to know besides its own parameters.
#[derive(Clone)]
pub(crate) struct RunsSetup {
    pub(crate) adapter: Arc<dyn Adapter>,
    pub(crate) machine: Machine,
    pub(crate) max_line_bytes: u64,
}

/// The runs of this adapter process.
#[derive(Clone)]
pub(crate) struct Runs {
    outbox: Outbox,
    shared: Arc<(Mutex<State>, Condvar)>,
}

#[derive(Default)]
struct State {
    alive: HashMap<String, Arc<RunCore>>,
    /// Accepted, but the acceptance is not on its way yet.
    accepted: Vec<Arc<RunCore>>,
}

impl Runs {
    pub(crate) fn new(outbox: Outbox) -> Self {
        Self { outbox, shared: Arc::default() }
    }

    /// `run/start`: everything that can be refused is refused here, before any process.
    pub(crate) fn start(
        &self,
        setup: &RunsSetup,
        start_run_params: StartRunParams,
    ) -> Result<StartRunResult, ErrorObject> {
        let run_id = start_run_params.run_id.clone();
        let (core, supervisor) = self.prepare(setup, start_run_params)?;
        let mut state = self.lock();
        if state.alive.contains_key(&run_id) {
            return Err(ErrorObject::new(
                ErrorKind::RunIdInUse,
                format!("a run {run_id:?} is alive already"),
            ));
        }
        if state.alive.len() >= MOST_RUNS {
            return Err(ErrorObject::new(
                ErrorKind::TooManyRuns,
                format!("{MOST_RUNS} runs are alive in this adapter process"),
            )
            .with_hint("start another adapter process, or wait for a run to end"));
        }
        state.alive.insert(run_id.clone(), core.clone());
        state.accepted.push(core);
        drop(state);
        let runs = self.clone();
        std::thread::spawn(move || supervisor.supervise(&runs));
        Ok(StartRunResult { run_id })
    }

    /// The acceptances are on their way: the runs may begin.
    pub(crate) fn begin_accepted(&self) {
        for core in std::mem::take(&mut self.lock().accepted) {
            core.wake(Wake::Begin);
        }
    }

    /// `run/input`.
    pub(crate) fn input(&self, params: &InputRunParams) -> Result<InputRunResult, ErrorObject> {
        let core = self.find(&params.run_id)?;
        let outcome = core.input(&params.text, params.expected_turn.as_deref());
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
            .with_hint("it was answered, ran out of time or was taken back")),
        }
    }

    /// `run/cancel`.
    pub(crate) fn cancel(&self, params: &CancelRunParams) -> CancelRunResult {
        let grace = params.grace_ms.map_or(DEFAULT_GRACE, Duration::from_millis);
        let core = self.lock().alive.get(&params.run_id).cloned();
        CancelRunResult { accepted: core.is_some_and(|core| core.request_cancel(grace)) }
    }

    /// How many are alive.
    pub(crate) fn count(&self) -> usize {
        self.lock().alive.len()
    }

    /// Stops them all politely and waits until they are gone.
    pub(crate) fn cancel_all(&self, grace: Duration) {
        for core in self.cores() {
            core.request_cancel(grace);
        }
        self.wait_until_empty(grace + Duration::from_secs(5));
    }

    /// The host is gone: ends them all at once; what it may still read is written.
    pub(crate) fn kill_all(&self) {
        for core in self.cores() {
            core.wake(Wake::HostGone);
        }
        self.wait_until_empty(Duration::from_secs(4));
        self.outbox.drain(Duration::from_millis(500));
    }

    /// A run has ended.
    pub(crate) fn forget(&self, run_id: &str) {
        self.lock().alive.remove(run_id);
        self.shared.1.notify_all();
    }

    fn prepare(
        &self,
        setup: &RunsSetup,
        start_run_params: StartRunParams,
    ) -> Result<(Arc<RunCore>, Supervisor), ErrorObject> {
        let RunsSetup { adapter, machine, max_line_bytes } = setup;
        let manifest = adapter.manifest();
        gate::check(&start_run_params, &manifest.capabilities)?;
        let machine = machine.clone().with_env(&start_run_params.env);
        let mut install = adapter.locate(&machine)?;
        install.credential = adapter.auth(&machine).credential;
        install.host_answers_approvals = machine.host_answers_approvals;
        install.secret = Secret::fresh();
        let invocation = adapter.invocation_on(&machine, &start_run_params, &install)?;
        let mapper = adapter.mapper(&start_run_params, &install);
        let env =
            environment::for_cli(&machine, &manifest, &install, &invocation, &start_run_params);
        let mut secrets = environment::secret_values(&machine, &manifest, &start_run_params);
        secrets.push(install.secret.reveal().to_owned());
        let emitter = Emitter::new(&start_run_params.run_id, *max_line_bytes, secrets);
        let (stdin_sender, stdin_commands) = channel();
        let (wake_sender, wakes) = channel();
        let mut output = RunOutput::new(emitter, stdin_sender);
        let http = adapter.http().map(|client| {
            let (http_sender, commands) = channel();
            output.http = Some(http_sender);
            (client, commands)
        });
        let core = Arc::new(RunCore::new(
            start_run_params.run_id.clone(),
            mapper,
            output,
            self.outbox.clone(),
            wake_sender,
        ));
        let launch = Launch { install, invocation, env, start_run_params, folder: None };
        launch.check()?;
        let channels = Channels { wakes, stdin: Some(stdin_commands), http };
        let supervisor = Supervisor::new(core.clone(), launch, channels, self.outbox.clone());
        Ok((core, supervisor))
    }

    fn find(&self, run_id: &str) -> Result<Arc<RunCore>, ErrorObject> {
        self.lock().alive.get(run_id).cloned().ok_or_else(|| {
            ErrorObject::new(ErrorKind::RunUnknown, format!("no run {run_id:?} is alive here"))
        })
    }

    fn cores(&self) -> Vec<Arc<RunCore>> {
        self.lock().alive.values().cloned().collect()
    }

    fn wait_until_empty(&self, limit: Duration) {
        let deadline = Instant::now() + limit;
        let mut state = self.lock();
        while !state.alive.is_empty() {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            let waited = self.shared.1.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.shared.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
