//! A client that keeps up: many runs over one WebSocket, each with the checksum of its events.

use std::collections::HashMap;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::serve::raw_websocket::RawWebSocket;
use crate::serve::server_process::ServeProcess;

const READ_BUFFER_BYTES: usize = 64 * 1024;

/// The checksum of events as in the journal.
#[derive(Default, Clone)]
pub(super) struct Checksum {
    hash: Sha256,
    pub(super) events: u64,
    pub(super) is_complete: bool,
}

impl Checksum {
    /// Adds the next event without parsing it, because there are many.
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

/// A message with events as raw JSON.
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

/// The subscription and the events of a message; `None` for a reply.
pub(super) fn events_in(message: &[u8]) -> Option<(&str, Vec<&str>)> {
    let Notification { params } = serde_json::from_slice(message).ok()?;
    Some((params.subscription, params.result.events.into_iter().map(RawValue::get).collect()))
}

/// One followed run.
struct FollowedRun {
    run_id: String,
    approval: Option<String>,
    sum: Checksum,
}

pub(super) struct FastClient {
    socket: RawWebSocket,
    calls: u64,
    /// By subscription.
    runs: HashMap<String, FollowedRun>,
}

impl FastClient {
    pub(super) fn open(host: &ServeProcess) -> Self {
        let socket =
            RawWebSocket::open(host.stream(), host.address(), &host.token, READ_BUFFER_BYTES);
        let socket = socket.expect("a WebSocket");
        Self { socket, calls: 0, runs: HashMap::new() }
    }

    /// Starts a run and attaches to it.
    pub(super) fn start(&mut self, params: &Value) {
        let run = self.call("runs/start", params);
        let run_id = run["runId"].as_str().expect("an id").to_owned();
        self.calls += 1;
        let (id, attach) = (self.calls, json!({"runId": run_id}).to_string());
        self.socket.request(id, "runs/attach", &attach).expect("the host listens");
        let mut run = FollowedRun { run_id, approval: None, sum: Checksum::default() };
        // The first events may arrive before the reply.
        let mut early: HashMap<String, Vec<String>> = HashMap::new();
        let subscription = loop {
            let message = self.socket.next().expect("a message").expect("it is open");
            match events_in(message) {
                None => break result_of(id, message).as_str().expect("an id").to_owned(),
                Some((subscription, events)) => {
                    let events = events.into_iter().map(str::to_owned);
                    early.entry(subscription.to_owned()).or_default().extend(events);
                }
            }
        };
        for event in early.remove(&subscription).unwrap_or_default() {
            run.add_event(&event);
        }
        self.runs.insert(subscription, run);
        for (subscription, events) in early {
            let run = self.runs.get_mut(&subscription).expect("a subscription of ours");
            events.iter().for_each(|event| run.add_event(event));
        }
    }

    pub(super) fn read_until_all_ask(&mut self) {
        while !self.runs.values().all(|run| run.approval.is_some()) {
            self.read();
        }
    }

    pub(super) fn answer_all(&mut self) {
        let answers: Vec<Value> = self.runs.values().map(FollowedRun::answer).collect();
        for answer in answers {
            self.calls += 1;
            let sent = self.socket.request(self.calls, "runs/respond", &answer.to_string());
            sent.expect("the host listens");
        }
    }

    pub(super) fn read_to_the_end(mut self) -> Vec<(String, String)> {
        while !self.runs.values().all(|run| run.sum.is_complete) {
            self.read();
        }
        self.runs.into_values().map(|run| (run.run_id, run.sum.hex())).collect()
    }

    fn call(&mut self, method: &str, params: &Value) -> Value {
        self.calls += 1;
        self.socket.request(self.calls, method, &params.to_string()).expect("the host listens");
        loop {
            if let Some(message) = self.read() {
                return result_of(self.calls, &message);
            }
        }
    }

    /// Reads one message; returns a reply.
    fn read(&mut self) -> Option<Vec<u8>> {
        let message = self.socket.next().expect("a message").expect("it is open");
        let Some((subscription, events)) = events_in(message) else {
            return Some(message.to_vec());
        };
        let run = self.runs.get_mut(subscription).expect("a subscription of ours");
        events.into_iter().for_each(|event| run.add_event(event));
        None
    }
}

impl FollowedRun {
    fn add_event(&mut self, event: &str) {
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

fn result_of(id: u64, message: &[u8]) -> Value {
    let mut answer: Value = serde_json::from_slice(message).expect("JSON");
    assert_eq!((&answer["id"], answer.get("error")), (&json!(id), None), "{answer}");
    answer["result"].take()
}
