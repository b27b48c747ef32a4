//! Helpers of the agent: threads of their own in the same stream. When they begin and end is told,
//! and what they did inside as figures (recording `spawn_agent`).

use std::collections::HashMap;

use od_protocol::{Event, SubagentStarted, SubagentStopped, ToolStatus};
use od_sdk::RunOutput;
use od_sdk::text::first_line;
use serde_json::value::RawValue;

use super::{read, words};
use crate::native::{Item, ItemNotification, TurnNotification};

/// The call that starts a helper, as the app server and as `exec --json` name it.
const SPAWN: &[&str] = &["spawnAgent", "spawn_agent"];

/// What is known of a helper; some of it may come before its start is told.
#[derive(Debug, Default)]
struct Helper {
    title: String,
    call_id: Option<String>,
    calls: u64,
    status: Option<ToolStatus>,
}

/// The helpers at work, by thread.
#[derive(Debug, Default)]
pub(super) struct Subagents {
    helpers: HashMap<String, Helper>,
}

impl Subagents {
    /// A call among helpers is over: it may have started some.
    pub(super) fn on_call(&mut self, item: &Item, output: &mut RunOutput) {
        if !SPAWN.contains(&item.tool.as_str()) {
            return;
        }
        let title = first_line(item.prompt.as_deref().unwrap_or_default());
        for thread in &item.receiver_thread_ids {
            output.event(Event::SubagentStarted(SubagentStarted {
                subagent_id: thread.clone(),
                title: title.clone(),
                parent_tool_call_id: Some(item.id.clone()),
            }));
            let helper = self.helpers.entry(thread.clone()).or_default();
            helper.title.clone_from(&title);
            helper.call_id = Some(item.id.clone());
            if helper.status.is_some() {
                self.stop(thread, output);
            }
        }
    }

    /// What is told of another thread: counted, not forwarded.
    pub(super) fn on_inner(
        &mut self,
        thread: &str,
        method: &str,
        params: &RawValue,
        output: &mut RunOutput,
    ) -> Option<()> {
        match method {
            "item/completed" => {
                let ItemNotification { item } = read(params)?;
                let helper = self.helpers.entry(thread.to_owned()).or_default();
                helper.calls += u64::from(words::is_tool(&item.kind));
            }
            "turn/completed" => {
                let TurnNotification { turn } = read(params)?;
                let helper = self.helpers.entry(thread.to_owned()).or_default();
                helper.status = Some(match turn.status.as_str() {
                    "completed" => ToolStatus::Ok,
                    "interrupted" => ToolStatus::Cancelled,
                    _ => ToolStatus::Error,
                });
                if helper.call_id.is_some() {
                    self.stop(thread, output);
                }
            }
            _ => {}
        }
        Some(())
    }

    fn stop(&mut self, thread: &str, output: &mut RunOutput) {
        if let Some(helper) = self.helpers.remove(thread) {
            output.event(Event::SubagentStopped(SubagentStopped {
                subagent_id: thread.to_owned(),
                title: helper.title,
                parent_tool_call_id: helper.call_id,
                status: helper.status,
                summary: Some(format!("{} tool calls", helper.calls)),
            }));
        }
    }
}
