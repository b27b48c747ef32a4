//! What becomes of a part, wherever it comes from.

use std::collections::HashSet;

use od_protocol::StopReason;

use super::meter::Meter;
use super::native::{MessageInfo, Part};
use super::speech::Speech;
use super::tools::Tools;
use crate::RunOutput;

/// How the last step ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Finish {
    /// The model waits for the results of its tools.
    ToolCalls,
    /// The model said its last word.
    Stopped(StopReason),
}

/// The parts of one run.
#[derive(Debug, Default)]
pub struct PartMapper {
    speech: Speech,
    tools: Tools,
    meter: Meter,
    /// Messages of people: their parts look like the model's.
    user_messages: HashSet<String>,
    finish: Option<Finish>,
}

impl PartMapper {
    /// A message was announced or changed.
    pub fn on_message(&mut self, message_info: &MessageInfo) {
        if message_info.role == "user" {
            self.user_messages.insert(message_info.id.clone());
        } else if let Some(model) = message_info.model() {
            self.meter.model = Some(model);
        }
    }

    /// Whether the message is a person's.
    pub fn is_users(&self, message_id: &str) -> bool {
        self.user_messages.contains(message_id)
    }

    /// A part came or changed.
    pub fn on_part(&mut self, part: &Part, output: &mut RunOutput) {
        if self.is_users(&part.message_id) {
            return;
        }
        match part.kind.as_str() {
            "text" if !part.synthetic => self.speech.on_text(part, output),
            "reasoning" => self.speech.on_reasoning(part, output),
            "tool" => self.tools.on_part(part, output),
            // A step that starts while one runs is the same one once more.
            "step-start" => self.on_retry(output),
            "step-finish" => self.on_step_finish(part, output),
            // Bookkeeping of the agent CLI, and what is told elsewhere: retries by the state of the
            // session, helpers by their call, changed files by the tools that change them.
            "text" | "snapshot" | "patch" | "agent" | "file" | "subtask" | "retry"
            | "compaction" => {}
            other => output.unmapped(&format!("part/{other}"), other.as_bytes()),
        }
    }

    /// A text or thought grew; `false` when its part was never announced.
    pub fn on_delta(&mut self, part_id: &str, piece: &str, output: &mut RunOutput) -> bool {
        self.speech.on_delta(part_id, piece, output)
    }

    /// A part was taken back.
    pub fn on_removed(&mut self, part_id: &str, output: &mut RunOutput) {
        self.speech.on_removed(part_id, output);
    }

    /// What the events call the call of this name.
    pub fn call_id(&self, call_id: &str) -> String {
        self.tools.id_of(call_id)
    }

    /// How the last step ended; `None` while one runs, and before the first.
    pub fn finish(&self) -> Option<Finish> {
        self.finish
    }

    /// Nothing more will come: the sum of what was spent.
    pub fn report_usage(&mut self, output: &mut RunOutput) {
        self.meter.report(output);
    }

    /// The step that runs broke off and begins anew.
    pub fn on_retry(&mut self, output: &mut RunOutput) {
        self.speech.on_retry(output);
        self.finish = None;
    }

    fn on_step_finish(&mut self, part: &Part, output: &mut RunOutput) {
        self.speech.on_step_finish();
        self.finish = Some(match part.reason.as_deref() {
            Some("tool-calls") => Finish::ToolCalls,
            Some("length") => Finish::Stopped(StopReason::MaxTokens),
            Some("content-filter") => Finish::Stopped(StopReason::Refusal),
            Some("stop") | None => Finish::Stopped(StopReason::EndTurn),
            Some(_) => Finish::Stopped(StopReason::Other),
        });
        self.meter.on_step(part, output);
    }
}
