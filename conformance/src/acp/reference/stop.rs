//! What a turn holds that a cancel must end: the connection to the model, a command, a question.

use std::net::{Shutdown, TcpStream};
use std::sync::{Mutex, PoisonError};

use serde_json::{Value, json};

use super::fault::{AgentFault, Behaviour};
use super::output::Output;
use crate::process;

/// The stop of one session.
#[derive(Default)]
pub(super) struct Stop(Mutex<Held>);

#[derive(Default)]
struct Held {
    is_open: bool,
    is_cancelled: bool,
    was_cancelled: bool,
    connection: Option<TcpStream>,
    command: Option<u32>,
    question: Option<String>,
}

impl Stop {
    fn held(&self) -> std::sync::MutexGuard<'_, Held> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A turn begins.
    pub(super) fn open(&self) {
        let mut held = self.held();
        let was_cancelled = held.was_cancelled;
        *held = Held { is_open: true, was_cancelled, ..Held::default() };
    }

    /// It is over.
    pub(super) fn close(&self) {
        self.held().is_open = false;
    }

    /// Whether a turn is open.
    pub(super) fn is_open(&self) -> bool {
        self.held().is_open
    }

    /// Whether this turn is cancelled.
    pub(super) fn is_cancelled(&self) -> bool {
        self.held().is_cancelled
    }

    /// Whether a turn of this session was ever cancelled.
    pub(super) fn was_cancelled(&self) -> bool {
        self.held().was_cancelled
    }

    /// Holds the connection to the model; a turn that is cancelled already ends it at once.
    pub(super) fn connected(&self, connection: Option<TcpStream>) {
        let mut held = self.held();
        held.connection = connection;
        if held.is_cancelled {
            end(&held);
        }
    }

    /// Holds a command.
    pub(super) fn running(&self, command: Option<u32>) {
        self.held().command = command;
    }

    /// The command that runs.
    pub(super) fn command(&self) -> Option<u32> {
        self.held().command
    }

    /// Holds a question to the client.
    pub(super) fn asking(&self, question: Option<String>) {
        self.held().question = question;
    }

    /// Cancels the open turn, if there is one.
    pub(super) fn cancel(&self, behaviour: Behaviour, output: &Output) {
        let mut held = self.held();
        if !held.is_open || behaviour.has(AgentFault::CancelNoop) {
            return;
        }
        if held.question.is_some() && behaviour.has(AgentFault::QuestionSurvivesCancel) {
            return;
        }
        held.is_cancelled = true;
        held.was_cancelled = true;
        if let Some(question) = held.question.take() {
            output.resolve(&question, cancelled());
        }
        if let Some(pid) = held.command
            && !behaviour.has(AgentFault::CancelLeavesCommand)
        {
            process::kill_tree(pid);
        }
        end(&held);
    }
}

fn end(held: &Held) {
    if let Some(connection) = &held.connection {
        // It may be over already.
        let _over = connection.shutdown(Shutdown::Both);
    }
}

/// The answer to a question that is cancelled.
fn cancelled() -> Value {
    json!({"outcome": {"outcome": "cancelled"}})
}
