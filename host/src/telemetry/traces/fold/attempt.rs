//! One attempt of a run: one agent, one adapter process, one `invoke_agent`.

use od_protocol::{AgentSwitched, Credential, ErrorKind, RunStarted, SessionStarted};
use opentelemetry::KeyValue;
use opentelemetry::trace::{Event, SpanId, SpanKind};

use super::super::provider::provider;
use super::super::span::{Draft, time};
use super::super::words;
use crate::journal::RunRecord;

/// What is known of an attempt.
#[derive(Debug)]
pub(super) struct Attempt {
    pub(super) id: SpanId,
    agent: String,
    /// The agent that takes over.
    next_agent: Option<String>,
    /// Its `run_started` was there.
    pub(super) is_started: bool,
    started: u64,
    /// When something else was tried; the agent CLI itself may have gone on all the same.
    pub(super) given_up_at: Option<u64>,
    pub(super) ended: u64,
    version: Option<String>,
    credential: Option<Credential>,
    session_id: Option<String>,
    model: Option<String>,
    /// The last error it told.
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
            given_up_at: None,
            ended: started,
            version: None,
            credential: None,
            session_id: None,
            model: None,
            error: None,
            events: Vec::new(),
        }
    }

    pub(super) fn started(&mut self, started: &RunStarted) {
        self.is_started = true;
        self.version.clone_from(&started.cli_version);
        self.credential.clone_from(&started.credential);
    }

    pub(super) fn session(&mut self, session: SessionStarted) {
        self.session_id = Some(session.session_id);
        self.uses_model(session.model);
    }

    pub(super) fn uses_model(&mut self, model: Option<String>) {
        self.model = model.or(self.model.take());
    }

    /// The record only knows who had the run last; the switch knows both.
    pub(super) fn hand_over(&mut self, switch: &AgentSwitched) {
        self.agent.clone_from(&switch.from_agent);
        self.next_agent = Some(switch.to_agent.clone());
    }

    /// Who has the next attempt.
    pub(super) fn successor(&self) -> &str {
        self.next_agent.as_ref().unwrap_or(&self.agent)
    }

    pub(super) fn tell(&mut self, ts: u64, name: &'static str, attributes: Vec<KeyValue>) {
        self.events.push(Event::new(name, time(ts), attributes, 0));
    }

    /// Its span, so far.
    pub(super) fn draft(&self, id: SpanId, record: &RunRecord) -> Draft {
        let mut draft = Draft::new(id, "invoke_agent", &self.agent, self.started);
        draft.kind = SpanKind::Client;
        draft.ended = self.ended;
        draft.set(words::AGENT_NAME, self.agent.clone());
        draft.set_some(words::AGENT_VERSION, self.version.as_deref());
        let asked = record.asked_model(&self.agent);
        draft.set_some(words::REQUEST_MODEL, asked);
        self.describe(&mut draft, asked);
        draft
    }

    /// Its own span among others.
    pub(super) fn finish(self, record: &RunRecord, failure: Option<ErrorKind>) -> Draft {
        let mut draft = self.draft(self.id, record);
        draft.events = self.events;
        if let Some(kind) = failure {
            draft.fail(kind.as_str());
        }
        draft
    }

    /// What a turn only knows at its end.
    pub(super) fn describe_turn(&self, turn: &mut Draft) {
        if let Some(model) = &self.model {
            turn.name = format!("{} {model}", turn.name);
            turn.set(words::REQUEST_MODEL, model.clone());
        }
        self.describe(turn, None);
    }

    fn describe(&self, draft: &mut Draft, asked: Option<&str>) {
        let model = self.model.as_deref().or(asked).unwrap_or_default();
        draft.set(words::PROVIDER, provider(model, self.credential.as_ref()));
        draft.set_some(words::RESPONSE_MODEL, self.model.as_deref());
        draft.set_some(words::CONVERSATION, self.session_id.as_deref());
    }
}
