//! Maps the demo agent's messages to protocol events: a pure state machine.

use od_protocol::adapter::RespondRunParams;
use od_protocol::{
    ApprovalCategory, ApprovalOption, ApprovalOutcome, ApprovalRequested, ApprovalRisk,
    DoneEvidence, DoneStatus, ErrorEvent, ErrorKind, Event, FileChange, FileChangeSource, FileOp,
    InputOutcome, MessageStopped, Plan, PlanEntry, PlanStatus, SessionChoice, SessionMode,
    SessionStarted, StopReason, ThinkingStopped, ToolCallReady, ToolCallStarted, ToolKind,
    ToolOutputDelta, ToolResult, ToolStatus, TurnEnded, TurnStarted, Usage, UsageScope,
    UsageSource,
};
use od_sdk::{Mapper, PoliteStop, RunOutcome, RunOutput};
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

/// Tokens of the run so far.
struct Tokens {
    input: u64,
    output: u64,
    cache_read: u64,
    cache_write: u64,
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
        Event::ToolResult(ToolResult {
            tool_call_id: id,
            status,
            output,
            exit_code: exit,
            truncated: None,
        })
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
        let Tokens { input, output, cache_read, cache_write } = tokens;
        Event::Usage(Usage {
            scope: UsageScope::Run,
            cumulative: true,
            input_tokens: input,
            output_tokens: output,
            cache_read_tokens: cache_read,
            cache_write_tokens: cache_write,
            reasoning_tokens: None,
            total_tokens: input + output + cache_read + cache_write,
            cost_usd,
            model: self.model.clone(),
            provider: None,
            service_tier: None,
            source: UsageSource::Cli,
        })
    }

    fn on_bye(&mut self, reason: Reason, output: &mut RunOutput) {
        let ending = |status, stop_reason| RunOutcome {
            status,
            stop_reason,
            evidence: DoneEvidence::NativeResult,
        };
        match (reason, self.problem.take()) {
            (Reason::Done, None) => output.finish(RunOutcome::COMPLETED),
            (Reason::Stopped, None) => {
                output.finish(ending(DoneStatus::Cancelled, StopReason::Cancelled));
            }
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
            FromAgent::Output { id, text } => Event::ToolOutputDelta(ToolOutputDelta {
                tool_call_id: id,
                text,
                stream: None,
                truncated: None,
            }),
            FromAgent::Result { id, ok, output, exit } => self.on_result(id, ok, output, exit),
            FromAgent::Wrote { path, new, tool } => Event::FileChange(FileChange {
                path,
                op: if new { FileOp::Create } else { FileOp::Edit },
                from: None,
                source: FileChangeSource::Native,
                diff: None,
                tool_call_id: Some(tool),
                truncated: None,
            }),
            FromAgent::Ask { ask, tool, summary, input } => self.on_ask(ask, tool, summary, input),
            FromAgent::Usage { input, output, cache_read, cache_write, cost } => {
                self.on_usage(Tokens { input, output, cache_read, cache_write }, cost)
            }
        };
        output.event(event);
    }

    fn on_input(
        &mut self,
        text: &str,
        expected_turn: Option<&str>,
        output: &mut RunOutput,
    ) -> InputOutcome {
        if expected_turn.is_some_and(|expected| self.turn.as_deref() != Some(expected)) {
            return InputOutcome::Refused;
        }
        output.write_json(&ToAgent::Say { text: text.to_owned() });
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
        tool_call_id: id.clone(),
        name,
        kind,
        title: Some(title.clone()),
        mcp_server: None,
        parent_tool_call_id: None,
    }));
    output.event(Event::ToolCallReady(ToolCallReady {
        tool_call_id: id,
        input,
        title: Some(title),
        truncated: None,
    }));
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
