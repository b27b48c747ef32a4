//! The run's turn: from the prompt until the session is idle and every user message is answered.

use std::collections::HashSet;

use crate::native::{MessageInfo, Part, SessionInfo};
use od_protocol::{Event, StopReason, TurnEnded, TurnStarted, UserMessage};
use od_sdk::RunOutput;
use serde_json::Value;

/// Input to a busy session becomes part of the same turn.
const TURN: &str = "turn-1";

/// The turn.
#[derive(Debug, Default)]
pub(super) struct Turn {
    is_open: bool,
    /// The session works on the prompt.
    pub(super) is_busy: bool,
    /// Number of prompts that were sent and are not messages of the session yet.
    pub(super) pending_prompts: u32,
    /// Ids of the user's messages, the last one at the end.
    user_messages: Vec<String>,
    /// The last user message that was answered.
    answered: Option<String>,
    /// Parts of user messages that were emitted.
    emitted: HashSet<String>,
    is_answer_emitted: bool,
    /// When the session changed last before the run, in milliseconds since 1970.
    since: f64,
    /// Messages from before the run: a fork sends all of them again, and a new title may change the
    /// last one.
    old: HashSet<String>,
}

impl Turn {
    pub(super) fn id(&self) -> Option<&str> {
        self.is_open.then_some(TURN)
    }

    /// Messages before this time are history.
    pub(super) fn set_since(&mut self, session_info: &SessionInfo) {
        self.since = session_info.time.updated.unwrap_or_default();
    }

    /// Whether the message is from before the run.
    pub(super) fn is_old(&self, message_id: &str) -> bool {
        self.old.contains(message_id)
    }

    pub(super) fn begin(&mut self, output: &mut RunOutput) {
        self.is_open = true;
        self.pending_prompts = 1;
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
        } else if self.is_open && !self.user_messages.contains(&message_info.id) {
            self.user_messages.push(message_info.id.clone());
            self.pending_prompts = self.pending_prompts.saturating_sub(1);
        }
    }

    /// Echoes later input; the first prompt is the run's own and is not echoed.
    pub(super) fn on_users_part(&mut self, part: &Part, output: &mut RunOutput) {
        let is_first = self.user_messages.first() == Some(&part.message_id);
        let is_new = self.is_open && self.emitted.insert(part.id.clone());
        if is_new && !is_first && part.kind == "text" && !part.synthetic {
            output.event(Event::UserMessage(UserMessage { text: part.text.clone() }));
        }
    }

    /// Whether every user message has its answer.
    pub(super) fn is_answered(&self) -> bool {
        self.pending_prompts == 0 && self.user_messages.last() == self.answered.as_ref()
    }

    /// Emits the answer for an output schema, which comes with the message and not as text.
    pub(super) fn report_answer(&mut self, answer: &Value, output: &mut RunOutput) {
        if !answer.is_null() && !std::mem::replace(&mut self.is_answer_emitted, true) {
            output.text_delta("structured-output", &answer.to_string());
        }
    }
}
