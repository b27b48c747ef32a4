//! What a run said, as the checks read it.

use std::time::Instant;

use od_protocol::{Done, ErrorEvent, Event};
use serde_json::Value;

use crate::transcript::Place;

/// One event of a run.
#[derive(Debug, Clone)]
pub struct Received {
    /// When its line was complete.
    pub at: Instant,
    /// Its line in the transcript.
    pub place: Place,
    /// Its number.
    pub seq: u64,
    /// The event as it came.
    pub value: Value,
}

impl Received {
    /// The word in `type`.
    pub fn type_name(&self) -> &str {
        self.value["type"].as_str().unwrap_or_default()
    }

    /// The event as a type; `None` when its payload is malformed (which SCH-01 reports).
    pub fn event(&self) -> Option<Event> {
        Event::from_object(self.value.as_object()?.clone()).ok()
    }
}

/// Everything a run said so far.
#[derive(Debug, Clone, Default)]
pub struct RunRecord {
    /// The run.
    pub run_id: String,
    /// Its events, in the order they came, `done` included, nothing after it.
    pub events: Vec<Received>,
    /// `run/start` was answered with a result.
    pub is_accepted: bool,
    /// Its `done` has come.
    pub finished: bool,
    /// What the stand-in agent CLI has to complain about when the run did not complete, ready to
    /// stand behind another text; usually nothing.
    pub complaint: String,
}

impl RunRecord {
    /// The events of one type.
    pub fn of_type<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Received> {
        self.events.iter().filter(move |received| received.type_name() == name)
    }

    /// The place of an event of one type in the order of the stream.
    pub fn position(&self, name: &str) -> Option<usize> {
        self.events.iter().position(|received| received.type_name() == name)
    }

    /// All types in order, for messages: `run_started text_delta×3 done`.
    pub fn summary(&self) -> String {
        let mut parts: Vec<(String, usize)> = Vec::new();
        for received in &self.events {
            match parts.last_mut() {
                Some((name, count)) if name == received.type_name() => *count += 1,
                _ => parts.push((received.type_name().to_owned(), 1)),
            }
        }
        let words = parts.iter().map(|(name, count)| match count {
            1 => name.clone(),
            count => format!("{name}×{count}"),
        });
        words.collect::<Vec<_>>().join(" ")
    }

    /// The text of all messages, one after the other, discarded ones left out.
    pub fn text(&self) -> String {
        let discarded: Vec<&Value> = self
            .of_type("message_discarded")
            .map(|received| &received.value["messageId"])
            .collect();
        self.of_type("text_delta")
            .filter(|received| !discarded.contains(&&received.value["messageId"]))
            .filter_map(|received| received.value["text"].as_str())
            .collect()
    }

    /// The text of all thoughts.
    pub fn thinking(&self) -> String {
        self.of_type("thinking_delta")
            .filter_map(|received| received.value["text"].as_str())
            .collect()
    }

    /// Its last word.
    pub fn done(&self) -> Option<Done> {
        match self.of_type("done").next()?.event()? {
            Event::Done(done) => Some(done),
            _ => None,
        }
    }

    /// Its errors.
    pub fn errors(&self) -> Vec<ErrorEvent> {
        self.of_type("error")
            .filter_map(|received| match received.event()? {
                Event::Error(error) => Some(error),
                _ => None,
            })
            .collect()
    }

    /// The line of the transcript with its last event.
    pub fn last_place(&self) -> Option<Place> {
        self.events.last().map(|received| received.place.clone())
    }
}
