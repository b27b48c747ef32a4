//! Helpers of the agent: when they begin and end, and what they did inside as figures.

use std::collections::HashMap;

use od_protocol::{Event, SubagentStarted, SubagentStopped, ToolStatus};
use od_sdk::RunOutput;
use od_sdk::stream_json::blocks;
use serde_json::Value;

use super::tools::Tools;
use crate::native::SystemLine;

/// The task type of a helper; `local_bash` is a command that takes long.
const AGENT_TASK: &str = "local_agent";

/// A helper at work.
#[derive(Debug)]
struct Helper {
    title: String,
    call_id: Option<String>,
    /// How it ended, once the CLI has said so.
    status: Option<ToolStatus>,
}

/// The helpers at work.
#[derive(Debug, Default)]
pub(super) struct Subagents {
    helpers: HashMap<String, Helper>,
    /// Tool calls made inside, by the call that started the helper.
    inner_calls: HashMap<String, u64>,
}

impl Subagents {
    /// A helper works in the background: when it ends, the CLI takes another turn by itself
    /// (recording `sj_background_agent`).
    pub(super) fn is_working(&self) -> bool {
        self.helpers.values().any(|helper| helper.status.is_none())
    }

    pub(super) fn on_started(&mut self, system: &SystemLine, output: &mut RunOutput) {
        if system.task_type.as_deref() != Some(AGENT_TASK) {
            return;
        }
        let title = system.description.clone().unwrap_or_default();
        output.event(Event::SubagentStarted(SubagentStarted {
            subagent_id: system.task_id.clone(),
            title: title.clone(),
            parent_tool_call_id: system.tool_use_id.clone(),
        }));
        let helper = Helper { title, call_id: system.tool_use_id.clone(), status: None };
        self.helpers.insert(system.task_id.clone(), helper);
    }

    /// What a helper says inside: counted, not forwarded.
    pub(super) fn on_inner(&mut self, call_id: &str, content: &Value) {
        let calls = blocks(content.clone()).iter().filter(|block| block.kind == "tool_use").count();
        *self.inner_calls.entry(call_id.to_owned()).or_default() += calls as u64;
    }

    /// A helper has ended. While its call is open the figures are still to come with the result.
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
        let Some(helper) = self.helpers.get_mut(&system.task_id) else { return };
        helper.status = Some(status);
        if helper.call_id.as_ref().is_none_or(|call_id| !tools.is_open(call_id)) {
            let calls = helper.call_id.as_ref().and_then(|call_id| self.inner_calls.get(call_id));
            let summary = calls.map(|calls| format!("{calls} tool calls"));
            self.stop(&system.task_id.clone(), summary, output);
        }
    }

    /// The call that started a helper has its result, with the figures.
    pub(super) fn on_call_result(&mut self, call_id: &str, report: &Value, output: &mut RunOutput) {
        let ended = self.helpers.iter().find(|(_, helper)| {
            helper.call_id.as_deref() == Some(call_id) && helper.status.is_some()
        });
        let Some((id, _)) = ended else { return };
        let id = id.clone();
        let figure = |key: &str| report.get(key).and_then(Value::as_u64);
        let calls = figure("totalToolUseCount").or(self.inner_calls.get(call_id).copied());
        let figures = [
            calls.map(|calls| format!("{calls} tool calls")),
            figure("totalTokens").map(|tokens| format!("{tokens} tokens")),
        ];
        let summary = figures.into_iter().flatten().collect::<Vec<_>>().join(", ");
        self.stop(&id, Some(summary).filter(|summary| !summary.is_empty()), output);
    }

    fn stop(&mut self, id: &str, summary: Option<String>, output: &mut RunOutput) {
        if let Some(helper) = self.helpers.remove(id) {
            output.event(Event::SubagentStopped(SubagentStopped {
                subagent_id: id.to_owned(),
                title: helper.title,
                parent_tool_call_id: helper.call_id,
                status: helper.status,
                summary,
            }));
        }
    }
}
