//! The resources of a turn that a cancel must end: the connection to the model, a command, a
//! permission request.

use std::net::{Shutdown, TcpStream};
use std::sync::{Mutex, PoisonError};

use serde_json::{Value, json};

use super::fault::{AgentFault, Behaviour};
use super::output::Output;
use crate::process;

/// Cancels the turns of one session.
#[derive(Default)]
pub(super) struct TurnCancel(Mutex<TurnResources>);

#[derive(Default)]
struct TurnResources {
    is_open: bool,
    is_cancelled: bool,
    was_cancelled: bool,
    connection: Option<TcpStream>,
    command: Option<u32>,
    request: Option<String>,
}

impl TurnCancel {
    fn resources(&self) -> std::sync::MutexGuard<'_, TurnResources> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn open(&self) {
        let mut resources = self.resources();
        let was_cancelled = resources.was_cancelled;
        *resources = TurnResources { is_open: true, was_cancelled, ..TurnResources::default() };
    }

    /// Ends the turn.
    pub(super) fn close(&self) {
        self.resources().is_open = false;
    }

    pub(super) fn is_open(&self) -> bool {
        self.resources().is_open
    }

    /// Whether this turn is cancelled.
    pub(super) fn is_cancelled(&self) -> bool {
        self.resources().is_cancelled
    }

    /// Whether a turn of this session was ever cancelled.
    pub(super) fn was_cancelled(&self) -> bool {
        self.resources().was_cancelled
    }

    /// Stores the connection to the model; if the turn is already cancelled, closes it.
    pub(super) fn set_connection(&self, connection: Option<TcpStream>) {
        let mut resources = self.resources();
        resources.connection = connection;
        if resources.is_cancelled {
            end(&resources);
        }
    }

    /// Stores the running command.
    pub(super) fn set_command(&self, command: Option<u32>) {
        self.resources().command = command;
    }

    pub(super) fn command(&self) -> Option<u32> {
        self.resources().command
    }

    /// Stores the id of a permission request.
    pub(super) fn set_permission_request(&self, request: Option<String>) {
        self.resources().request = request;
    }

    /// Cancels the open turn, if any.
    pub(super) fn cancel(&self, behaviour: Behaviour, output: &Output) {
        let mut resources = self.resources();
        if !resources.is_open || behaviour.has(AgentFault::CancelNoop) {
            return;
        }
        if resources.request.is_some() && behaviour.has(AgentFault::QuestionSurvivesCancel) {
            return;
        }
        resources.is_cancelled = true;
        resources.was_cancelled = true;
        if let Some(request) = resources.request.take() {
            output.resolve(&request, cancelled());
        }
        if let Some(pid) = resources.command
            && !behaviour.has(AgentFault::CancelLeavesCommand)
        {
            process::kill_tree(pid);
        }
        end(&resources);
    }
}

fn end(resources: &TurnResources) {
    if let Some(connection) = &resources.connection {
        // The connection may already be closed.
        let _closed = connection.shutdown(Shutdown::Both);
    }
}

/// The response to a cancelled permission request.
fn cancelled() -> Value {
    json!({"outcome": {"outcome": "cancelled"}})
}
