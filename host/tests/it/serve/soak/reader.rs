//! Readers that keep up: many runs over one WebSocket, each with the checksum of its events.

use std::collections::HashMap;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::serve::raw_websocket::RawWebSocket;
use crate::serve::stage::ServeProcess;

const BUFFER: usize = 64 * 1024;

/// The bytes of events as a journal has them.
#[derive(Default, Clone)]
pub(super) struct Checksum {
    hash: Sha256,
    pub(super) events: u64,
    pub(super) is_complete: bool,
}

impl Checksum {
    /// Takes the next event. Only its beginning is looked at: there are many.
    pub(super) fn add(&mut self, event: &str) {
        let number = format!("\"seq\":{},", self.events);
        assert!(event.contains(&number), "an event is missing or comes twice before {event}");
        self.hash.update(event.as_bytes());
        self.hash.update(b"\n");
        self.events += 1;
        self.is_complete = event.contains("\"event\":{\"type\":\"done\"");
    }

    pub(super) fn hex(self) -> String {
        hex(self.hash)
    }
}

pub(super) fn checksum_of_journal(host: &ServeProcess, run_id: &str) -> String {
    let journal = host.scratch.path("od/runs").join(run_id).join("events.jsonl");
    let bytes = std::fs::read(journal).expect("a journal");
    hex(Sha256::new().chain_update(bytes))
}

fn hex(hash: Sha256) -> String {
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A message with events, its bytes left alone.
#[derive(Deserialize)]
struct Notification<'a> {
    #[serde(borrow)]
    params: Item<'a>,
}

#[derive(Deserialize)]
struct Item<'a> {
    subscription: &'a str,
    #[serde(borrow)]
    result: Batch<'a>,
}

#[derive(Deserialize)]
struct Batch<'a> {
    #[serde(borrow)]
    events: Vec<&'a RawValue>,
}

/// The subscription and the events of a message; `None` for an answer.
pub(super) fn events_in(message: &[u8]) -> Option<(&str, Vec<&str>)> {
    let Notification { params } = serde_json::from_slice(message).ok()?;
    Some((params.subscription, params.result.events.into_iter().map(RawValue::get).collect()))
}

/// One run that is watched.
struct Watched {
    run_id: String,
    approval: Option<String>,
    sum: Checksum,
}

pub(super) struct FastClient {
    socket: RawWebSocket,
    calls: u64,
    /// By subscription.
    runs: HashMap<String, Watched>,
}

impl FastClient {
    pub(super) fn open(host: &ServeProcess) -> Self {
        let socket = RawWebSocket::open(host.stream(), host.address(), &host.token, BUFFER);
        let socket = socket.expect("a WebSocket");
        Self { socket, calls: 0, runs: HashMap::new() }
    }

    /// Starts a run and attaches to it.
    pub(super) fn start(&mut self, params: &Value) {
        let run = self.call("runs/start", params);
        let run_id = run["runId"].as_str().expect("an id").to_owned();
        self.calls += 1;
        let (id, attach) = (self.calls, json!({"runId": run_id}).to_string());
        self.socket.request(id, "runs/attach", &attach).expect("it listens");
        let mut watched = Watched { run_id, approval: None, sum: Checksum::default() };
        // The first events may come before the answer.
        let mut early: HashMap<String, Vec<String>> = HashMap::new();
        let subscription = loop {
            let message = self.socket.next().expect("a message").expect("it is open");
            match events_in(message) {
                None => break answer_to(id, message).as_str().expect("an id").to_owned(),
                Some((subscription, events)) => {
                    let events = events.into_iter().map(str::to_owned);
                    early.entry(subscription.to_owned()).or_default().extend(events);
                }
            }
        };
        for event in early.remove(&subscription).unwrap_or_default() {
            watched.take(&event);
        }
        self.runs.insert(subscription, watched);
        for (subscription, events) in early {
            let watched = self.runs.get_mut(&subscription).expect("a subscription of ours");
            events.iter().for_each(|event| watched.take(event));
        }
    }

    pub(super) fn read_until_all_ask(&mut self) {
        while !self.runs.values().all(|watched| watched.approval.is_some()) {
            self.read();
        }
    }

    pub(super) fn answer_all(&mut self) {
        let answers: Vec<Value> = self.runs.values().map(Watched::answer).collect();
        for answer in answers {
            self.calls += 1;
            let sent = self.socket.request(self.calls, "runs/respond", &answer.to_string());
            sent.expect("it listens");
        }
    }

    pub(super) fn read_to_the_end(mut self) -> Vec<(String, String)> {
        while !self.runs.values().all(|watched| watched.sum.is_complete) {
            self.read();
        }
        self.runs.into_values().map(|watched| (watched.run_id, watched.sum.hex())).collect()
    }

    fn call(&mut self, method: &str, params: &Value) -> Value {
        self.calls += 1;
        self.socket.request(self.calls, method, &params.to_string()).expect("it listens");
        loop {
            if let Some(message) = self.read() {
                return answer_to(self.calls, &message);
            }
        }
    }

    /// Takes one message; one that is an answer is given back.
    fn read(&mut self) -> Option<Vec<u8>> {
        let message = self.socket.next().expect("a message").expect("it is open");
        let Some((subscription, events)) = events_in(message) else {
            return Some(message.to_vec());
        };
        let watched = self.runs.get_mut(subscription).expect("a subscription of ours");
        events.into_iter().for_each(|event| watched.take(event));
        None
    }
}

impl Watched {
    fn take(&mut self, event: &str) {
        self.sum.add(event);
        if event.contains("\"approval_requested\"") {
            let event: Value = serde_json::from_str(event).expect("an envelope");
            self.approval = event["event"]["approvalId"].as_str().map(str::to_owned);
        }
    }

    fn answer(&self) -> Value {
        json!({"runId": self.run_id, "approvalId": self.approval, "outcome": "allow_once"})
    }
}

fn answer_to(id: u64, message: &[u8]) -> Value {
    let mut answer: Value = serde_json::from_slice(message).expect("JSON");
    assert_eq!((&answer["id"], answer.get("error")), (&json!(id), None), "{answer}");
    answer["result"].take()
}
