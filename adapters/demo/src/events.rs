//! Maps the demo agent's messages to protocol events: a pure state machine.

use od_protocol::adapter::RespondRunParams;
use od_protocol::{
    ApprovalCategory, ApprovalOption, ApprovalOutcome, ApprovalRequested, ApprovalRisk, ErrorEvent,
    ErrorKind, Event, FileChange, FileOp, InputOutcome, MessageStopped, Plan, PlanEntry,
    PlanStatus, SessionChoice, SessionMode, SessionStarted, StopReason, ThinkingStopped,
    ToolCallStarted, ToolKind, ToolResult, ToolStatus, TurnEnded, TurnStarted, Usage, UsageScope,
};
use od_sdk::usage::Tokens;
use od_sdk::{Mapper, PoliteStop, RunOutcome, RunOutput, UserInput, event};
use serde_json::Value;

use crate::native::{FromAgent, Reason, ToAgent};

/// How long the agent waits for an approval.
const APPROVAL_DEADLINE_MS: u64 = 5 * 60 * 1000;

/// The mapper of one run.
pub(crate) struct Events {
    session: SessionChoice,
    model: Option<String>,
    turn: Option<String>,
    /// Denied calls: their result is `denied`, not `error`.
    denied: Vec<String>,
    /// Open approvals and the tool calls they belong to.
    approvals: Vec<(String, String)>,
    problem: Option<ErrorEvent>,
}

impl Events {
    pub(crate) fn new(session: &SessionChoice) -> Self {
        Self {
            session: session.clone(),
            model: None,
            turn: None,
            denied: Vec::new(),
            approvals: Vec::new(),
            problem: None,
        }
    }

    fn on_hello(
        &mut self,
        session: String,
        model: String,
        cwd: String,
        tools: Vec<String>,
    ) -> Event {
        self.model = Some(model.clone());
        let is_fork = self.session.mode == SessionMode::Fork;
        Event::SessionStarted(SessionStarted {
            session_id: session,
            mode: self.session.mode,
            parent_session_id: self.session.id.clone().filter(|_| is_fork),
            model: Some(model),
            cwd: Some(cwd),
            tools: Some(tools),
            mcp_servers: None,
        })
    }

    fn on_result(&self, id: String, ok: bool, output: Value, exit: Option<i32>) -> Event {
        let status = match (ok, self.denied.contains(&id)) {
            (true, _) => ToolStatus::Ok,
            (false, true) => ToolStatus::Denied,
            (false, false) => ToolStatus::Error,
        };
        Event::ToolResult(ToolResult { exit_code: exit, ..event::tool_result(id, status, output) })
    }

    fn on_ask(&mut self, ask: String, tool: String, summary: String, input: Value) -> Event {
        self.approvals.push((ask.clone(), tool.clone()));
        let option = |id: &str, kind, label: &str| ApprovalOption {
            id: id.to_owned(),
            kind,
            label: Some(label.to_owned()),
        };
        Event::ApprovalRequested(ApprovalRequested {
            approval_id: ask,
            category: ApprovalCategory::Edit,
            risk: ApprovalRisk::Med,
            summary,
            tool_call_id: Some(tool),
            input: Some(input),
            options: vec![
                option("yes", ApprovalOutcome::AllowOnce, "Write it"),
                option("no", ApprovalOutcome::RejectOnce, "Leave it"),
            ],
            deadline_ms: Some(APPROVAL_DEADLINE_MS),
        })
    }

    fn on_usage(&self, tokens: Tokens, cost_usd: Option<f64>) -> Event {
        let model = self.model.clone();
        Event::Usage(Usage { cost_usd, model, ..tokens.usage(UsageScope::Run) })
    }

    fn on_bye(&mut self, reason: Reason, output: &mut RunOutput) {
        match (reason, self.problem.take()) {
            (Reason::Done, None) => output.finish(RunOutcome::COMPLETED),
            (Reason::Stopped, None) => output.finish(RunOutcome::CANCELLED),
            (_, Some(problem)) => output.fail(problem),
            (Reason::Failed | Reason::Other, None) => output.fail(ErrorEvent::fatal(
                ErrorKind::CliProtocol,
                "the demo agent failed without an error message",
            )),
        }
    }
}

impl Mapper for Events {
    fn on_line(&mut self, line: &[u8], output: &mut RunOutput) {
        let message = match serde_json::from_slice::<FromAgent<'_>>(line) {
            Ok(message) => message,
            Err(_) => return on_unknown_line(line, output),
        };
        let event = match message {
            FromAgent::Think { id, text } => return output.thinking_delta(&id, &text),
            FromAgent::Text { id, text } => return output.text_delta(&id, &text),
            FromAgent::Bye { reason } => return self.on_bye(reason, output),
            FromAgent::Tool { id, name, title, input } => {
                return on_tool(id, name, title, input, output);
            }
            FromAgent::Problem { kind, message, hint } => {
                let error = ErrorEvent::fatal(ErrorKind::from_wire(&kind), message);
                self.problem = Some(ErrorEvent { hint, ..error });
                return;
            }
            FromAgent::Hello { session, model, cwd, tools } => {
                self.on_hello(session, model, cwd, tools)
            }
            FromAgent::Turn { turn } => {
                self.turn = Some(turn.clone());
                Event::TurnStarted(TurnStarted { turn_id: turn })
            }
            FromAgent::TurnEnd { turn } => {
                self.turn = None;
                Event::TurnEnded(TurnEnded { turn_id: turn, stop_reason: StopReason::EndTurn })
            }
            FromAgent::Thought { id } => {
                Event::ThinkingStopped(ThinkingStopped { thinking_id: id })
            }
            FromAgent::Said { id } => Event::MessageStopped(MessageStopped { message_id: id }),
            FromAgent::Plan { steps } => Event::Plan(plan(steps)),
            FromAgent::Output { id, text } => {
                Event::ToolOutputDelta(event::tool_output_delta(id, text))
            }
            FromAgent::Result { id, ok, output, exit } => self.on_result(id, ok, output, exit),
            FromAgent::Wrote { path, new, tool } => {
                let op = if new { FileOp::Create } else { FileOp::Edit };
                let tool_call_id = Some(tool);
                Event::FileChange(FileChange { tool_call_id, ..event::file_change(path, op) })
            }
            FromAgent::Ask { ask, tool, summary, input } => self.on_ask(ask, tool, summary, input),
            FromAgent::Usage { input, output, cache_read, cache_write, cost } => {
                let reasoning = None;
                self.on_usage(Tokens { input, output, cache_read, cache_write, reasoning }, cost)
            }
        };
        output.event(event);
    }

    fn on_input(&mut self, input: UserInput<'_>, output: &mut RunOutput) -> InputOutcome {
        if input.is_for_other_turn(self.turn.as_deref()) {
            return InputOutcome::Refused;
        }
        output.write_json(&ToAgent::Say { text: input.text.to_owned() });
        InputOutcome::Queued
    }

    fn on_decision(&mut self, decision: &RespondRunParams, output: &mut RunOutput) {
        let allow = decision.outcome.is_allowed();
        let approval = self.approvals.iter().find(|(id, _)| *id == decision.approval_id);
        if let (false, Some((_, tool))) = (allow, approval) {
            self.denied.push(tool.clone());
        }
        output.write_json(&ToAgent::Answer {
            ask: decision.approval_id.clone(),
            allow,
            input: decision.updated_input.clone().map(Value::Object),
            message: decision.message.clone(),
        });
    }

    fn on_cancel(&mut self, output: &mut RunOutput) -> PoliteStop {
        output.write_json(&ToAgent::Stop);
        PoliteStop::Written
    }
}

fn on_tool(id: String, name: String, title: String, input: Value, output: &mut RunOutput) {
    let kind = match name.as_str() {
        "list_files" => ToolKind::Read,
        "write_file" => ToolKind::Edit,
        "run_command" => ToolKind::Execute,
        _ => ToolKind::Other,
    };
    output.event(Event::ToolCallStarted(ToolCallStarted {
        title: Some(title.clone()),
        ..event::tool_call_started(&id, name, kind)
    }));
    output.event(event::tool_call_ready(id, input, Some(title)));
}

/// A JSON object of an unknown type is reported as unmapped; a line that is not JSON is dropped.
fn on_unknown_line(line: &[u8], output: &mut RunOutput) {
    let Ok(Value::Object(object)) = serde_json::from_slice(line) else { return };
    let native_type = object.get("type").and_then(Value::as_str).unwrap_or("no type");
    output.unmapped(native_type, line);
}

fn plan(steps: Vec<(String, bool)>) -> Plan {
    let mut has_current_step = false;
    let entries = steps.into_iter().map(|(content, is_done)| {
        let status = match (is_done, has_current_step) {
            (true, _) => PlanStatus::Completed,
            (false, false) => {
                has_current_step = true;
                PlanStatus::InProgress
            }
            (false, true) => PlanStatus::Pending,
        };
        PlanEntry { content, status }
    });
    Plan { entries: entries.collect() }
}
