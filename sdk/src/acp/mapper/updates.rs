//! Maps `session/update` to events.

use od_protocol::{Event, Plan, PlanEntry, PlanStatus};
use serde_json::value::RawValue;

use super::{AcpMapper, Phase, read};
use crate::RunOutput;
use crate::acp::native::{
    Chunk, ConfigUpdate, ModeUpdate, PlanItem, PlanUpdate, ToolCall, UpdateHead, UpdateParams,
    UsageUpdate,
};
use crate::acp::settings::Current;

// The updates of the conversation.
const ANSWER: &str = "agent_message_chunk";
const THOUGHT: &str = "agent_thought_chunk";
const CALL: &str = "tool_call";
const CALL_UPDATE: &str = "tool_call_update";
const PLAN: &str = "plan";

impl AcpMapper {
    /// Handles an update; returns `None` for an unknown one.
    pub(super) fn on_update(&mut self, params: &RawValue, output: &mut RunOutput) -> Option<()> {
        let UpdateParams { session_id, update } = serde_json::from_str(params.get()).ok()?;
        let head: UpdateHead<'_> = serde_json::from_str(update.get()).ok()?;
        let kind = &*head.session_update;
        if self.phase == Phase::History && self.dialect.history_end() == Some(kind) {
            self.configure_next(output);
        }
        // Subagents may have their own sessions, whose updates are not forwarded.
        if !self.session_id.is_empty() && session_id != self.session_id {
            return Some(());
        }
        let is_live = self.phase == Phase::Live;
        match kind {
            "usage_update" => {
                let update: UsageUpdate = read(update)?;
                self.usage.on_update(&update, is_live, output);
            }
            "current_mode_update" => {
                let ModeUpdate { current_mode_id } = read(update)?;
                let current = Current { model: None, mode: Some(current_mode_id) };
                self.current.change(current, output);
            }
            "config_option_update" => {
                let ConfigUpdate { config_options } = read(update)?;
                self.current.change(Current::of_options(&config_options), output);
            }
            // For user interfaces only: commands, titles, the echo of the prompt.
            "available_commands_update" | "session_info_update" | "user_message_chunk" => {}
            ANSWER | THOUGHT | CALL | CALL_UPDATE | PLAN if !is_live => {} // a loaded session's history
            _ => return self.on_work(kind, update, output),
        }
        Some(())
    }

    /// Handles an update of the conversation; returns `None` for an unknown one.
    fn on_work(&mut self, kind: &str, update: &RawValue, output: &mut RunOutput) -> Option<()> {
        match kind {
            ANSWER => {
                let chunk: Chunk = read(update)?;
                if self.dialect.discards_text(&chunk.content.text) {
                    self.messages.start_over(output);
                    return Some(());
                }
                self.dialect.on_answer(output);
                output.limit_silence(self.dialect.silent_retry());
                self.messages.on_text(chunk, output)
            }
            THOUGHT => {
                let chunk: Chunk = read(update)?;
                self.dialect.on_answer(output);
                output.limit_silence(self.dialect.silent_retry());
                self.messages.on_thought(&chunk, &*self.dialect, output)
            }
            CALL | CALL_UPDATE => {
                let tool_call: ToolCall = read(update)?;
                self.dialect.on_answer(output);
                self.messages.end(output);
                self.tools.on_call(tool_call, &*self.dialect, &self.handshake.cwd, output)
            }
            PLAN => {
                output.event(plan(read(update)?));
                Some(())
            }
            _ => None,
        }
    }
}

fn plan(update: PlanUpdate) -> Event {
    let entry = |item: PlanItem| PlanEntry {
        content: item.content,
        status: PlanStatus::from_wire(&item.status),
    };
    Event::Plan(Plan { entries: update.entries.into_iter().map(entry).collect() })
}
