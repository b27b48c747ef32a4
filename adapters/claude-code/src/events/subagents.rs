//! Subagents: start, end, and a summary of their tool calls and tokens.

use std::collections::HashMap;

use od_protocol::{Event, SubagentStarted, SubagentStopped, ToolStatus};
use od_sdk::RunOutput;
use od_sdk::stream_json::blocks;
use serde_json::Value;

use super::tools::Tools;
use crate::native::SystemLine;

/// The task type of a subagent; `local_bash` is a background command.
const SUBAGENT_TASK: &str = "local_agent";

/// A started subagent.
#[derive(Debug)]
struct Subagent {
    title: String,
    call_id: Option<String>,
    /// How it ended; `None` while it runs.
    status: Option<ToolStatus>,
}

/// The started subagents, by task id.
#[derive(Debug, Default)]
pub(super) struct Subagents {
    open: HashMap<String, Subagent>,
    /// The number of tool calls of a subagent, by the call that started it.
    tool_calls: HashMap<String, u64>,
}

impl Subagents {
    /// Whether a subagent runs in the background. When it ends, the CLI starts another turn by itself
    /// (recording `sj_background_agent`).
    pub(super) fn has_running(&self) -> bool {
        self.open.values().any(|subagent| subagent.status.is_none())
    }

    pub(super) fn on_started(&mut self, system: &SystemLine, output: &mut RunOutput) {
        if system.task_type.as_deref() != Some(SUBAGENT_TASK) {
            return;
        }
        let title = system.description.clone().unwrap_or_default();
        output.event(Event::SubagentStarted(SubagentStarted {
            subagent_id: system.task_id.clone(),
            title: title.clone(),
            parent_tool_call_id: system.tool_use_id.clone(),
        }));
        let subagent = Subagent { title, call_id: system.tool_use_id.clone(), status: None };
        self.open.insert(system.task_id.clone(), subagent);
    }

    /// Counts the tool calls in a message of a subagent, which is not forwarded.
    pub(super) fn count_calls(&mut self, call_id: &str, content: &Value) {
        let calls = blocks(content.clone()).iter().filter(|block| block.kind == "tool_use").count();
        *self.tool_calls.entry(call_id.to_owned()).or_default() += calls as u64;
    }

    /// A subagent has ended. If its call is still open, the result of the call has the summary.
    pub(super) fn on_notification(
        &mut self,
        system: &SystemLine,
        tools: &Tools,
        output: &mut RunOutput,
    ) {
        let status = match system.status.as_deref() {
            Some("completed") => ToolStatus::Ok,
            Some("failed") => ToolStatus::Error,
            Some("stopped" | "killed") => ToolStatus::Cancelled,
            _ => ToolStatus::Unknown,
        };
        let Some(subagent) = self.open.get_mut(&system.task_id) else { return };
        subagent.status = Some(status);
        if subagent.call_id.as_ref().is_none_or(|call_id| !tools.is_open(call_id)) {
            let calls = subagent.call_id.as_ref().and_then(|call_id| self.tool_calls.get(call_id));
            let summary = calls.map(|calls| format!("{calls} tool calls"));
            self.stop(&system.task_id.clone(), summary, output);
        }
    }

    /// The result of the call that started a subagent, with its totals.
    pub(super) fn on_call_result(&mut self, call_id: &str, report: &Value, output: &mut RunOutput) {
        let ended = self.open.iter().find(|(_, subagent)| {
            subagent.call_id.as_deref() == Some(call_id) && subagent.status.is_some()
        });
        let Some((id, _)) = ended else { return };
        let id = id.clone();
        let total = |key: &str| report.get(key).and_then(Value::as_u64);
        let calls = total("totalToolUseCount").or(self.tool_calls.get(call_id).copied());
        let totals = [
            calls.map(|calls| format!("{calls} tool calls")),
            total("totalTokens").map(|tokens| format!("{tokens} tokens")),
        ];
        let summary = totals.into_iter().flatten().collect::<Vec<_>>().join(", ");
        self.stop(&id, Some(summary).filter(|summary| !summary.is_empty()), output);
    }

    fn stop(&mut self, id: &str, summary: Option<String>, output: &mut RunOutput) {
        if let Some(subagent) = self.open.remove(id) {
            output.event(Event::SubagentStopped(SubagentStopped {
                subagent_id: id.to_owned(),
                title: subagent.title,
                parent_tool_call_id: subagent.call_id,
                status: subagent.status,
                summary,
            }));
        }
    }
}
