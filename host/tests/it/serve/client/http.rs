//! Calls by POST, events by GET.

use std::io::{BufRead, BufReader};

use serde_json::Value;

use super::{Client, Events, Matches, Reply, take};
use crate::cli::scratch::Scratch;
use crate::serve::server_process::ServeProcess;

/// How a reader names its position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Resume {
    From,
    LastEventId,
}

pub(super) struct HttpClient {
    host: ServeProcess,
    resume: Resume,
}

impl HttpClient {
    pub(super) fn open(scratch: Scratch, resume: Resume) -> Self {
        Self { host: ServeProcess::start(scratch, &[]), resume }
    }
}

impl Client for HttpClient {
    fn scratch(&self) -> &Scratch {
        &self.host.scratch
    }

    fn call(&mut self, method: &str, params: &Value) -> Reply {
        self.host.call(method, params.clone())
    }

    fn race(&mut self, method: &str, params: &Value) -> [Reply; 2] {
        let call = || self.host.call(method, params.clone());
        std::thread::scope(|scope| {
            [scope.spawn(call), scope.spawn(call)].map(|call| call.join().expect("a reply"))
        })
    }

    fn read(&mut self, run_id: &str, from: u64, matches: Matches<'_>) -> Events {
        let path = format!("/runs/{run_id}/events");
        let seen = from.checked_sub(1).map(|seen| seen.to_string());
        let mut response = match (self.resume, &seen) {
            (Resume::From, _) => self.host.open(&format!("{path}?from={from}"), &[]),
            (Resume::LastEventId, Some(seen)) => {
                // The header overrides the number in the URL.
                self.host.open(&format!("{path}?from=0"), &[("Last-Event-ID", seen)])
            }
            (Resume::LastEventId, None) => self.host.open(&path, &[]),
        };
        if response.status() != 200 {
            let text = response.body_mut().read_to_string().expect("a text");
            let answer: Value = serde_json::from_str(&text).expect("JSON");
            return Err(answer["error"].clone());
        }
        let mut events = Vec::new();
        for line in BufReader::new(response.body_mut().as_reader()).lines() {
            let line = line.expect("a line");
            let Some(data) = line.strip_prefix("data: ") else { continue };
            let event = serde_json::from_str(data).expect("an envelope");
            if take(&mut events, [event], matches) {
                break;
            }
        }
        Ok(events)
    }

    fn wait_for_exit(mut self: Box<Self>) -> Option<i32> {
        self.host.wait()
    }
}
