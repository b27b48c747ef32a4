//! The run's turn: from the prompt until the session is idle and everything said was answered.

use std::collections::HashSet;

use od_protocol::{Event, StopReason, TurnEnded, TurnStarted, UserMessage};
use od_sdk::RunOutput;
use od_sdk::parts::native::{MessageInfo, Part, SessionInfo};
use serde_json::Value;

/// What is said while the session is busy is taken into the same turn.
const TURN: &str = "turn-1";

/// The turn.
#[derive(Debug, Default)]
pub(super) struct Turn {
    is_open: bool,
    /// The session has shown that it works on it.
    pub(super) is_busy: bool,
    /// Prompts that were sent and not seen as messages yet.
    pub(super) is_awaited: u32,
    /// Messages of people, the last one behind.
    said: Vec<String>,
    /// The last message of a person that was answered.
    answered: Option<String>,
    /// Parts of people's messages that were told.
    told: HashSet<String>,
    is_answer_told: bool,
    /// When the session was left or copied, in milliseconds since 1970.
    since: f64,
    /// Messages from before: a copy of a session tells all of them again, and a title may change the
    /// last one.
    old: HashSet<String>,
}

impl Turn {
    pub(super) fn id(&self) -> Option<&str> {
        self.is_open.then_some(TURN)
    }

    /// What was said before this moment is history.
    pub(super) fn set_since(&mut self, session_info: &SessionInfo) {
        self.since = session_info.time.updated.unwrap_or_default();
    }

    /// Whether the message is from before the run.
    pub(super) fn is_old(&self, message_id: &str) -> bool {
        self.old.contains(message_id)
    }

    pub(super) fn begin(&mut self, output: &mut RunOutput) {
        self.is_open = true;
        self.is_awaited = 1;
        output.event(Event::TurnStarted(TurnStarted { turn_id: TURN.to_owned() }));
    }

    pub(super) fn end(&mut self, stop_reason: StopReason, output: &mut RunOutput) {
        if std::mem::take(&mut self.is_open) {
            let turn_id = TURN.to_owned();
            output.event(Event::TurnEnded(TurnEnded { turn_id, stop_reason }));
        }
    }

    pub(super) fn on_message(&mut self, message_info: &MessageInfo) {
        if message_info.time.created.is_some_and(|created| created < self.since) {
            self.old.insert(message_info.id.clone());
        } else if message_info.role == "assistant" {
            self.is_busy = true;
            self.answered.clone_from(&message_info.parent_id);
        } else if self.is_open && !self.said.contains(&message_info.id) {
            self.said.push(message_info.id.clone());
            self.is_awaited = self.is_awaited.saturating_sub(1);
        }
    }

    /// The first prompt is the run's own; what was said later is echoed.
    pub(super) fn on_users_part(&mut self, part: &Part, output: &mut RunOutput) {
        let is_first = self.said.first() == Some(&part.message_id);
        let is_new = self.is_open && self.told.insert(part.id.clone());
        if is_new && !is_first && part.kind == "text" && !part.synthetic {
            output.event(Event::UserMessage(UserMessage { text: part.text.clone() }));
        }
    }

    /// Everything that was said has its answer.
    pub(super) fn is_answered(&self) -> bool {
        self.is_awaited == 0 && self.said.last() == self.answered.as_ref()
    }

    /// The answer that an output schema asked for comes with the message, not as text.
    pub(super) fn report_answer(&mut self, answer: &Value, output: &mut RunOutput) {
        if !answer.is_null() && !std::mem::replace(&mut self.is_answer_told, true) {
            output.text_delta("structured-output", &answer.to_string());
        }
    }
}
