//! The beginning of one attempt: the adapter is started and asked to run.

use std::time::Duration;

use od_protocol::{
    ErrorKind, ErrorObject, Event, HostCapabilities, Marker, SessionChoice, StartRunParams,
};
use tokio::time::Instant;

use super::conduct::Conductor;
use super::handle::Stop;
use super::handover::Briefing;
use super::lock;
use super::request::Answers;
use crate::error::HostError;
use crate::journal::sink::Intake;
use crate::plugin::{Launch, Plugin};

/// An adapter that has been asked to run.
pub(super) struct Attempt {
    pub(super) plugin: Plugin,
    /// It refused after it had begun to talk.
    pub(super) refused: Option<ErrorObject>,
    /// The run was told to stop before the adapter had answered.
    pub(super) stop: Option<Stop>,
}

/// With what an attempt after the first begins.
#[derive(Debug)]
pub(super) struct Opening {
    pub(super) session: SessionChoice,
    pub(super) briefing: Briefing,
    /// What is told before it begins.
    pub(super) notices: Vec<Event>,
}

impl Conductor {
    /// Starts the adapter and hands the run to it.
    ///
    /// # Errors
    /// Why it did not take the run; nothing of the adapter is left then.
    pub(super) async fn launch(&mut self) -> Result<Attempt, HostError> {
        if self.attempts.total() == 0 {
            self.set_deadline();
        }
        self.attempts.begin();
        let approvals = (self.request.answers == Answers::Client).then_some(Marker {});
        let launch = Launch {
            executable: self.adapter.path.clone(),
            environment: self.host.environment(&self.adapter),
            initialize: self.host.initialize(&self.adapter, HostCapabilities { approvals }),
            intake: Some(Intake::begin(&self.sink, self.attempts.hold())),
            meter: self.host.telemetry().metrics().adapter(&self.adapter.id),
        };
        let mut plugin = tokio::select! {
            plugin = Plugin::launch(launch) => plugin?,
            Some(_) = self.stop.recv() => return Err(cancelled()),
        };
        // Before it is asked: who sees its first event may answer at once.
        self.run.set_caller(Some(plugin.caller().clone()));
        let params = self.params();
        let (refused, stop) = tokio::select! {
            answer = plugin.call(params) => (answer.err(), None),
            Some(stop) = self.stop.recv() => (None, Some(stop)),
        };
        let refused = match refused {
            Some(error) => Some(plugin.explain(error).await),
            None => None,
        };
        if let Some(error) = &refused
            && lock(&self.sink).is_unheard()
        {
            self.run.set_caller(None);
            plugin.close().await;
            return Err(error.clone().into());
        }
        Ok(Attempt { plugin, refused, stop })
    }

    /// What the limit of the whole run leaves.
    pub(super) fn time_left(&self) -> Option<Duration> {
        self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }

    fn set_deadline(&mut self) {
        let total = self.request.params.timeouts.total_ms.filter(|total| *total > 0);
        let total = total.map(Duration::from_millis);
        self.deadline = total.and_then(|total| Instant::now().checked_add(total));
    }

    /// What the adapter is asked. Nothing is kept of a task that nobody can be asked again.
    fn params(&mut self) -> StartRunParams {
        if !self.attempts.may_follow() {
            return std::mem::take(&mut self.request.params);
        }
        let mut params = self.request.params.clone();
        if let Some(Opening { session, briefing, .. }) = self.opening.take() {
            params.session = session;
            params.prompt.text = briefing.text;
        }
        if self.attempts.total() > 1
            && let Some(left) = self.time_left()
        {
            params.timeouts.total_ms = u64::try_from(left.as_millis()).ok().map(|left| left.max(1));
        }
        params
    }
}

/// The run was told to stop before its agent had it.
pub(super) fn cancelled() -> HostError {
    HostError::protocol(ErrorKind::RequestCancelled, "the run was cancelled before its agent began")
        .with_hint("start it again when you want it")
}
