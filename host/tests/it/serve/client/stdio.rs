//! Calls and events as lines on a pipe.

use serde_json::{Value, json};

use super::{Answer, Client, Events, Fits, take};
use crate::cli::scratch::Scratch;
use crate::serve::stage::StdioProcess;

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

    /// The next answer and its call. Events of a run that is no longer watched may still be on their way.
    fn answer(&self) -> (u64, Answer) {
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

    fn call(&mut self, method: &str, params: &Value) -> Answer {
        let id = self.send(method, params);
        let (answered, answer) = self.answer();
        assert_eq!(answered, id, "{answer:?}");
        answer
    }

    fn race(&mut self, method: &str, params: &Value) -> [Answer; 2] {
        self.send(method, params);
        self.send(method, params);
        let mut answers = [self.answer(), self.answer()];
        answers.sort_by_key(|(id, _)| *id);
        answers.map(|(_, answer)| answer)
    }

    fn read(&mut self, run_id: &str, from: u64, fits: Fits<'_>) -> Events {
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
            if take(&mut events, batch, fits) {
                break;
            }
        }
        self.call("runs/detach", &json!([subscription])).expect("an answer");
        Ok(events)
    }

    fn ended(self: Box<Self>) -> Option<i32> {
        self.host.wait()
    }
}
