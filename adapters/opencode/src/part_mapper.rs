//! Maps the parts of messages to events, wherever the parts come from.

use std::collections::HashSet;

use od_protocol::StopReason;

use super::messages::Messages;
use super::native::{MessageInfo, Part};
use super::tools::Tools;
use super::usage::UsageTracker;
use od_sdk::RunOutput;

/// How the last step ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Finish {
    /// The model waits for the results of its tools.
    ToolCalls,
    /// The model finished its answer.
    Stopped(StopReason),
}

/// The parts of one run.
#[derive(Debug, Default)]
pub struct PartMapper {
    messages: Messages,
    tools: Tools,
    usage: UsageTracker,
    /// Ids of the user's messages; their parts look like the model's.
    user_messages: HashSet<String>,
    finish: Option<Finish>,
}

impl PartMapper {
    /// A message was announced or changed.
    pub fn on_message(&mut self, message_info: &MessageInfo) {
        if message_info.role == "user" {
            self.user_messages.insert(message_info.id.clone());
        } else if let Some(model) = message_info.model() {
            self.usage.model = Some(model);
        }
    }

    /// Whether the message is the user's.
    pub fn is_user_message(&self, message_id: &str) -> bool {
        self.user_messages.contains(message_id)
    }

    /// A part was added or changed.
    pub fn on_part(&mut self, part: &Part, output: &mut RunOutput) {
        if self.is_user_message(&part.message_id) {
            return;
        }
        match part.kind.as_str() {
            "text" if !part.synthetic => self.messages.on_text(part, output),
            "reasoning" => self.messages.on_reasoning(part, output),
            "tool" => self.tools.on_part(part, output),
            // A step that starts while another one runs is a retry of it.
            "step-start" => self.on_retry(output),
            "step-finish" => self.on_step_finish(part, output),
            // Internal to OpenCode, or reported elsewhere: retries by the session status, subagents
            // by their call, changed files by the tools that change them.
            "text" | "snapshot" | "patch" | "agent" | "file" | "subtask" | "retry"
            | "compaction" => {}
            other => output.unmapped(&format!("part/{other}"), other.as_bytes()),
        }
    }

    /// A text or reasoning grew; returns `false` for an unknown part.
    pub fn on_delta(&mut self, part_id: &str, piece: &str, output: &mut RunOutput) -> bool {
        self.messages.on_delta(part_id, piece, output)
    }

    /// A part was removed.
    pub fn on_removed(&mut self, part_id: &str, output: &mut RunOutput) {
        self.messages.on_removed(part_id, output);
    }

    /// The id in the events of the call with this native id.
    pub fn call_id(&self, call_id: &str) -> String {
        self.tools.id_of(call_id)
    }

    /// How the last step ended; `None` while a step runs and before the first.
    pub fn finish(&self) -> Option<Finish> {
        self.finish
    }

    /// Emits the usage of the whole run.
    pub fn report_usage(&mut self, output: &mut RunOutput) {
        self.usage.report(output);
    }

    /// The running step was interrupted and starts again.
    pub fn on_retry(&mut self, output: &mut RunOutput) {
        self.messages.on_retry(output);
        self.finish = None;
    }

    fn on_step_finish(&mut self, part: &Part, output: &mut RunOutput) {
        self.messages.on_step_finish();
        self.finish = Some(match part.reason.as_deref() {
            Some("tool-calls") => Finish::ToolCalls,
            Some("length") => Finish::Stopped(StopReason::MaxTokens),
            Some("content-filter") => Finish::Stopped(StopReason::Refusal),
            Some("stop") | None => Finish::Stopped(StopReason::EndTurn),
            Some(_) => Finish::Stopped(StopReason::Other),
        });
        self.usage.on_step(part, output);
    }
}
