//! The conversation with the agent: dispatches its messages, sends prompts and decisions, ends the
//! run. `mapper/session.rs` opens the session, `mapper/updates.rs` maps updates.

mod session;
mod updates;

use od_protocol::adapter::RespondRunParams;
use od_protocol::{DoneEvidence, ErrorEvent, Event, InputOutcome, StopReason, UserMessage};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::approvals::{self, Approvals};
use super::dialect::{Dialect, Stage};
use super::handshake::{self, Handshake, Setting};
use super::messages::Messages;
use super::native::{AgentCapabilities, PermissionParams, PromptResult, UpdateHead, UpdateParams};
use super::settings::Current;
use super::tools::Tools;
use super::turns::Turns;
use super::usage::UsageTracker;
use crate::json_rpc::{self, Incoming, METHOD_NOT_FOUND, Requests, RpcError};
use crate::{Exit, Mapper, PoliteStop, RunOutcome, RunOutput, UserInput};

/// The purpose of a request that we sent.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Purpose {
    Initialize,
    Authenticate,
    Open,
    Set(Setting),
    Prompt,
}

/// The phase of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// No session yet.
    Handshake,
    /// The agent sends the history of a loaded session.
    History,
    /// The session is being configured.
    Setting,
    /// The agent answers a prompt.
    Live,
}

/// One run over ACP.
pub struct AcpMapper {
    dialect: Box<dyn Dialect>,
    handshake: Handshake,
    requests: Requests<Purpose>,
    capabilities: AgentCapabilities,
    phase: Phase,
    session_id: String,
    current: Current,
    turns: Turns,
    messages: Messages,
    tools: Tools,
    approvals: Approvals,
    usage: UsageTracker,
}

impl AcpMapper {
    /// The state before the first line; [`initialize_line`](super::initialize_line) was written.
    pub fn new(handshake: Handshake, dialect: Box<dyn Dialect>) -> Self {
        let mut requests = Requests::new(json_rpc::Dialect::Versioned);
        // This only reserves its number: the line is already on stdin.
        handshake::initialize(&mut requests, Purpose::Initialize);
        Self {
            dialect,
            handshake,
            requests,
            capabilities: AgentCapabilities::default(),
            phase: Phase::Handshake,
            session_id: String::new(),
            current: Current::default(),
            turns: Turns::default(),
            messages: Messages::default(),
            tools: Tools::default(),
            approvals: Approvals::default(),
            usage: UsageTracker::default(),
        }
    }

    fn request(&mut self, method: &str, params: Value, purpose: Purpose, output: &mut RunOutput) {
        output.write_json(&self.requests.request(method, params, purpose));
    }

    fn on_reply(&mut self, purpose: Purpose, result: &RawValue, output: &mut RunOutput) {
        match purpose {
            Purpose::Initialize => self.on_initialized(&lenient(result), output),
            Purpose::Authenticate => self.open_session(output),
            Purpose::Open => self.on_session(&lenient(result), output),
            Purpose::Set(setting) => self.on_set(setting, output),
            Purpose::Prompt => self.on_answer(&lenient(result), output),
        }
    }

    fn on_refusal(&mut self, purpose: &Purpose, error: &RpcError, output: &mut RunOutput) {
        if output.is_cancelling() {
            return self.finish(RunOutcome::CANCELLED, output);
        }
        self.messages.end(output);
        let failure = self.dialect.failure(error, stage(purpose));
        self.fail(failure, output);
    }

    fn send_prompt(&mut self, prompt: Vec<Value>, output: &mut RunOutput) {
        self.phase = Phase::Live;
        self.turns.begin(output);
        let params = json!({"sessionId": self.session_id, "prompt": prompt});
        self.request("session/prompt", params, Purpose::Prompt, output);
    }

    /// The turn has ended.
    fn on_answer(&mut self, result: &PromptResult, output: &mut RunOutput) {
        self.messages.end(output);
        let tokens = self.dialect.usage(result);
        let model = self.dialect.usage_model(result).or_else(|| self.current.model.clone());
        self.usage.on_turn(tokens, model, output);
        let stop_reason = StopReason::from_wire(&result.stop_reason);
        let is_cancelled = stop_reason == StopReason::Cancelled || output.is_cancelling();
        if !is_cancelled
            && let Some(failure) = self.dialect.failure_in_text(result, self.messages.last_text())
        {
            self.messages.discard_last(output);
            return self.fail(failure, output);
        }
        self.turns.end(stop_reason, output);
        if is_cancelled {
            return self.finish(RunOutcome::CANCELLED, output);
        }
        match self.turns.take_next() {
            Some(text) => {
                output.event(Event::UserMessage(UserMessage { text: text.clone() }));
                self.send_prompt(vec![handshake::text_block(&text)], output);
            }
            None => self.finish(RunOutcome { stop_reason, ..RunOutcome::COMPLETED }, output),
        }
    }

    fn on_request(&mut self, id: Value, method: &str, params: &RawValue, output: &mut RunOutput) {
        match method {
            "session/request_permission" => self.on_permission(id, lenient(params), output),
            // Forms are not supported: the agent gets a refusal and continues.
            "elicitation/create" => {
                output.write_json(&self.requests.reply(&id, json!({"action": "cancel"})));
            }
            _ => {
                let message = format!("this client does not offer {method:?}");
                output.write_json(&self.requests.refusal(&id, METHOD_NOT_FOUND, &message));
            }
        }
    }

    fn on_permission(&mut self, id: Value, params: PermissionParams, output: &mut RunOutput) {
        let cancelled = approvals::answer(None);
        if output.is_cancelling() {
            return output.write_json(&self.requests.reply(&id, cancelled));
        }
        self.messages.end(output);
        let PermissionParams { tool_call, options } = params;
        match self.tools.on_permission(tool_call, &*self.dialect, output) {
            Some(call) => self.approvals.request(id, call, options, &*self.dialect, output),
            // A request without a call cannot be shown.
            None => output.write_json(&self.requests.reply(&id, cancelled)),
        }
    }

    fn on_notification(&mut self, method: &str, params: &RawValue, output: &mut RunOutput) {
        let understood = match method {
            "session/update" => self.on_update(params, output),
            _ => {
                let value: Value = lenient(params);
                self.dialect.on_notification(method, &value, output).then_some(())
            }
        };
        if understood.is_none() {
            let update = head(params).map(|head| head.session_update.into_owned());
            let native_type = match update {
                Some(update) => format!("{method}/{update}"),
                None => method.to_owned(),
            };
            output.unmapped(&native_type, params.get().as_bytes());
        }
    }

    fn fail(&mut self, failure: ErrorEvent, output: &mut RunOutput) {
        output.fail(failure);
        output.close_stdin();
    }

    fn finish(&mut self, outcome: RunOutcome, output: &mut RunOutput) {
        self.messages.end(output);
        output.close_stdin();
        output.finish(outcome);
    }
}

impl Mapper for AcpMapper {
    fn on_line(&mut self, line: &[u8], output: &mut RunOutput) {
        match Incoming::read(line) {
            Some(Incoming::Reply { id, outcome }) => {
                // A reply to no pending request is ignored.
                let Some(purpose) = id.and_then(|id| self.requests.take(id)) else { return };
                match outcome {
                    Ok(result) => self.on_reply(purpose, result, output),
                    Err(error) => self.on_refusal(&purpose, &error, output),
                }
            }
            Some(Incoming::Request { id, method, params }) => {
                self.on_request(id, &method, params, output);
            }
            Some(Incoming::Notification { method, params }) => {
                self.on_notification(&method, params, output);
            }
            None => {}
        }
    }

    fn on_stderr_line(&mut self, line: &[u8], output: &mut RunOutput) {
        self.dialect.on_stderr_line(line, output);
        if self.dialect.stream_interrupted() {
            self.messages.start_over(output);
        }
    }

    fn on_silence(&mut self, output: &mut RunOutput) {
        self.messages.pause();
        output.limit_silence(None);
        self.dialect.on_silence(output);
    }

    fn on_input(&mut self, input: UserInput<'_>, output: &mut RunOutput) -> InputOutcome {
        if input.is_for_other_turn(self.turns.current()) || output.is_cancelling() {
            return InputOutcome::Refused;
        }
        self.turns.queue(input.text);
        InputOutcome::Queued
    }

    fn on_decision(&mut self, respond_run_params: &RespondRunParams, output: &mut RunOutput) {
        let Some(decision) = self.approvals.decide(respond_run_params) else { return };
        output.write_json(&self.requests.reply(&decision.request_id, decision.result));
        if let Some(call_id) = &decision.denied_call {
            self.tools.deny(call_id, output);
        }
    }

    fn on_cancel(&mut self, output: &mut RunOutput) -> PoliteStop {
        self.turns.clear_queue();
        if self.phase != Phase::Live {
            output.close_stdin();
            return PoliteStop::Terminate;
        }
        let params = json!({"sessionId": self.session_id});
        output.write_json(&self.requests.notification("session/cancel", params));
        PoliteStop::Written
    }

    fn on_exit(&mut self, exit: &Exit, output: &mut RunOutput) -> Option<RunOutcome> {
        let failure = self.dialect.exit_failure(exit)?;
        output.event(Event::Error(ErrorEvent { fatal: true, ..failure }));
        Some(RunOutcome { evidence: DoneEvidence::ExitCode, ..RunOutcome::FAILED })
    }
}

fn stage(purpose: &Purpose) -> Stage {
    match purpose {
        Purpose::Initialize => Stage::Initialize,
        Purpose::Authenticate => Stage::Authenticate,
        Purpose::Open => Stage::Open,
        Purpose::Set(Setting::Model(_)) => Stage::SetModel,
        Purpose::Set(Setting::ConfigOption { id, .. }) if id == "model" => Stage::SetModel,
        Purpose::Set(_) => Stage::Set,
        Purpose::Prompt => Stage::Prompt,
    }
}

fn head(params: &RawValue) -> Option<UpdateHead<'_>> {
    let params: UpdateParams<'_> = serde_json::from_str(params.get()).ok()?;
    serde_json::from_str(params.update.get()).ok()
}

fn read<'a, T: Deserialize<'a>>(value: &'a RawValue) -> Option<T> {
    serde_json::from_str(value.get()).ok()
}

/// Unreadable values count as empty.
fn lenient<'a, T: Deserialize<'a> + Default>(value: &'a RawValue) -> T {
    read(value).unwrap_or_default()
}
