//! Subagents: they have separate threads in the same stream. Only their start, their end and their
//! number of tool calls are emitted (recording `spawn_agent`).

use std::collections::HashMap;

use od_protocol::{Event, SubagentStarted, SubagentStopped, ToolStatus};
use od_sdk::RunOutput;
use od_sdk::text::first_line;
use serde_json::value::RawValue;

use super::{items, read};
use crate::native::{Item, ItemNotification, TurnNotification};

/// The tool that starts a subagent, as named by the app server and by `exec --json`.
const SPAWN_TOOLS: &[&str] = &["spawnAgent", "spawn_agent"];

/// A subagent. Its notifications can precede the end of the call that starts it.
#[derive(Debug, Default)]
struct Subagent {
    title: String,
    call_id: Option<String>,
    calls: u64,
    status: Option<ToolStatus>,
}

/// The running subagents, by thread.
#[derive(Debug, Default)]
pub(super) struct Subagents {
    running: HashMap<String, Subagent>,
}

impl Subagents {
    /// A tool call ended: emits the subagents that it started.
    pub(super) fn on_call(&mut self, item: &Item, output: &mut RunOutput) {
        if !SPAWN_TOOLS.contains(&item.tool.as_str()) {
            return;
        }
        let title = first_line(item.prompt.as_deref().unwrap_or_default());
        for thread in &item.receiver_thread_ids {
            output.event(Event::SubagentStarted(SubagentStarted {
                subagent_id: thread.clone(),
                title: title.clone(),
                parent_tool_call_id: Some(item.id.clone()),
            }));
            let subagent = self.running.entry(thread.clone()).or_default();
            subagent.title.clone_from(&title);
            subagent.call_id = Some(item.id.clone());
            if subagent.status.is_some() {
                self.stop(thread, output);
            }
        }
    }

    /// Counts the tool calls of a subagent and emits its end.
    pub(super) fn on_notification(
        &mut self,
        thread: &str,
        method: &str,
        params: &RawValue,
        output: &mut RunOutput,
    ) -> Option<()> {
        match method {
            "item/completed" => {
                let ItemNotification { item } = read(params)?;
                let subagent = self.running.entry(thread.to_owned()).or_default();
                subagent.calls += u64::from(items::is_tool(&item.kind));
            }
            "turn/completed" => {
                let TurnNotification { turn } = read(params)?;
                let subagent = self.running.entry(thread.to_owned()).or_default();
                subagent.status = Some(match turn.status.as_str() {
                    "completed" => ToolStatus::Ok,
                    "interrupted" => ToolStatus::Cancelled,
                    _ => ToolStatus::Error,
                });
                if subagent.call_id.is_some() {
                    self.stop(thread, output);
                }
            }
            _ => {}
        }
        Some(())
    }

    fn stop(&mut self, thread: &str, output: &mut RunOutput) {
        if let Some(subagent) = self.running.remove(thread) {
            output.event(Event::SubagentStopped(SubagentStopped {
                subagent_id: thread.to_owned(),
                title: subagent.title,
                parent_tool_call_id: subagent.call_id,
                status: subagent.status,
                summary: Some(format!("{} tool calls", subagent.calls)),
            }));
        }
    }
}
