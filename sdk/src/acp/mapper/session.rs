//! The handshake: version, login, session and settings, up to the first prompt.

use od_protocol::{ErrorEvent, ErrorKind, Event, SessionMode, SessionStarted};
use serde_json::json;

use super::{AcpMapper, Phase, Purpose};
use crate::RunOutput;
use crate::acp::handshake::{Handshake, PROTOCOL_VERSION, Setting};
use crate::acp::native::{InitializeResult, SessionResult};
use crate::acp::settings::Current;

impl AcpMapper {
    pub(super) fn on_initialized(&mut self, result: &InitializeResult, output: &mut RunOutput) {
        if result.protocol_version.is_some_and(|version| version != PROTOCOL_VERSION) {
            let message = format!(
                "the agent uses version {} of ACP, this adapter version {PROTOCOL_VERSION}",
                result.protocol_version.unwrap_or_default()
            );
            let error = ErrorEvent::fatal(ErrorKind::CliVersionUnsupported, message)
                .with_hint("install the tested version of the agent CLI, or upgrade the adapter");
            return self.fail(error, output);
        }
        let capabilities = &result.agent_capabilities;
        self.capabilities = capabilities.clone();
        match self.handshake.auth_method.clone() {
            Some(method) => {
                let params = json!({"methodId": method});
                self.request("authenticate", params, Purpose::Authenticate, output);
            }
            None => self.open_session(output),
        }
    }

    pub(super) fn open_session(&mut self, output: &mut RunOutput) {
        let Handshake { cwd, mcp_servers, session, .. } = &self.handshake;
        let mut params = json!({"cwd": cwd, "mcpServers": mcp_servers});
        if let Some(id) = session.id.as_ref().filter(|_| session.mode != SessionMode::New) {
            params["sessionId"] = id.as_str().into();
        }
        let can = &self.capabilities;
        let method = match session.mode {
            SessionMode::Resume if can.session_capabilities.resume.is_some() => "session/resume",
            SessionMode::Resume if can.load_session => "session/load",
            SessionMode::Resume => return self.fail(self.dialect.unsupported("resume"), output),
            SessionMode::Fork if can.session_capabilities.fork.is_some() => "session/fork",
            SessionMode::Fork => return self.fail(self.dialect.unsupported("fork"), output),
            _ => "session/new",
        };
        self.request(method, params, Purpose::Open, output);
    }

    pub(super) fn on_session(&mut self, result: &SessionResult, output: &mut RunOutput) {
        let choice = self.handshake.session.clone();
        let id = result.session_id.clone().or_else(|| choice.id.clone());
        let Some(session_id) = id.filter(|id| !id.is_empty()) else {
            let message = "the agent opened a session without an id";
            return self.fail(ErrorEvent::fatal(ErrorKind::CliProtocol, message), output);
        };
        self.session_id = session_id.clone();
        self.current = Current::of(result);
        if choice.mode == SessionMode::New {
            self.usage.on_new_session();
        }
        output.event(Event::SessionStarted(SessionStarted {
            session_id,
            mode: choice.mode,
            parent_session_id: choice.id.filter(|_| choice.mode == SessionMode::Fork),
            model: self.current.model.clone(),
            cwd: Some(self.handshake.cwd.clone()),
            tools: None,
            mcp_servers: None,
        }));
        let sends_history = choice.mode != SessionMode::New && self.dialect.history_end().is_some();
        match sends_history {
            true => self.phase = Phase::History,
            false => self.configure_next(output),
        }
    }

    /// Applies the settings one after the other, then sends the prompt.
    pub(super) fn configure_next(&mut self, output: &mut RunOutput) {
        self.phase = Phase::Setting;
        if self.handshake.settings.is_empty() {
            let prompt = std::mem::take(&mut self.handshake.prompt);
            return self.send_prompt(prompt, output);
        }
        let setting = self.handshake.settings.remove(0);
        let session_id = &self.session_id;
        let (method, params) = match &setting {
            Setting::Model(model) => {
                ("session/set_model", json!({"sessionId": session_id, "modelId": model}))
            }
            Setting::Mode(mode) => {
                ("session/set_mode", json!({"sessionId": session_id, "modeId": mode}))
            }
            Setting::ConfigOption { id, value } => (
                "session/set_config_option",
                json!({"sessionId": session_id, "configId": id, "value": value}),
            ),
        };
        self.request(method, params, Purpose::Set(setting), output);
    }

    pub(super) fn on_set(&mut self, setting: Setting, output: &mut RunOutput) {
        let changed = match setting {
            Setting::Model(model) => Current { model: Some(model), mode: None },
            Setting::Mode(mode) => Current { model: None, mode: Some(mode) },
            Setting::ConfigOption { .. } => Current::default(),
        };
        self.current.change(changed, output);
        self.configure_next(output);
    }
}
