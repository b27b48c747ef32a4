//! Replies to our requests.

use od_sdk::RunOutput;
use od_sdk::json_rpc::RpcError;
use serde_json::value::RawValue;

use super::failure::Failure;
use super::{Events, read};
use crate::native::TurnReply;
use crate::requests::{self, Purpose};

impl Events {
    pub(super) fn on_reply(
        &mut self,
        purpose: Purpose,
        outcome: Result<&RawValue, RpcError>,
        output: &mut RunOutput,
    ) {
        match (purpose, outcome) {
            (Purpose::Turn, Ok(reply)) => {
                let reply: TurnReply = read(reply).unwrap_or_default();
                self.connection.begin_turn(&reply.turn.id, output);
                if output.is_cancelling() {
                    self.interrupt(output);
                }
            }
            (Purpose::Turn, Err(error)) => self.fail(&error, output),
            (Purpose::Steer(text), outcome) => {
                if outcome.is_err() {
                    // The turn ended before the input arrived, so the text starts the next one.
                    self.input_queue.queue(&text);
                }
                self.start_next_turn_or_finish(output);
            }
            (Purpose::Interrupt, _) => {}
            (purpose, outcome) => self.on_handshake(&purpose, outcome, output),
        }
    }

    fn on_handshake(
        &mut self,
        purpose: &Purpose,
        outcome: Result<&RawValue, RpcError>,
        output: &mut RunOutput,
    ) {
        match self.handshake.on_reply(purpose, outcome, &mut self.connection, output) {
            Ok(()) => self.usage.set_model(self.handshake.model()),
            Err(error) => self.fail(&error, output),
        }
    }

    /// Ends the run after a refused request.
    fn fail(&self, error: &RpcError, output: &mut RunOutput) {
        let failure = Failure::of_refusal(error, &self.limits);
        output.fail(failure.into_event(true));
        output.close_stdin();
    }

    pub(super) fn interrupt(&mut self, output: &mut RunOutput) {
        if let (Some(thread), Some(turn)) =
            (self.connection.thread.clone(), self.connection.turn.clone())
        {
            let message = requests::interrupt(&mut self.connection.requests, &thread, &turn);
            output.write_json(&message);
        }
    }
}
