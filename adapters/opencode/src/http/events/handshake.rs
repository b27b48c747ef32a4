//! The handshake with the server: health check, event stream, session, rules, MCP servers, and then
//! the prompt.

use crate::native::{NamedError, SessionInfo};
use od_protocol::{ErrorEvent, ErrorKind, Event, SessionMode, SessionStarted};
use od_sdk::RunOutput;
use od_sdk::http::{Answer, Server};
use serde::Deserialize;
use serde_json::Value;

use super::{Events, read, requests};
use crate::http::native::{ServerEvent, SessionCreated};

/// The start of every session id.
const SESSION_PREFIX: &str = "ses";

/// The phase of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    /// The server is not ready yet.
    Starting,
    /// The health check was sent.
    HealthCheck,
    /// The event stream was requested.
    Connecting,
    /// The session was requested.
    OpeningSession,
    /// The session exists and is being configured.
    Configuring,
    /// The models were requested: the server ignores an effort that the model lacks.
    CheckingEffort,
    /// The prompt was sent.
    Live,
}

impl Events {
    pub(super) fn connect(&mut self, server: Server, output: &mut RunOutput) {
        self.phase = Phase::HealthCheck;
        output.connect(server);
        output.request(self.requests.health());
    }

    /// The event stream is open, so no event of the session is missed.
    pub(super) fn on_connected(&mut self, output: &mut RunOutput) {
        if self.phase != Phase::Connecting {
            return;
        }
        self.phase = Phase::OpeningSession;
        let session = &self.start_run_params.session;
        let request = match (session.mode, &session.id) {
            (SessionMode::Resume, Some(id)) => self.requests.existing_session(id),
            (SessionMode::Fork, Some(id)) => self.requests.fork_session(id),
            _ => self.requests.new_session(&self.start_run_params),
        };
        output.request(request);
    }

    /// Handles events of other sessions: only requests of subagents matter to the run.
    pub(super) fn on_foreign_event(
        &mut self,
        session_id: &str,
        event: &ServerEvent,
        output: &mut RunOutput,
    ) {
        match event.kind.as_str() {
            "session.created" => {
                let created: Option<SessionCreated> = read(&event.properties);
                let parent = created.and_then(|created| created.info.parent_id);
                if parent.is_some_and(|parent| self.approvals.is_known(&parent, &self.session_id)) {
                    self.approvals.add_subagent(session_id);
                }
            }
            "permission.asked" | "permission.replied" | "question.asked"
                if self.approvals.is_known(session_id, &self.session_id) =>
            {
                self.on_own_event(event, &[], output);
            }
            _ => {}
        }
    }

    pub(super) fn on_answer(&mut self, tag: &str, answer: &Answer, output: &mut RunOutput) {
        match (tag, answer.json()) {
            (requests::HEALTH, Some(health)) if health["healthy"] == Value::Bool(true) => {
                self.phase = Phase::Connecting;
                output.open_stream(self.requests.events());
            }
            (requests::HEALTH, _) => output.fail(failed_health_check(answer)),
            (requests::SESSION, Some(session)) => self.on_session(&session, output),
            (requests::RULES | requests::MCP, Some(_)) if self.phase == Phase::Configuring => {
                self.configure_next(output);
            }
            (requests::MODELS, models) if self.phase == Phase::CheckingEffort => {
                match self.unsupported_effort(models.as_ref()) {
                    Some(error) => output.fail(error),
                    None => self.configure_next(output),
                }
            }
            // A reply without a document (204, `true`) is a success unless its status is an error.
            (requests::SESSION | requests::RULES | requests::MCP | requests::PROMPT, None)
                if answer.status >= 400 =>
            {
                output.fail(self.refusal(answer));
            }
            _ => {}
        }
    }

    fn on_session(&mut self, session: &Value, output: &mut RunOutput) {
        let session = SessionInfo::deserialize(session).unwrap_or_default();
        if session.id.is_empty() {
            let message = "the server opened a session without an id";
            return output.fail(ErrorEvent::fatal(ErrorKind::CliProtocol, message));
        }
        self.session_id.clone_from(&session.id);
        self.turn.set_since(&session);
        let choice = self.start_run_params.session.clone();
        output.event(Event::SessionStarted(SessionStarted {
            session_id: session.id,
            mode: choice.mode,
            parent_session_id: choice.id.filter(|_| choice.mode == SessionMode::Fork),
            model: self.start_run_params.model.clone(),
            cwd: session.directory,
            tools: None,
            mcp_servers: None,
        }));
        self.phase = Phase::Configuring;
        let rules = crate::permission_rules::rules(&self.start_run_params);
        match choice.mode != SessionMode::New && !rules.is_empty() {
            true => output.request(self.requests.set_rules(&self.session_id, &rules)),
            false => self.configure_next(output),
        }
    }

    /// Adds the MCP servers one after the other, checks the effort, then sends the prompt.
    fn configure_next(&mut self, output: &mut RunOutput) {
        if !self.start_run_params.mcp_servers.is_empty() {
            let server = self.start_run_params.mcp_servers.remove(0);
            return output.request(self.requests.add_mcp_server(&server));
        }
        if self.start_run_params.effort.is_some() && self.phase != Phase::CheckingEffort {
            self.phase = Phase::CheckingEffort;
            return output.request(self.requests.models());
        }
        self.phase = Phase::Live;
        self.turn.begin(output);
        output.request(self.requests.first_prompt(&self.session_id, &self.start_run_params));
    }

    /// The error for an effort that the model does not have. Without a model in the run, or with an
    /// unknown one, the server decides.
    fn unsupported_effort(&self, models: Option<&Value>) -> Option<ErrorEvent> {
        let effort = self.start_run_params.effort?;
        let list = crate::models::parse_providers(models?, None)?;
        let wanted = self.start_run_params.model.as_deref()?;
        let efforts = list.models.into_iter().find(|model| model.id == wanted)?.efforts?;
        if efforts.contains(&effort) {
            return None;
        }
        let names: Vec<&str> = efforts.iter().map(|effort| effort.as_str()).collect();
        let hint = match names.is_empty() {
            true => "omit the effort".to_owned(),
            false => format!("omit the effort, or choose one of: {}", names.join(", ")),
        };
        let message = format!("{wanted} does not support the effort {:?}", effort.as_str());
        Some(ErrorEvent::fatal(ErrorKind::CapabilityUnsupported, message).with_hint(hint))
    }

    /// Classifies a request that the server refused.
    fn refusal(&self, answer: &Answer) -> ErrorEvent {
        let error: NamedError = serde_json::from_slice(&answer.body).unwrap_or_default();
        let id = self.start_run_params.session.id.as_deref().unwrap_or_default();
        // The server reports a malformed id as an internal error.
        let is_malformed = !id.is_empty() && !id.starts_with(SESSION_PREFIX);
        if self.phase == Phase::OpeningSession && (answer.status == 404 || is_malformed) {
            return ErrorEvent::fatal(
                ErrorKind::SessionUnknown,
                format!("OpenCode has no session {id:?}"),
            )
            .with_hint("list the sessions: opencode session list");
        }
        let failure = crate::failure::classify(&error, self.credential());
        match failure.message.is_empty() {
            false => failure,
            true => {
                let message = format!("the server answered with status {}", answer.status);
                ErrorEvent::fatal(ErrorKind::CliProtocol, message)
            }
        }
    }
}

/// The reply is not from an OpenCode server, or the server refused the password.
fn failed_health_check(answer: &Answer) -> ErrorEvent {
    match answer.status {
        401 | 403 => {
            ErrorEvent::fatal(ErrorKind::AuthMissing, "the server refused the user or password")
                .with_hint("set OPENCODE_SERVER_PASSWORD in the run's env to the server's password")
        }
        status => ErrorEvent::fatal(
            ErrorKind::CliProtocol,
            format!("the address does not belong to an OpenCode server: status {status}, no health report"),
        )
        .with_hint("start one: opencode serve --port 4096"),
    }
}
