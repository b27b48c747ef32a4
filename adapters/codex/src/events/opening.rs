//! From the greeting to the prompt: one request after the other, each after the reply to the last.

use od_protocol::adapter::StartRunParams;
use od_protocol::{Effort, Event, ModeChanged, NoticeLevel, SessionMode, SessionStarted};
use od_sdk::json_rpc::RpcError;
use od_sdk::{Install, RunOutput};
use serde_json::value::RawValue;

use super::talk::Talk;
use super::{notices, read};
use crate::invocation::is_paid_by_key;
use crate::native::{ModelList, ThreadReply};
use crate::requests::{self, Opening, Purpose};

/// What "as much as the model can" may be called, the most first. What some models have beyond is
/// not for one agent alone.
const MOST_EFFORT: &[&str] = &["max", "xhigh", "high"];

/// The way from the greeting to the prompt.
#[derive(Debug)]
pub(super) struct OpeningSteps {
    opening: Opening,
    waits_for_login: bool,
    mode: SessionMode,
    permission_mode: Option<String>,
    model: Option<String>,
}

impl OpeningSteps {
    pub(super) fn new(start_run_params: &StartRunParams, install: &Install) -> Self {
        Self {
            // What is wrong with it was refused before the CLI was started.
            opening: Opening::of(start_run_params, install).unwrap_or_default(),
            waits_for_login: is_paid_by_key(install),
            mode: start_run_params.session.mode,
            permission_mode: start_run_params.permission_mode.clone(),
            model: None,
        }
    }

    /// The model in use, once the thread is there.
    pub(super) fn model(&self) -> Option<&str> {
        self.model.as_deref()
    }

    /// The reply to one request: the next one is made.
    pub(super) fn on_reply(
        &mut self,
        purpose: &Purpose,
        outcome: Result<&RawValue, RpcError>,
        talk: &mut Talk,
        output: &mut RunOutput,
    ) -> Result<(), RpcError> {
        match purpose {
            Purpose::Initialize => {
                outcome?;
                if !self.waits_for_login {
                    self.begin(talk, output);
                }
            }
            Purpose::Login => {
                outcome?;
                self.begin(talk, output);
            }
            Purpose::Skills => {
                if let Err(error) = outcome {
                    output.event(unloaded_skills(&error));
                }
                output.write_json(&self.opening.thread(&mut talk.requests));
            }
            Purpose::Thread => self.on_thread(outcome?, talk, output)?,
            _ => {
                let models = outcome.ok().and_then(read).unwrap_or_default();
                let effort = self.most_effort(&models, output);
                self.say_prompt(Some(effort), talk, output);
            }
        }
        Ok(())
    }

    fn begin(&self, talk: &mut Talk, output: &mut RunOutput) {
        let message = match self.opening.skills.is_empty() {
            true => self.opening.thread(&mut talk.requests),
            false => requests::skills(&mut talk.requests, &self.opening.skills),
        };
        output.write_json(&message);
    }

    fn on_thread(
        &mut self,
        reply: &RawValue,
        talk: &mut Talk,
        output: &mut RunOutput,
    ) -> Result<(), RpcError> {
        let reply: ThreadReply = read(reply).unwrap_or_default();
        if reply.thread.id.is_empty() {
            let message = "the app server did not name the thread".to_owned();
            return Err(RpcError { message, ..RpcError::default() });
        }
        talk.thread = Some(reply.thread.id.clone());
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
        self.tell_mode(&reply.sandbox.kind, output);
        match self.opening.effort {
            Some(Effort::Max) => output.write_json(&requests::models(&mut talk.requests)),
            effort => self.say_prompt(effort.map(Effort::as_str), talk, output),
        }
        Ok(())
    }

    /// Without a word of the run the person's settings decide, and only now it is known how.
    fn tell_mode(&self, sandbox: &str, output: &mut RunOutput) {
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

    fn say_prompt(&self, effort: Option<&str>, talk: &mut Talk, output: &mut RunOutput) {
        talk.start_turn(output, |requests, thread| self.opening.turn(requests, thread, effort));
    }

    /// The most the model takes; a model that nobody lists gets what all take.
    fn most_effort(&self, models: &ModelList, output: &mut RunOutput) -> &'static str {
        let entry = models.data.iter().find(|entry| Some(&entry.model) == self.model.as_ref());
        let has = |level: &&&str| {
            entry.is_some_and(|entry| {
                let efforts = &entry.supported_reasoning_efforts;
                efforts.iter().any(|effort| effort.reasoning_effort == **level)
            })
        };
        let most = MOST_EFFORT.iter().find(has).copied();
        if most.is_none() {
            let text = "the model does not say how hard it can think; max is sent as high";
            output.event(notices::notice(NoticeLevel::Info, "effort_lowered", text));
        }
        most.unwrap_or(Effort::High.as_str())
    }
}

fn unloaded_skills(error: &RpcError) -> Event {
    let text = format!("the folders of skills were not taken: {}", error.message);
    notices::notice(NoticeLevel::Warn, "skills_not_loaded", text)
}
