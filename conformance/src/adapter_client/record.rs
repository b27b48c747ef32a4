//! The events of a run, with the queries that checks need.

use std::time::Instant;

use od_protocol::{Done, ErrorEvent, Event};
use serde_json::Value;

use crate::outcome::{CheckOutcome, Failure, Finding};
use crate::transcript::Location;

/// One event of a run.
#[derive(Debug, Clone)]
pub struct Received {
    /// When its line was complete.
    pub at: Instant,
    /// Its line in the transcript.
    pub location: Location,
    /// Its sequence number.
    pub seq: u64,
    /// Its time in milliseconds since 1970.
    pub ts: u64,
    /// The length of its line without the line feed.
    pub bytes: usize,
    /// The event as received.
    pub value: Value,
}

impl Received {
    /// Returns its `type`.
    pub fn type_name(&self) -> &str {
        self.value["type"].as_str().unwrap_or_default()
    }

    /// Returns the typed event; `None` if its payload is malformed (which SCH-01 reports).
    pub fn event(&self) -> Option<Event> {
        Event::from_object(self.value.as_object()?.clone()).ok()
    }
}

/// The events of a run so far.
#[derive(Debug, Clone, Default)]
pub struct RunRecord {
    /// Its events in order, up to and including `done`.
    pub events: Vec<Received>,
    /// Whether `run/start` was accepted.
    pub is_accepted: bool,
    /// Whether its `done` has arrived.
    pub finished: bool,
    /// How many events the suite did not keep, because they need too much memory.
    pub dropped_events: usize,
    /// The error that the fake CLI reported if the run did not complete, ready to be appended to a
    /// message; usually empty.
    pub cli_error: String,
}

impl RunRecord {
    /// Returns the events of one type.
    pub fn of_type<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Received> {
        self.events.iter().filter(move |received| received.type_name() == name)
    }

    /// Returns the position of the first event of one type.
    pub fn position(&self, name: &str) -> Option<usize> {
        self.events.iter().position(|received| received.type_name() == name)
    }

    /// Returns all types in order, for messages: `run_started text_delta×3 done`.
    pub fn summary(&self) -> String {
        let mut parts: Vec<(String, usize)> = Vec::new();
        for received in &self.events {
            match parts.last_mut() {
                Some((name, count)) if name == received.type_name() => *count += 1,
                _ => parts.push((received.type_name().to_owned(), 1)),
            }
        }
        let entries = parts.iter().map(|(name, count)| match count {
            1 => name.clone(),
            count => format!("{name}×{count}"),
        });
        entries.collect::<Vec<_>>().join(" ")
    }

    /// Returns the text of all messages without discarded ones.
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

    /// Returns the text of all thoughts.
    pub fn thinking(&self) -> String {
        self.of_type("thinking_delta")
            .filter_map(|received| received.value["text"].as_str())
            .collect()
    }

    /// Returns its `done` event.
    pub fn done(&self) -> Option<Done> {
        match self.of_type("done").next()?.event()? {
            Event::Done(done) => Some(done),
            _ => None,
        }
    }

    /// Returns its errors.
    pub fn errors(&self) -> Vec<ErrorEvent> {
        self.of_type("error")
            .filter_map(|received| match received.event()? {
                Event::Error(error) => Some(error),
                _ => None,
            })
            .collect()
    }

    /// Builds a failure that points at the last event.
    pub fn failure(
        &self,
        expected: impl Into<String>,
        got: impl Into<String>,
        sent: impl Into<String>,
    ) -> Finding {
        let location = self.events.last().map(|received| received.location.clone());
        Failure { location, ..Failure::new(expected, got).sent(sent) }.into()
    }

    /// Fails at the last event unless the condition holds.
    pub fn ensure(
        &self,
        condition: bool,
        expected: impl Into<String>,
        got: impl Into<String>,
        sent: impl Into<String>,
    ) -> CheckOutcome {
        if condition { Ok(()) } else { Err(self.failure(expected, got, sent)) }
    }
}
