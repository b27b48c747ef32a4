//! Calls and events as lines on stdin and stdout.

use serde_json::{Value, json};

use super::{Client, Events, Matches, Reply, take};
use crate::cli::scratch::Scratch;
use crate::serve::server_process::StdioProcess;

pub(super) struct StdioClient {
    host: StdioProcess,
    calls: u64,
}

impl StdioClient {
    pub(super) fn open(scratch: Scratch) -> Self {
        Self { host: StdioProcess::start(scratch), calls: 0 }
    }

    fn send(&mut self, method: &str, params: &Value) -> u64 {
        self.calls += 1;
        self.host.request(self.calls, method, params);
        self.calls
    }

    /// The next reply and the id of its call; skips events.
    fn next_reply(&self) -> (u64, Reply) {
        loop {
            let mut message = self.host.next();
            let Some(id) = message["id"].as_u64() else { continue };
            let answer = match message.get("error") {
                Some(error) => Err(error.clone()),
                None => Ok(message["result"].take()),
            };
            return (id, answer);
        }
    }
}

impl Client for StdioClient {
    fn scratch(&self) -> &Scratch {
        &self.host.scratch
    }

    fn call(&mut self, method: &str, params: &Value) -> Reply {
        let id = self.send(method, params);
        let (answered, answer) = self.next_reply();
        assert_eq!(answered, id, "{answer:?}");
        answer
    }

    fn race(&mut self, method: &str, params: &Value) -> [Reply; 2] {
        self.send(method, params);
        self.send(method, params);
        let mut answers = [self.next_reply(), self.next_reply()];
        answers.sort_by_key(|(id, _)| *id);
        answers.map(|(_, answer)| answer)
    }

    fn read(&mut self, run_id: &str, from: u64, matches: Matches<'_>) -> Events {
        let subscription = self.call("runs/attach", &json!({"runId": run_id, "from": from}))?;
        let mut events = Vec::new();
        loop {
            let mut message = self.host.next();
            let params = &mut message["params"];
            if params["subscription"] != subscription {
                continue;
            }
            let Value::Array(batch) = params["result"]["events"].take() else {
                panic!("no events: {message}");
            };
            if take(&mut events, batch, matches) {
                break;
            }
        }
        self.call("runs/detach", &json!([subscription])).expect("a reply");
        Ok(events)
    }

    fn wait_for_exit(self: Box<Self>) -> Option<i32> {
        self.host.wait()
    }
}
