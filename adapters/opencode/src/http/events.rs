//! Maps the server's replies and events to protocol events: one state machine per run. Pure: no
//! clock, no socket, no process. This file dispatches; the details are in `events/`.

mod approvals;
mod handshake;
mod turn;

use crate::native::NamedError;
use crate::{FailedAttempt, Finish, PartMapper, RetryBudget};
use od_protocol::adapter::{RespondRunParams, StartRunParams};
use od_protocol::{Context, Credential, ErrorEvent, ErrorKind, Event, InputOutcome, StopReason};
use od_sdk::http::{Reply, Server};
use od_sdk::start_run::AdapterOptions;
use od_sdk::{Exit, Install, Mapper, PoliteStop, RunOutcome, RunOutput, UserInput};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::http::native::{
    MessageUpdated, Owner, PartChange, PartUpdated, ServerEvent, SessionError, SessionStatus,
};
use crate::http::options::Options;
use crate::http::requests::{self, Requests};
use crate::http::server;
use approvals::Approvals;
use handshake::Phase;
use turn::Turn;

/// Prefixes of events that no run needs.
const IGNORED_EVENTS: &[&str] = &[
    "server.",
    "plugin.",
    "catalog.",
    "reference.",
    "integration.",
    "installation.",
    "models-dev.",
    "file.",
    "lsp.",
    "mcp.",
    "project.",
    "pty.",
    "vcs.",
    "workspace.",
    "worktree.",
    "tui.",
    "command.",
    "todo.",
    "session.updated",
    "session.diff",
    "session.deleted",
    "session.next.",
    "message.removed",
    "permission.v2.",
    "question.v2.",
    "question.replied",
    "question.rejected",
    "global.",
];

/// The state of one run.
#[derive(Debug)]
pub struct Events {
    start_run_params: StartRunParams,
    install: Install,
    /// The running server that the run is attached to, if any.
    attached: Option<Server>,
    requests: Requests,
    phase: Phase,
    session_id: String,
    parts: PartMapper,
    turn: Turn,
    approvals: Approvals,
    retry_budget: RetryBudget,
    error: Option<NamedError>,
    /// Why the connection to the server was lost.
    connection_error: Option<String>,
}

impl Events {
    /// The state before the server is ready.
    pub fn new(start_run_params: &StartRunParams, install: &Install) -> Self {
        let options = Options::lenient(start_run_params);
        Self {
            start_run_params: start_run_params.clone(),
            install: install.clone(),
            // `invocation` has rejected malformed addresses.
            attached: server::attached(start_run_params).ok().flatten(),
            requests: Requests::new(&start_run_params.cwd),
            phase: Phase::Starting,
            session_id: String::new(),
            parts: PartMapper::default(),
            turn: Turn::default(),
            approvals: Approvals::default(),
            retry_budget: RetryBudget::new(options.retries()),
            error: None,
            connection_error: None,
        }
    }

    fn credential(&self) -> Option<&Credential> {
        self.install.credential.as_ref()
    }

    /// Handles events of the run's session, and requests from the sessions of its subagents.
    fn on_own_event(&mut self, event: &ServerEvent, data: &[u8], output: &mut RunOutput) {
        let properties = &event.properties;
        let understood = match event.kind.as_str() {
            "message.updated" => read(properties).map(|it| self.on_message(&it, output)),
            "message.part.updated" => read(properties).map(|it| self.on_part(&it, output)),
            "message.part.delta" => read(properties).map(|it| self.on_delta(&it, output)),
            "message.part.removed" => {
                read(properties).map(|it: PartChange| self.parts.on_removed(&it.part_id, output))
            }
            "session.status" => read(properties).map(|it| self.on_status(&it, output)),
            "session.idle" => {
                self.on_idle(output);
                Some(())
            }
            "session.error" => read(properties).map(|it| self.on_error(it, output)),
            "session.created" => Some(()),
            "session.compacted" => {
                output.event(Event::Context(Context {
                    used_tokens: 0,
                    max_tokens: None,
                    compacted: true,
                }));
                Some(())
            }
            "permission.asked" => {
                read(properties).map(|it| self.approvals.on_asked(it, &self.parts, output))
            }
            "permission.replied" => {
                read(properties).map(|it| self.approvals.on_replied(&it, output))
            }
            "question.asked" => read(properties).map(|it| self.approvals.on_question(it, output)),
            _ => None,
        };
        if understood.is_none() {
            output.unmapped(&event.kind, data);
        }
    }

    fn on_message(&mut self, message: &MessageUpdated, output: &mut RunOutput) {
        self.turn.on_message(&message.info);
        if self.turn.is_old(&message.info.id) {
            return;
        }
        self.parts.on_message(&message.info);
        if let Some(answer) = &message.info.structured {
            self.turn.report_answer(answer, output);
        }
    }

    fn on_part(&mut self, updated: &PartUpdated, output: &mut RunOutput) {
        if self.turn.is_old(&updated.part.message_id) {
            return;
        }
        if self.parts.is_user_message(&updated.part.message_id) {
            return self.turn.on_users_part(&updated.part, output);
        }
        if updated.part.kind != "step-start" {
            self.retry_budget.on_answer(output);
        }
        self.parts.on_part(&updated.part, output);
    }

    /// A part that grows before it is announced is emitted as a whole when it is complete.
    fn on_delta(&mut self, change: &PartChange, output: &mut RunOutput) {
        if change.field == "text" {
            self.parts.on_delta(&change.part_id, &change.delta, output);
        }
    }

    fn on_status(&mut self, session_status: &SessionStatus, output: &mut RunOutput) {
        let status = &session_status.status;
        match status.kind.as_str() {
            "busy" => self.turn.is_busy = true,
            "retry" => {
                self.turn.is_busy = true;
                self.parts.on_retry(output);
                let failure = crate::failure::classify_text(&status.message, self.credential());
                let next_at = status.next.map(|millis| millis.max(0.0) as u64);
                let number = Some(status.attempt.max(1));
                self.retry_budget.on_failed(FailedAttempt { failure, number, next_at }, output);
                if output.is_finished() {
                    output.request(self.requests.abort(&self.session_id));
                }
            }
            // `session.idle` follows and carries the same information.
            _ => {}
        }
    }

    /// The first error is the precise one; later ones repeat it with a stack trace.
    fn on_error(&mut self, session_error: SessionError, output: &mut RunOutput) {
        self.error = self.error.take().or(session_error.error);
        if !self.turn.is_busy && self.phase == Phase::Live {
            // The turn never started, so the session does not become idle either.
            self.conclude(output);
        }
    }

    fn on_idle(&mut self, output: &mut RunOutput) {
        let has_ended = self.error.is_some() || output.is_cancelling() || self.turn.is_answered();
        if self.phase == Phase::Live && self.turn.is_busy && has_ended {
            self.conclude(output);
        }
    }

    /// Ends the run: no other turn follows.
    fn conclude(&mut self, output: &mut RunOutput) {
        let error = self.error.take();
        let is_stopped =
            output.is_cancelling() || error.as_ref().is_some_and(crate::failure::is_abort);
        self.parts.report_usage(output);
        if is_stopped {
            self.turn.end(StopReason::Cancelled, output);
            return output.finish(RunOutcome::CANCELLED);
        }
        if let Some(error) = error {
            let failure = crate::failure::classify(&error, self.credential());
            self.turn.end(od_sdk::failure::stop_reason(&failure.kind), output);
            if let Some(rate_limited) = crate::failure::rate_limited(&failure) {
                output.event(Event::RateLimited(rate_limited));
            }
            return output.fail(failure);
        }
        let stop_reason = match self.parts.finish() {
            Some(Finish::Stopped(stop_reason)) => stop_reason,
            // An answer with an output schema is a call, and a denied call may end a turn.
            Some(Finish::ToolCalls) => StopReason::EndTurn,
            None => {
                self.turn.end(StopReason::Error, output);
                let message = "the session became idle before the model answered";
                let failure = ErrorEvent::fatal(ErrorKind::CliProtocol, message);
                return output
                    .fail(failure.with_hint("set `tracePath` to record what the server sends"));
            }
        };
        self.turn.end(stop_reason, output);
        output.finish(RunOutcome { stop_reason, ..RunOutcome::COMPLETED });
    }
}

impl Mapper for Events {
    fn on_begin(&mut self, output: &mut RunOutput) {
        if let Some(server) = self.attached.clone() {
            self.connect(server, output);
        }
    }

    fn on_line(&mut self, line: &[u8], output: &mut RunOutput) {
        let line = String::from_utf8_lossy(line);
        if self.phase == Phase::Starting
            && let Some(server) = server::own(&line, &self.install)
        {
            self.connect(server, output);
        }
    }

    fn on_reply(&mut self, reply: &Reply, output: &mut RunOutput) {
        match &reply.outcome {
            Ok(answer) => self.on_answer(reply.tag, answer, output),
            Err(reason) => {
                self.connection_error.get_or_insert_with(|| reason.clone());
            }
        }
    }

    fn on_stream_event(&mut self, data: &[u8], output: &mut RunOutput) {
        // Anything but a JSON object with a type is ignored.
        let Ok(event) = serde_json::from_slice::<ServerEvent>(data) else { return };
        if event.kind == "server.connected" {
            return self.on_connected(output);
        }
        let owner = read::<Owner>(&event.properties).and_then(|owner| owner.session_id);
        match owner {
            _ if IGNORED_EVENTS.iter().any(|start| event.kind.starts_with(start)) => {}
            Some(id) if id == self.session_id => self.on_own_event(&event, data, output),
            Some(id) => self.on_foreign_event(&id, &event, output),
            None if event.kind.is_empty() => {}
            None => output.unmapped(&event.kind, data),
        }
    }

    fn on_silence(&mut self, output: &mut RunOutput) {
        self.retry_budget.on_silence(output);
        if output.is_finished() {
            output.request(self.requests.abort(&self.session_id));
        }
    }

    fn on_input(&mut self, input: UserInput<'_>, output: &mut RunOutput) -> InputOutcome {
        if input.is_for_other_turn(self.turn.id())
            || self.phase != Phase::Live
            || output.is_cancelling()
        {
            return InputOutcome::Refused;
        }
        if let Some((id, questions)) = self.approvals.take_question() {
            output.request(self.requests.answer(&id, questions, input.text));
            return InputOutcome::Steered;
        }
        let (session_id, params) = (&self.session_id, &self.start_run_params);
        output.request(self.requests.further_prompt(session_id, input.text, params));
        self.turn.pending_prompts += 1;
        InputOutcome::Queued
    }

    fn on_decision(&mut self, respond_run_params: &RespondRunParams, output: &mut RunOutput) {
        let RespondRunParams { approval_id, outcome, message, .. } = respond_run_params;
        if self.approvals.decide(approval_id) {
            let message = message.as_deref();
            output.request(self.requests.permission(approval_id, *outcome, message));
        }
    }

    fn on_cancel(&mut self, output: &mut RunOutput) -> PoliteStop {
        if self.phase == Phase::Live {
            output.request(self.requests.abort(&self.session_id));
            return PoliteStop::Written;
        }
        if self.attached.is_some() {
            output.finish(RunOutcome::CANCELLED);
        }
        PoliteStop::Terminate
    }

    /// If the run's own server ends, that is a crash, which the sdk reports with its last stderr lines.
    fn on_exit(&mut self, _exit: &Exit, output: &mut RunOutput) -> Option<RunOutcome> {
        let server = self.attached.as_ref()?;
        let reason =
            self.connection_error.take().unwrap_or_else(|| "it closed its event stream".to_owned());
        let message = format!("lost the connection to {}: {reason}", server.url);
        let failure = ErrorEvent::fatal(ErrorKind::NetworkUnreachable, message);
        output.event(Event::Error(
            failure.with_hint(format!("check that it runs: curl {}/global/health", server.url)),
        ));
        Some(RunOutcome::FAILED)
    }
}

fn read<T: DeserializeOwned>(value: &Value) -> Option<T> {
    T::deserialize(value).ok()
}
