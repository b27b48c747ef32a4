//! Maps the lines of `codex exec --json` to events. It shares the modules of `events`, but has no deltas,
//! no approvals and no error codes.

use od_protocol::adapter::StartRunParams;
use od_protocol::{
    Effort, Event, NoticeLevel, Plan, PlanEntry, PlanStatus, SessionChoice, SessionMode,
    SessionStarted, StopReason, TurnEnded, TurnStarted,
};
use od_sdk::start_run::AdapterOptions;
use od_sdk::{Exit, Install, Mapper, PoliteStop, RunOutcome, RunOutput};

use crate::events::{
    Failure, Limits, Messages, Tools, TurnOutcome, UsageTracker, items, notice, outcome,
};
use crate::native::{ExecLine, Item, TurnError};
use crate::options::Options;

/// Prefix of an error that reports a retry (exec recording `drop`).
const RETRY_PREFIX: &str = "Reconnecting";
/// The id of the only turn.
const TURN_ID: &str = "turn-1";

/// The state of one run.
#[derive(Debug)]
pub struct ExecEvents {
    session: SessionChoice,
    effort: Option<Effort>,
    messages: Messages,
    tools: Tools,
    limits: Limits,
    usage: UsageTracker,
}

impl ExecEvents {
    /// Returns the state before the first line.
    pub fn new(start_run_params: &StartRunParams, install: &Install) -> Self {
        let options = Options::lenient(start_run_params);
        let mut usage = UsageTracker::new(start_run_params.session.mode);
        usage.set_model(start_run_params.model.as_deref());
        Self {
            session: start_run_params.session.clone(),
            effort: start_run_params.effort,
            messages: Messages::default(),
            tools: Tools::default(),
            limits: Limits::new(&options, install.credential.clone()),
            usage,
        }
    }

    fn on_exec_line(&mut self, line: ExecLine<'_>, output: &mut RunOutput) -> Option<()> {
        match &*line.kind {
            "thread.started" => self.on_thread(&line.thread_id?, output),
            "turn.started" => {
                output.event(Event::TurnStarted(TurnStarted { turn_id: TURN_ID.to_owned() }));
            }
            "item.started" => self.on_item_started(line.item.as_deref()?, output)?,
            "item.updated" => self.on_item_updated(line.item.as_deref()?, output)?,
            "item.completed" => self.on_item_completed(line.item.as_deref()?, output)?,
            "error" => self.on_error(&line.message, output),
            "turn.completed" => {
                if let Some(usage) = line.usage {
                    self.usage.on_thread_total(usage, output);
                }
                self.end_turn(
                    TurnOutcome { run_outcome: RunOutcome::COMPLETED, failure: None },
                    output,
                );
            }
            "turn.failed" => {
                let failure = Failure::of_text(&line.error?.message, &self.limits);
                let turn_outcome = TurnOutcome::failed(failure, &self.limits, output);
                self.end_turn(turn_outcome, output);
            }
            _ => return None,
        }
        Some(())
    }

    fn on_thread(&self, thread: &str, output: &mut RunOutput) {
        let SessionChoice { mode, id } = &self.session;
        output.event(Event::SessionStarted(SessionStarted {
            session_id: thread.to_owned(),
            mode: *mode,
            parent_session_id: id.clone().filter(|_| *mode == SessionMode::Fork),
            model: None,
            cwd: None,
            tools: None,
            mcp_servers: None,
        }));
        if self.effort == Some(Effort::Max) {
            let text =
                "`codex exec` does not report the effort levels of a model; max is sent as high";
            output.event(notice(NoticeLevel::Info, "effort_lowered", text));
        }
    }

    fn on_item_started(&mut self, item: &Item, output: &mut RunOutput) -> Option<()> {
        match item.kind.as_str() {
            "todo_list" => on_todo_list(item, output),
            kind if items::is_tool(kind) => self.tools.on_started(item, output),
            // They are emitted when they are complete.
            "agent_message" | "reasoning" => {}
            _ => return None,
        }
        Some(())
    }

    fn on_item_updated(&mut self, item: &Item, output: &mut RunOutput) -> Option<()> {
        match item.kind.as_str() {
            "todo_list" => on_todo_list(item, output),
            kind if items::is_tool(kind) => {}
            _ => return None,
        }
        Some(())
    }

    fn on_item_completed(&mut self, item: &Item, output: &mut RunOutput) -> Option<()> {
        match item.kind.as_str() {
            "agent_message" => self.messages.on_message(&item.id, &item.text, output),
            "reasoning" => self.messages.on_thought(item, output),
            "todo_list" => on_todo_list(item, output),
            "error" => output.event(notice(NoticeLevel::Warn, "warning", item.message.as_str())),
            kind if items::is_tool(kind) => {
                // The response that requested the tool is complete.
                self.messages.on_response_complete();
                self.limits.on_response();
                self.tools.on_completed(item, output);
            }
            _ => return None,
        }
        Some(())
    }

    /// Retries only: `turn.failed` repeats the last error.
    fn on_error(&mut self, message: &str, output: &mut RunOutput) {
        if !message.starts_with(RETRY_PREFIX) {
            return;
        }
        self.messages.discard_response(output);
        let (message, reason) = message.split_once(" (").unwrap_or((message, message));
        let error = TurnError {
            message: message.to_owned(),
            additional_details: Some(reason.trim_end_matches(')').to_owned()),
            ..TurnError::default()
        };
        if let Some(failure) = self.limits.on_retry(&error, output) {
            output.event(Event::Error(failure.into_event(true)));
            output.finish(outcome::STOPPED_BY_ADAPTER);
        }
    }

    fn end_turn(&mut self, turn_outcome: TurnOutcome, output: &mut RunOutput) {
        self.usage.on_turn_end(output);
        let stop_reason: StopReason = turn_outcome.run_outcome.stop_reason;
        output.event(Event::TurnEnded(TurnEnded { turn_id: TURN_ID.to_owned(), stop_reason }));
        turn_outcome.finish(output);
    }
}

impl Mapper for ExecEvents {
    fn on_line(&mut self, line: &[u8], output: &mut RunOutput) {
        // A line that is not a JSON object with a type is noise.
        let Ok(exec_line) = serde_json::from_slice::<ExecLine<'_>>(line) else { return };
        let item = exec_line.item.as_ref().map(|item| item.kind.clone());
        let native_type = match item {
            Some(item) => format!("{}/{item}", exec_line.kind),
            None => exec_line.kind.to_string(),
        };
        if self.on_exec_line(exec_line, output).is_none() {
            output.unmapped(&native_type, line);
        }
    }

    fn on_cancel(&mut self, _output: &mut RunOutput) -> PoliteStop {
        // Both signals end the tools and print nothing (exec recordings `sigint_tool`, `sigterm_tool`);
        // SIGTERM is faster.
        PoliteStop::Terminate
    }

    fn on_exit(&mut self, exit: &Exit, output: &mut RunOutput) -> Option<RunOutcome> {
        outcome::of_exit(exit, output)
    }
}

fn on_todo_list(item: &Item, output: &mut RunOutput) {
    let entries = item.items.iter().map(|todo| PlanEntry {
        content: todo.text.clone(),
        status: if todo.completed { PlanStatus::Completed } else { PlanStatus::Pending },
    });
    output.event(Event::Plan(Plan { entries: entries.collect() }));
}
