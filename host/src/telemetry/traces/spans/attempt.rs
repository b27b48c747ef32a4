//! One attempt of a run: one agent, one adapter process, one `invoke_agent` span.

use od_protocol::{AgentSwitched, ErrorKind, RunStarted, SessionStarted};
use opentelemetry::KeyValue;
use opentelemetry::trace::{Event, SpanId, SpanKind};

use super::super::attributes;
use super::super::genai_provider::genai_provider;
use super::super::span_draft::{SpanDraft, time};
use crate::journal::RunRecord;

/// The facts about one attempt that its spans need.
#[derive(Debug)]
pub(super) struct Attempt {
    pub(super) id: SpanId,
    agent: String,
    /// The agent of the next attempt.
    next_agent: Option<String>,
    /// Whether `run_started` arrived.
    pub(super) is_started: bool,
    started: u64,
    /// When the host gave up on the attempt; the agent CLI may have run longer.
    pub(super) abandoned_at: Option<u64>,
    pub(super) ended: u64,
    version: Option<String>,
    provider: Option<String>,
    session_id: Option<String>,
    model: Option<String>,
    /// The last error it reported.
    pub(super) error: Option<ErrorKind>,
    pub(super) events: Vec<Event>,
}

impl Attempt {
    pub(super) fn new(id: SpanId, agent: &str, started: u64) -> Self {
        Self {
            id,
            agent: agent.to_owned(),
            next_agent: None,
            is_started: false,
            started,
            abandoned_at: None,
            ended: started,
            version: None,
            provider: None,
            session_id: None,
            model: None,
            error: None,
            events: Vec::new(),
        }
    }

    pub(super) fn set_start(&mut self, started: &RunStarted) {
        self.is_started = true;
        self.version.clone_from(&started.cli_version);
    }

    pub(super) fn set_session(&mut self, session: SessionStarted) {
        self.session_id = Some(session.session_id);
        self.set_model(session.model);
    }

    pub(super) fn set_model(&mut self, model: Option<String>) {
        self.model = model.or(self.model.take());
    }

    pub(super) fn set_provider(&mut self, provider: Option<String>) {
        self.provider = provider.or(self.provider.take());
    }

    /// Sets the agents from a switch: the run's record has only the last agent.
    pub(super) fn set_agents(&mut self, switch: &AgentSwitched) {
        self.agent.clone_from(&switch.from_agent);
        self.next_agent = Some(switch.to_agent.clone());
    }

    /// The agent of the next attempt.
    pub(super) fn next_agent(&self) -> &str {
        self.next_agent.as_ref().unwrap_or(&self.agent)
    }

    pub(super) fn add_event(&mut self, ts: u64, name: &'static str, attributes: Vec<KeyValue>) {
        self.events.push(Event::new(name, time(ts), attributes, 0));
    }

    /// Its span without events and status.
    pub(super) fn draft(&self, id: SpanId, record: &RunRecord) -> SpanDraft {
        let mut draft = SpanDraft::new(id, "invoke_agent", &self.agent, self.started);
        draft.kind = SpanKind::Client;
        draft.ended = self.ended;
        draft.set(attributes::AGENT_NAME, self.agent.clone());
        draft.set_some(attributes::AGENT_VERSION, self.version.as_deref());
        let requested_model = record.requested_model(&self.agent);
        draft.set_some(attributes::REQUEST_MODEL, requested_model);
        self.describe(&mut draft);
        draft
    }

    /// Its span as one of several attempts.
    pub(super) fn finish(self, record: &RunRecord, failure: Option<ErrorKind>) -> SpanDraft {
        let mut draft = self.draft(self.id, record);
        draft.events = self.events;
        if let Some(kind) = failure {
            draft.fail(kind.as_str());
        }
        draft
    }

    /// Adds the model to a turn, which is known only at its end.
    pub(super) fn describe_turn(&self, turn: &mut SpanDraft) {
        if let Some(model) = &self.model {
            turn.name = format!("{} {model}", turn.name);
            turn.set(attributes::REQUEST_MODEL, model.clone());
        }
        self.describe(turn);
    }

    fn describe(&self, draft: &mut SpanDraft) {
        let provider = genai_provider(self.provider.as_deref());
        draft.set(attributes::PROVIDER, provider.to_owned());
        draft.set_some(attributes::RESPONSE_MODEL, self.model.as_deref());
        draft.set_some(attributes::CONVERSATION, self.session_id.as_deref());
    }
}
