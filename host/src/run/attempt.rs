//! The start of one attempt: launches the adapter and calls `run/start`.

use std::time::Duration;

use od_protocol::adapter::{HostCapabilities, StartRunParams};
use od_protocol::{ErrorKind, ErrorObject, Event, Marker, SessionChoice};
use tokio::time::Instant;

use super::handle::Stop;
use super::handover::HandoverPrompt;
use super::request::Answers;
use super::task::RunTask;
use crate::environment::allowed_variables;
use crate::error::HostError;
use crate::journal::writer::EventWriter;
use crate::plugin::{Launch, Plugin};
use crate::sync::lock;

/// An adapter that received `run/start`.
pub(super) struct Attempt {
    pub(super) plugin: Plugin,
    /// The adapter refused the run after its first event.
    pub(super) refused: Option<ErrorObject>,
    /// The run was cancelled before the adapter answered.
    pub(super) stop: Option<Stop>,
}

/// How an attempt after the first starts.
#[derive(Debug)]
pub(super) struct AttemptStart {
    pub(super) session: SessionChoice,
    pub(super) prompt: HandoverPrompt,
    /// Events that precede the attempt.
    pub(super) notices: Vec<Event>,
}

impl RunTask {
    /// Launches the adapter and starts the run there.
    ///
    /// # Errors
    /// Why the adapter did not start the run; its process is gone then.
    pub(super) async fn launch(&mut self) -> Result<Attempt, HostError> {
        if self.attempts.total() == 0 {
            self.set_deadline();
        }
        self.attempts.begin();
        let approvals = (self.request.answers == Answers::Client).then_some(Marker {});
        let context = self.runs.context();
        let launch = Launch {
            executable: self.adapter.path.clone(),
            environment: context.environment(&self.adapter),
            initialize: context.initialize(&self.adapter, HostCapabilities { approvals }),
            events: Some(EventWriter::begin(&self.journal, self.attempts.buffering())),
            counters: context.telemetry().metrics().adapter(&self.adapter.id),
        };
        let mut plugin = tokio::select! {
            plugin = Plugin::launch(launch) => plugin?,
            Some(_) = self.stop.recv() => return Err(cancelled_before_start()),
        };
        // Set before the call: a client may answer the first event at once.
        self.run.set_caller(Some(plugin.caller().clone()));
        let params = self.start_params();
        let (refused, stop) = tokio::select! {
            answer = plugin.call(params) => (answer.err(), None),
            Some(stop) = self.stop.recv() => (None, Some(stop)),
        };
        let refused = match refused {
            Some(error) => Some(plugin.explain(error).await),
            None => None,
        };
        if let Some(error) = &refused
            && lock(&self.journal).has_no_events()
        {
            self.run.set_caller(None);
            plugin.close().await;
            return Err(error.clone().into());
        }
        Ok(Attempt { plugin, refused, stop })
    }

    /// The time until the deadline of the whole run.
    pub(super) fn time_left(&self) -> Option<Duration> {
        self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }

    fn set_deadline(&mut self) {
        let total = self.request.params.timeouts.total_ms.filter(|total| *total > 0);
        let total = total.map(Duration::from_millis);
        self.deadline = total.and_then(|total| Instant::now().checked_add(total));
    }

    /// The parameters of `run/start`, with the variables that the settings allow.
    fn start_params(&mut self) -> StartRunParams {
        let mut params = self.task_params();
        let settings = self.runs.context().settings();
        for (name, value) in allowed_variables(settings, &self.adapter.manifest) {
            params.env.entry(name).or_insert(value);
        }
        params
    }

    /// The parameters of this attempt. They are moved, not cloned, when no other attempt can follow.
    fn task_params(&mut self) -> StartRunParams {
        if !self.attempts.allows_more() {
            return std::mem::take(&mut self.request.params);
        }
        let mut params = self.request.params.clone();
        if let Some(AttemptStart { session, prompt, .. }) = self.next_start.take() {
            params.session = session;
            params.prompt.text = prompt.text;
        }
        if self.attempts.total() > 1
            && let Some(left) = self.time_left()
        {
            params.timeouts.total_ms = u64::try_from(left.as_millis()).ok().map(|left| left.max(1));
        }
        params
    }
}

pub(super) fn cancelled_before_start() -> HostError {
    HostError::protocol(
        ErrorKind::RequestCancelled,
        "the run was cancelled before its agent started",
    )
    .with_hint("start the run again")
}
