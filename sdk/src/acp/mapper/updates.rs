//! What a `session/update` means.

use od_protocol::{Event, Plan, PlanEntry, PlanStatus};
use serde_json::value::RawValue;

use super::{AcpMapper, Phase, read};
use crate::RunOutput;
use crate::acp::settings::Current;
use crate::acp::words::{
    Chunk, ConfigUpdate, ModeUpdate, PlanItem, PlanUpdate, ToolCall, UpdateHead, UpdateParams,
    UsageUpdate,
};

/// The updates that tell what the agent says and does.
const ANSWER: &str = "agent_message_chunk";
const THOUGHT: &str = "agent_thought_chunk";
const CALL: &str = "tool_call";
const CALL_UPDATE: &str = "tool_call_update";
const PLAN: &str = "plan";

impl AcpMapper {
    /// `None`: not understood.
    pub(super) fn on_update(&mut self, params: &RawValue, output: &mut RunOutput) -> Option<()> {
        let UpdateParams { session_id, update } = serde_json::from_str(params.get()).ok()?;
        let head: UpdateHead<'_> = serde_json::from_str(update.get()).ok()?;
        let kind = &*head.session_update;
        if self.phase == Phase::History && self.dialect.history_end() == Some(kind) {
            self.next_setting(output);
        }
        // Helpers of the agent may have sessions of their own: what they do inside is not forwarded.
        if !self.session_id.is_empty() && session_id != self.session_id {
            return Some(());
        }
        let is_live = self.phase == Phase::Live;
        match kind {
            "usage_update" => {
                let update: UsageUpdate = read(update)?;
                self.meter.on_update(&update, is_live, output);
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
            // Said for user interfaces: commands, titles, the echo of what we said.
            "available_commands_update" | "session_info_update" | "user_message_chunk" => {}
            ANSWER | THOUGHT | CALL | CALL_UPDATE | PLAN if !is_live => {} // a loaded session's history
            _ => return self.on_work(kind, update, output),
        }
        Some(())
    }

    /// What the agent says and does now. `None`: not understood.
    fn on_work(&mut self, kind: &str, update: &RawValue, output: &mut RunOutput) -> Option<()> {
        match kind {
            ANSWER => {
                let chunk: Chunk = read(update)?;
                if self.dialect.takes_back(&chunk.content.text) {
                    self.speech.start_over(output);
                    return Some(());
                }
                self.dialect.on_answer(output);
                output.limit_silence(self.dialect.silent_retry());
                self.speech.on_text(chunk, output)
            }
            THOUGHT => {
                let chunk: Chunk = read(update)?;
                self.dialect.on_answer(output);
                output.limit_silence(self.dialect.silent_retry());
                self.speech.on_thought(&chunk, &*self.dialect, output)
            }
            CALL | CALL_UPDATE => {
                let tool_call: ToolCall = read(update)?;
                self.dialect.on_answer(output);
                self.speech.end(output);
                self.tools.on_call(tool_call, &*self.dialect, &self.opening.cwd, output)
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
