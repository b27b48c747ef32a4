//! Drops, repeats, holds back and reorders the events of a run. The sequence numbers stay without
//! gaps, so that only the intended thing is wrong.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::fault::{Alteration, Change, LineChange, MessageChange, Place};
use super::message::Message;

/// The events of every run.
#[derive(Default)]
pub(super) struct EventOrder {
    runs: HashMap<String, RunOrder>,
}

#[derive(Default)]
struct RunOrder {
    next_seq: u64,
    /// Sent just before `done`.
    held_back: Vec<Message>,
    /// Sent after the next event.
    postponed: Option<Message>,
}

/// Whether an alteration changes the number or the order of events.
pub(super) fn changes_order(alteration: &Alteration) -> bool {
    match alteration.change {
        Change::Message(_) => matches!(alteration.place, Place::Event(_)),
        Change::Line(line) => matches!(line, LineChange::UnknownEvent | LineChange::Heartbeats),
        _ => false,
    }
}

impl EventOrder {
    /// Returns the events to send instead of this one.
    pub(super) fn pass(&mut self, message: Message, alterations: &[Alteration]) -> Vec<Message> {
        let run = self.runs.entry(message.run_id().to_owned()).or_default();
        let is_done = message.event_type() == "done";
        let mut sent = run.pass(message, alterations);
        if is_done {
            let rest = run.postponed.take().into_iter().chain(run.held_back.drain(..));
            let position = sent.iter().position(|message| message.event_type() == "done");
            let position = position.unwrap_or(sent.len());
            sent.splice(position..position, rest.collect::<Vec<_>>());
        }
        for message in &mut sent {
            message.value["params"]["seq"] = run.next_seq.into();
            run.next_seq += 1;
        }
        sent
    }
}

impl RunOrder {
    fn pass(&mut self, message: Message, alterations: &[Alteration]) -> Vec<Message> {
        let change = message_change(&message, alterations);
        let earlier = self.postponed.take();
        let mut sent = match change {
            Some(MessageChange::Drop) => Vec::new(),
            Some(MessageChange::Repeat) => vec![message.clone(), message],
            Some(MessageChange::HoldBack) => {
                self.held_back.push(message);
                Vec::new()
            }
            Some(MessageChange::SwapWithNext) if earlier.is_none() => {
                self.postponed = Some(message);
                return Vec::new();
            }
            Some(MessageChange::SplitText) => split_text(message),
            _ => additions(message, alterations),
        };
        sent.extend(earlier);
        sent
    }
}

fn message_change(message: &Message, alterations: &[Alteration]) -> Option<MessageChange> {
    let of_event = |alteration: &&Alteration| match &alteration.place {
        Place::Event(event_type) => event_type == message.event_type(),
        _ => false,
    };
    alterations.iter().filter(of_event).find_map(|alteration| match alteration.change {
        Change::Message(change) => Some(change),
        _ => None,
    })
}

/// Two halves of a text; a text of one character stays.
fn split_text(message: Message) -> Vec<Message> {
    let text = message.value["params"]["event"]["text"].as_str().unwrap_or_default().to_owned();
    let middle = text.char_indices().nth(text.chars().count() / 2).map(|(index, _)| index);
    match middle.filter(|middle| *middle > 0) {
        Some(middle) => {
            let half = |text: &str| {
                let mut half = message.clone();
                half.value["params"]["event"]["text"] = text.into();
                half
            };
            vec![half(&text[..middle]), half(&text[middle..])]
        }
        None => vec![message],
    }
}

/// The event, and legal events after it.
fn additions(message: Message, alterations: &[Alteration]) -> Vec<Message> {
    let has = |line: LineChange| {
        alterations.iter().any(|alteration| alteration.change == Change::Line(line))
    };
    let extra = |event: Value| {
        let mut extra = message.clone();
        extra.value["params"]["event"] = event;
        extra
    };
    let mut added = Vec::new();
    if has(LineChange::UnknownEvent) && message.event_type() == "run_started" {
        added.push(extra(json!({"type": "_weather_report", "sky": ["blue", null, 7]})));
    }
    if has(LineChange::Heartbeats) && message.event_type() != "done" {
        added.push(extra(json!({"type": "heartbeat", "silentMs": 0})));
    }
    [vec![message], added].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(change: MessageChange, wanted: &[&str]) {
        let alteration = Alteration {
            place: Place::Event("b".to_owned()),
            path: Vec::new(),
            change: Change::Message(change),
        };
        let mut order = EventOrder::default();
        let mut sent = Vec::new();
        for event_type in ["a", "b", "c", "done"] {
            let value = json!({"params": {"runId": "r", "seq": 9, "event": {"type": event_type}}});
            sent.extend(
                order.pass(Message::notification(value), std::slice::from_ref(&alteration)),
            );
        }
        let types: Vec<&str> = sent.iter().map(Message::event_type).collect();
        assert_eq!(types, wanted, "{change:?}");
        let numbers: Vec<u64> =
            sent.iter().filter_map(|message| message.value["params"]["seq"].as_u64()).collect();
        assert_eq!(numbers, (0..wanted.len() as u64).collect::<Vec<_>>());
    }

    #[test]
    fn order_changes_and_numbers_stay_gapless() {
        check(MessageChange::Drop, &["a", "c", "done"]);
        check(MessageChange::Repeat, &["a", "b", "b", "c", "done"]);
        check(MessageChange::HoldBack, &["a", "c", "b", "done"]);
        check(MessageChange::SwapWithNext, &["a", "c", "b", "done"]);
    }
}
