//! The connection to the app server: pending requests, the run's thread, the running turn.

use od_protocol::{Event, StopReason, TurnEnded, TurnStarted};
use od_sdk::json_rpc::Requests;
use od_sdk::{Install, RunOutput};
use serde_json::Value;

use crate::invocation::uses_api_key;
use crate::requests::{self, Purpose};

/// The state of the connection.
#[derive(Debug)]
pub(super) struct Connection {
    pub(super) requests: Requests<Purpose>,
    pub(super) thread: Option<String>,
    /// The running turn.
    pub(super) turn: Option<String>,
}

impl Connection {
    /// Returns the state after the first lines, which the invocation has written.
    pub(super) fn new(install: &Install) -> Self {
        let mut requests = requests::new_requests();
        requests::initialize(&mut requests);
        if uses_api_key(install) {
            requests::login(&mut requests, "");
        }
        Self { requests, thread: None, turn: None }
    }

    pub(super) fn turn(&self) -> Option<&str> {
        self.turn.as_deref()
    }

    /// Whether a thread is not the run's own. All threads share one stream.
    pub(super) fn is_subagent_thread(&self, thread: &str) -> bool {
        self.thread.as_deref().is_some_and(|own| own != thread) && !thread.is_empty()
    }

    /// Requests a turn of the run's thread.
    pub(super) fn start_turn(
        &mut self,
        output: &mut RunOutput,
        request: impl FnOnce(&mut Requests<Purpose>, &str) -> Value,
    ) {
        if let Some(thread) = &self.thread {
            output.write_json(&request(&mut self.requests, thread));
        }
    }

    /// Starts the turn once, although both the reply and the notification report it.
    pub(super) fn begin_turn(&mut self, turn: &str, output: &mut RunOutput) {
        if turn.is_empty() || self.turn.as_deref() == Some(turn) {
            return;
        }
        self.turn = Some(turn.to_owned());
        output.event(Event::TurnStarted(TurnStarted { turn_id: turn.to_owned() }));
    }

    pub(super) fn end_turn(&mut self, stop_reason: StopReason, output: &mut RunOutput) {
        if let Some(turn_id) = self.turn.take() {
            output.event(Event::TurnEnded(TurnEnded { turn_id, stop_reason }));
        }
    }
}
