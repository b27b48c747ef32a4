//! The handshake, from `initialize` to the first turn: each request follows the reply to the previous
//! one.

use od_protocol::adapter::StartRunParams;
use od_protocol::{Effort, Event, ModeChanged, NoticeLevel, SessionMode, SessionStarted};
use od_sdk::json_rpc::RpcError;
use od_sdk::{Install, RunOutput};
use serde_json::value::RawValue;

use super::connection::Connection;
use super::{notices, read};
use crate::invocation::uses_api_key;
use crate::native::{ModelList, ThreadReply};
use crate::requests::{self, Handshake, Purpose};

/// The CLI's names for the effort `max`, the highest first. Levels above `max` are for several agents
/// at once.
const HIGHEST_EFFORTS: &[&str] = &["max", "xhigh", "high"];

/// The state of the handshake.
#[derive(Debug)]
pub(super) struct HandshakeState {
    handshake: Handshake,
    waits_for_login: bool,
    mode: SessionMode,
    permission_mode: Option<String>,
    model: Option<String>,
}

impl HandshakeState {
    pub(super) fn new(start_run_params: &StartRunParams, install: &Install) -> Self {
        Self {
            // The invocation has refused invalid parameters.
            handshake: Handshake::of(start_run_params, install).unwrap_or_default(),
            waits_for_login: uses_api_key(install),
            mode: start_run_params.session.mode,
            permission_mode: start_run_params.permission_mode.clone(),
            model: None,
        }
    }

    /// The model in use, after the thread has started.
    pub(super) fn model(&self) -> Option<&str> {
        self.model.as_deref()
    }

    /// Handles the reply to a request and sends the next one.
    pub(super) fn on_reply(
        &mut self,
        purpose: &Purpose,
        outcome: Result<&RawValue, RpcError>,
        connection: &mut Connection,
        output: &mut RunOutput,
    ) -> Result<(), RpcError> {
        match purpose {
            Purpose::Initialize => {
                outcome?;
                if !self.waits_for_login {
                    self.send_first_request(connection, output);
                }
            }
            Purpose::Login => {
                outcome?;
                self.send_first_request(connection, output);
            }
            Purpose::Skills => {
                if let Err(error) = outcome {
                    output.event(skills_not_loaded(&error));
                }
                output.write_json(&self.handshake.thread(&mut connection.requests));
            }
            Purpose::Thread => self.on_thread(outcome?, connection, output)?,
            _ => {
                let models = outcome.ok().and_then(read).unwrap_or_default();
                let effort = self.highest_effort(&models, output);
                self.send_prompt(Some(effort), connection, output);
            }
        }
        Ok(())
    }

    fn send_first_request(&self, connection: &mut Connection, output: &mut RunOutput) {
        let message = match self.handshake.skills.is_empty() {
            true => self.handshake.thread(&mut connection.requests),
            false => requests::skills(&mut connection.requests, &self.handshake.skills),
        };
        output.write_json(&message);
    }

    fn on_thread(
        &mut self,
        reply: &RawValue,
        connection: &mut Connection,
        output: &mut RunOutput,
    ) -> Result<(), RpcError> {
        let reply: ThreadReply = read(reply).unwrap_or_default();
        if reply.thread.id.is_empty() {
            let message = "the app server returned no thread id".to_owned();
            return Err(RpcError { message, ..RpcError::default() });
        }
        connection.thread = Some(reply.thread.id.clone());
        self.model.clone_from(&reply.model);
        output.event(Event::SessionStarted(SessionStarted {
            session_id: reply.thread.id,
            mode: self.mode,
            parent_session_id: reply.thread.forked_from_id,
            model: reply.model,
            cwd: reply.cwd,
            tools: None,
            mcp_servers: None,
        }));
        self.emit_permission_mode(&reply.sandbox.kind, output);
        match self.handshake.effort {
            Some(Effort::Max) => output.write_json(&requests::models(&mut connection.requests)),
            effort => self.send_prompt(effort.map(Effort::as_str), connection, output),
        }
        Ok(())
    }

    /// Emits the permission mode if the user's settings chose it: the reply is the first to report it.
    fn emit_permission_mode(&self, sandbox: &str, output: &mut RunOutput) {
        let mode = match sandbox {
            "readOnly" => "read-only",
            "workspaceWrite" => "workspace-write",
            "dangerFullAccess" => "danger-full-access",
            _ => return,
        };
        if self.permission_mode.as_deref() != Some(mode) {
            let permission_mode = Some(mode.to_owned());
            output.event(Event::ModeChanged(ModeChanged { model: None, permission_mode }));
        }
    }

    fn send_prompt(
        &self,
        effort: Option<&str>,
        connection: &mut Connection,
        output: &mut RunOutput,
    ) {
        connection
            .start_turn(output, |requests, thread| self.handshake.turn(requests, thread, effort));
    }

    /// Returns the highest effort of the model; `high` for a model without a list.
    fn highest_effort(&self, models: &ModelList, output: &mut RunOutput) -> &'static str {
        let entry = models.data.iter().find(|entry| Some(&entry.model) == self.model.as_ref());
        let has = |level: &&&str| {
            entry.is_some_and(|entry| {
                let efforts = &entry.supported_reasoning_efforts;
                efforts.iter().any(|effort| effort.reasoning_effort == **level)
            })
        };
        let highest = HIGHEST_EFFORTS.iter().find(has).copied();
        if highest.is_none() {
            let text = "the model does not report its effort levels; max is sent as high";
            output.event(notices::notice(NoticeLevel::Info, "effort_lowered", text));
        }
        highest.unwrap_or(Effort::High.as_str())
    }
}

fn skills_not_loaded(error: &RpcError) -> Event {
    let text = format!("the skill folders were not loaded: {}", error.message);
    notices::notice(NoticeLevel::Warn, "skills_not_loaded", text)
}
