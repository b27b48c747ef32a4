//! From the server's first sign of life to the prompt: is it there, does it talk to us, the session,
//! its rules and MCP servers, then what the run is about.

use od_protocol::{ErrorEvent, ErrorKind, Event, SessionMode, SessionStarted};
use od_sdk::http::{Answer, Server};
use od_sdk::parts::native::{NamedError, SessionInfo};
use od_sdk::{RunOutput, parts};
use serde::Deserialize;
use serde_json::Value;

use super::{Events, read, requests};
use crate::native::{ServerEvent, SessionCreated};

/// Ids of sessions start so.
const SESSION_PREFIX: &str = "ses";

/// How far a run is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    /// The server is not there yet.
    Starting,
    /// It was asked whether it is there.
    Greeting,
    /// Its events were asked for.
    Connecting,
    /// The session was asked for.
    Opening,
    /// The session is there and is being set up.
    Setting,
    /// The prompt was sent.
    Live,
}

impl Events {
    pub(super) fn connect(&mut self, server: Server, output: &mut RunOutput) {
        self.phase = Phase::Greeting;
        output.connect(server);
        output.request(self.requests.health());
    }

    /// The events come: nothing that happens from now on is missed.
    pub(super) fn on_connected(&mut self, output: &mut RunOutput) {
        if self.phase != Phase::Connecting {
            return;
        }
        self.phase = Phase::Opening;
        let session = &self.start_run_params.session;
        let request = match (session.mode, &session.id) {
            (SessionMode::Resume, Some(id)) => self.requests.old_session(id),
            (SessionMode::Fork, Some(id)) => self.requests.fork_session(id),
            _ => self.requests.new_session(&self.start_run_params),
        };
        output.request(request);
    }

    /// A helper's session: only what it asks for concerns the run.
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
                    self.approvals.add_helper(session_id);
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
            (requests::HEALTH, _) => output.fail(stranger(answer)),
            (requests::SESSION, Some(session)) => self.on_session(&session, output),
            (requests::RULES | requests::MCP, Some(_)) if self.phase == Phase::Setting => {
                self.next_setting(output);
            }
            // What is answered without a document (204, `true`) went well; what was refused did not.
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
            let message = "the server opened a session without saying which";
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
        self.phase = Phase::Setting;
        let rules = parts::rules(&self.start_run_params);
        match choice.mode != SessionMode::New && !rules.is_empty() {
            true => output.request(self.requests.set_rules(&self.session_id, &rules)),
            false => self.next_setting(output),
        }
    }

    /// The MCP servers one after the other, then the prompt.
    fn next_setting(&mut self, output: &mut RunOutput) {
        if !self.start_run_params.mcp_servers.is_empty() {
            let server = self.start_run_params.mcp_servers.remove(0);
            return output.request(self.requests.add_mcp_server(&server));
        }
        self.phase = Phase::Live;
        self.turn.begin(output);
        output.request(self.requests.first_prompt(&self.session_id, &self.start_run_params));
    }

    /// What the server refused, in its own words.
    fn refusal(&self, answer: &Answer) -> ErrorEvent {
        let error: NamedError = serde_json::from_slice(&answer.body).unwrap_or_default();
        let id = self.start_run_params.session.id.as_deref().unwrap_or_default();
        // An id that does not even look like one is an internal error to the server.
        let is_strange = !id.is_empty() && !id.starts_with(SESSION_PREFIX);
        if self.phase == Phase::Opening && (answer.status == 404 || is_strange) {
            return ErrorEvent::fatal(
                ErrorKind::SessionUnknown,
                format!("session {id:?} is not known to OpenCode"),
            )
            .with_hint("`opencode session list` names the sessions");
        }
        let failure = parts::judge(&error, self.credential());
        match failure.message.is_empty() {
            false => failure,
            true => {
                let message = format!("the server answered with the status {}", answer.status);
                ErrorEvent::fatal(ErrorKind::CliProtocol, message)
            }
        }
    }
}

/// Whoever answered is not the server we want, or does not want us.
fn stranger(answer: &Answer) -> ErrorEvent {
    match answer.status {
        401 | 403 => {
            ErrorEvent::fatal(ErrorKind::AuthMissing, "the server wants another user or password")
                .with_hint("set OPENCODE_SERVER_PASSWORD in the run's env to the server's password")
        }
        status => ErrorEvent::fatal(
            ErrorKind::CliProtocol,
            format!("what answers there is no OpenCode server: status {status}, no health"),
        )
        .with_hint("start one: opencode serve --port 4096"),
    }
}
