//! Messages and thinking blocks of one run: each has an id of its own, starts once, contains its
//! deltas and stops.

use std::collections::BTreeMap;

use serde_json::Value;

use super::violation::{Violation, text};

/// The rule of messages.
const MESSAGES: &str = "MSG-01";
/// The rule of thinking blocks.
const THOUGHTS: &str = "ORD-04";

/// The messages or the thinking blocks of one run.
#[derive(Debug)]
pub(super) struct TextBlocks {
    rule: &'static str,
    /// The word in failures and in the names of the events.
    noun: &'static str,
    id_member: &'static str,
    blocks: BTreeMap<String, Block>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Block {
    Open { bytes: usize },
    Stopped { bytes: usize },
    Discarded,
}

impl Block {
    const fn bytes(self) -> usize {
        match self {
            Self::Open { bytes } | Self::Stopped { bytes } => bytes,
            Self::Discarded => 0,
        }
    }
}

impl TextBlocks {
    /// The messages.
    pub(super) fn messages() -> Self {
        Self { rule: MESSAGES, noun: "message", id_member: "messageId", blocks: BTreeMap::new() }
    }

    /// The thinking blocks.
    pub(super) fn thoughts() -> Self {
        Self { rule: THOUGHTS, noun: "thinking", id_member: "thinkingId", blocks: BTreeMap::new() }
    }

    /// Processes an event; other events are ignored.
    pub(super) fn event(&mut self, name: &str, event: &Value) -> Option<Violation> {
        let id = text(event, self.id_member);
        let is_own = |suffix: &str| name.strip_prefix(self.noun) == Some(suffix);
        if is_own("_started") {
            return self.started(id);
        }
        if name == "text_delta" && self.noun == "message" || is_own("_delta") {
            return self.delta(name, &id, text(event, "text").len());
        }
        if is_own("_stopped") {
            return self.stopped(id);
        }
        if is_own("_discarded") {
            return self.discarded(id);
        }
        None
    }

    /// Processes `done`: no block may be open.
    pub(super) fn done(&self) -> Option<Violation> {
        let mut blocks = self.blocks.iter();
        let (id, _) = blocks.find(|(_, block)| matches!(block, Block::Open { .. }))?;
        let noun = self.noun;
        let expected = format!("every `{noun}_started` has its `{noun}_stopped` before `done`");
        Some(Violation::new(self.rule, expected, format!("{id} is open")))
    }

    /// Returns the bytes of all blocks that were not discarded.
    pub(super) fn bytes(&self) -> usize {
        self.blocks.values().copied().map(Block::bytes).sum()
    }

    fn started(&mut self, id: String) -> Option<Violation> {
        let noun = self.noun;
        let before = self.blocks.get(&id).copied();
        let bytes = before.map_or(0, Block::bytes);
        self.blocks.insert(id.clone(), Block::Open { bytes });
        before.map(|_| {
            let expected = format!("each `{noun}_started` has an id of its own");
            Violation::new(self.rule, expected, format!("`{noun}_started` of {id} twice"))
        })
    }

    fn delta(&mut self, name: &str, id: &str, bytes: usize) -> Option<Violation> {
        match self.blocks.get_mut(id) {
            Some(Block::Open { bytes: sum }) => {
                *sum += bytes;
                None
            }
            _ => {
                let expected = format!("`{name}` only between start and stop of its block");
                let got = format!("`{name}` of {id}, which is not open");
                Some(Violation::new(self.rule, expected, got))
            }
        }
    }

    fn stopped(&mut self, id: String) -> Option<Violation> {
        match self.blocks.get(&id) {
            Some(Block::Open { bytes }) => {
                let bytes = *bytes;
                self.blocks.insert(id, Block::Stopped { bytes });
                None
            }
            _ => Some(self.not_open("stopped", &id)),
        }
    }

    fn discarded(&mut self, id: String) -> Option<Violation> {
        match self.blocks.insert(id.clone(), Block::Discarded) {
            Some(Block::Open { .. } | Block::Stopped { .. }) => None,
            _ => Some(self.not_open("discarded", &id)),
        }
    }

    fn not_open(&self, what: &str, id: &str) -> Violation {
        let noun = self.noun;
        let expected = format!("`{noun}_{what}` only of a block that was started, and once");
        Violation::new(self.rule, expected, format!("`{noun}_{what}` of {id}, which is not open"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(events: &[(&str, &str)], expected_violations: usize, expected_bytes: usize) {
        let mut messages = TextBlocks::messages();
        let found = events
            .iter()
            .filter_map(|(name, id)| messages.event(name, &json!({"messageId": id, "text": "né"})));
        let found = found.count() + usize::from(messages.done().is_some());
        assert_eq!((found, messages.bytes()), (expected_violations, expected_bytes), "{events:?}");
    }

    #[test]
    fn messages_start_once_and_stop() {
        let whole = [("message_started", "m"), ("text_delta", "m"), ("message_stopped", "m")];
        check(&whole, 0, 3);
        check(&whole[..2], 1, 3);
        check(&whole[1..], 2, 0);
        check(&[whole, whole].concat(), 1, 6);
        check(&[&whole[..], &[("message_discarded", "m")]].concat(), 0, 0);
        check(&[&whole[..], &[("text_delta", "m")]].concat(), 1, 3);
        check(&[("thinking_started", "t"), ("tool_result", "m")], 0, 0);
    }
}
