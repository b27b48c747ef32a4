//! Reads messages, answers each one, and exits when the client does.

use std::collections::HashMap;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};

use super::fault::{AgentFault, Behaviour};
use super::lines::Lines;
use super::output::{Output, Refusal};
use super::requests::{self, INVALID_PARAMS, METHOD_NOT_FOUND};
use super::session::Session;
use super::turn;
use crate::process;

const PARSE_ERROR: i64 = -32700;
const INVALID_REQUEST: i64 = -32600;
const NOT_FOUND: i64 = -32002;

pub(super) struct Reference {
    pub(super) behaviour: Behaviour,
    pub(super) output: Output,
    sessions: Mutex<HashMap<String, Arc<Session>>>,
    capabilities: Mutex<Value>,
    /// The session whose prompt arrived last.
    latest: Mutex<String>,
}

/// Serves a client until it exits.
pub(super) fn serve(behaviour: Behaviour) -> ExitCode {
    let reference: &'static Reference = Box::leak(Box::new(Reference {
        behaviour,
        output: Output::new(behaviour),
        sessions: Mutex::default(),
        capabilities: Mutex::default(),
        latest: Mutex::default(),
    }));
    let handlers = process::watch_signals(move |_| reference.on_signal());
    if let Err(error) = handlers {
        eprintln!("signals cannot be watched: {error}");
    }
    if behaviour.has(AgentFault::Banner) {
        reference.output.write(b"Welcome to the reference agent!\n");
    }
    let mut stdin = std::io::stdin().lock();
    let mut lines = Lines::new(behaviour);
    while let Some(complete) = lines.next(&mut stdin) {
        complete.iter().for_each(|line| reference.on_line(line));
    }
    while behaviour.has(AgentFault::IgnoresEof) {
        std::thread::sleep(Duration::from_secs(1));
    }
    if !behaviour.has(AgentFault::EofLeavesCommand) {
        reference.end_commands();
    }
    ExitCode::SUCCESS
}

impl Reference {
    fn on_line(&'static self, line: &[u8]) {
        let text = line.trim_ascii();
        if text.is_empty() && !self.behaviour.has(AgentFault::BlankIsError) {
            return;
        }
        let message: Value = match serde_json::from_slice(text) {
            Ok(message) => message,
            Err(error) => return self.on_garbage(&error.to_string()),
        };
        let method = message["method"].as_str();
        match (method, message.get("id")) {
            (Some(_), Some(id)) if self.ignores_id(id) => {}
            (Some(method), Some(id)) => self.on_request(id, method, &message["params"]),
            (Some(method), None) => self.on_notification(method, &message["params"]),
            (None, Some(id)) if message.is_object() => self.on_answer(id, &message),
            _ => self
                .output
                .reply(&Value::Null, Err((INVALID_REQUEST, "invalid request".to_owned()))),
        }
    }

    fn ignores_id(&self, id: &Value) -> bool {
        *id == "" && self.behaviour.has(AgentFault::EmptyIdIsNotification)
    }

    fn on_garbage(&self, reason: &str) {
        if self.behaviour.has(AgentFault::DiesOnGarbage) {
            std::process::exit(1);
        }
        if !self.behaviour.has(AgentFault::SilentGarbage) {
            self.output.reply(&Value::Null, Err((PARSE_ERROR, format!("not JSON: {reason}"))));
        }
    }

    fn on_request(&'static self, id: &Value, method: &str, params: &Value) {
        if method == "session/prompt" {
            return self.on_prompt(id, params);
        }
        let outcome = requests::answer(self, method, params);
        let is_unknown = matches!(outcome, Err((METHOD_NOT_FOUND, _)));
        let is_deaf = self.behaviour.has(AgentFault::SilentUnknown)
            || (self.behaviour.has(AgentFault::DeafInTurn) && self.has_open_turn());
        if is_unknown && is_deaf {
            return;
        }
        let is_session = method == "session/new" && outcome.is_ok();
        self.output.reply(id, outcome.clone());
        if is_session && self.behaviour.has(AgentFault::AnswersTwice) {
            self.output.reply(id, outcome);
        }
    }

    fn on_prompt(&'static self, id: &Value, params: &Value) {
        let blocks = params["prompt"].as_array().cloned();
        let (Some(blocks), true) = (blocks, params["sessionId"].is_string()) else {
            if self.behaviour.has(AgentFault::WrongTypesDie) {
                std::process::exit(1);
            }
            let message = "sessionId and prompt are missing".to_owned();
            return self.output.reply(id, Err((INVALID_PARAMS, message)));
        };
        match self.session(params) {
            Ok(session) => {
                let id = id.clone();
                session.stop.open();
                *self.latest.lock().unwrap_or_else(PoisonError::into_inner) = session.id.clone();
                std::thread::spawn(move || turn::run(self, &session, &id, &blocks));
            }
            Err(refusal) => self.output.reply(id, Err(refusal)),
        }
    }

    fn on_notification(&self, method: &str, params: &Value) {
        if method == "session/cancel" {
            let session = self.session(params);
            let is_idle = session.as_ref().is_ok_and(|session| !session.stop.is_open());
            if session.is_ok() && self.behaviour.has(AgentFault::CancelStopsAll) {
                self.all().values().for_each(|it| it.stop.cancel(self.behaviour, &self.output));
            } else if let Ok(session) = session {
                session.stop.cancel(self.behaviour, &self.output);
            }
            if is_idle && self.behaviour.has(AgentFault::AnswersIdleCancel) {
                let message = "no turn to cancel".to_owned();
                self.output.reply(&Value::Null, Err((INVALID_PARAMS, message)));
            }
        } else if self.behaviour.has(AgentFault::AnswersNotifications) {
            let message = format!("unknown method {method}");
            self.output.reply(&Value::Null, Err((METHOD_NOT_FOUND, message)));
        }
    }

    fn on_answer(&self, id: &Value, message: &Value) {
        let answer = message.get("result").cloned().unwrap_or_default();
        let is_known = self.output.resolve(&id.to_string(), answer);
        if !is_known && self.behaviour.has(AgentFault::StrayAnswerDies) {
            std::process::exit(1);
        }
    }

    fn on_signal(&self) {
        if self.behaviour.has(AgentFault::IgnoresTerm) {
            return;
        }
        if !self.behaviour.has(AgentFault::TermLeavesCommand) {
            self.end_commands();
        }
        std::process::exit(143);
    }

    /// Stores the capabilities of the client.
    pub(super) fn set_capabilities(&self, capabilities: Value) {
        *self.capabilities.lock().unwrap_or_else(PoisonError::into_inner) = capabilities;
    }

    pub(super) fn client_writes(&self) -> bool {
        let capabilities = self.capabilities.lock().unwrap_or_else(PoisonError::into_inner);
        capabilities["fs"]["writeTextFile"] == true
    }

    fn all(&self) -> std::sync::MutexGuard<'_, HashMap<String, Arc<Session>>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn new_session(&self, cwd: PathBuf) -> Arc<Session> {
        let id = match self.behaviour.has(AgentFault::OneSessionId) {
            true => "session-1".to_owned(),
            false => format!("{:032x}", rand::random::<u128>()),
        };
        self.add(Session::new(id, cwd))
    }

    pub(super) fn load_session(&self, id: &str, cwd: PathBuf) -> Option<Arc<Session>> {
        let found = Session::load(id, cwd.clone());
        let anything = self.behaviour.has(AgentFault::LoadsAnything);
        let found = found.or_else(|| anything.then(|| Session::new(id.to_owned(), cwd)));
        found.map(|session| self.add(session))
    }

    fn add(&self, session: Session) -> Arc<Session> {
        let session = Arc::new(session);
        self.all().insert(session.id.clone(), Arc::clone(&session));
        session
    }

    pub(super) fn session(&self, params: &Value) -> Result<Arc<Session>, Refusal> {
        let id = params["sessionId"].as_str().unwrap_or_default();
        if let Some(session) = self.all().get(id) {
            return Ok(Arc::clone(session));
        }
        if self.behaviour.has(AgentFault::AnySession) {
            return Ok(self.add(Session::new(id.to_owned(), PathBuf::from("/"))));
        }
        Err((NOT_FOUND, format!("unknown session {id}")))
    }

    /// Returns another session with an open turn.
    pub(super) fn other_session(&self, session: &str) -> Option<String> {
        let all = self.all();
        let others = all.values().filter(|it| it.id != session && it.stop.is_open());
        others.map(|it| it.id.clone()).next()
    }

    /// Returns the session whose prompt arrived last.
    pub(super) fn latest_session(&self) -> String {
        self.latest.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn has_open_turn(&self) -> bool {
        self.all().values().any(|session| session.stop.is_open())
    }

    fn end_commands(&self) {
        self.all().values().filter_map(|it| it.stop.command()).for_each(process::kill_tree);
    }

    /// Sends output outside of a session, as the fault requires.
    pub(super) fn send_outside_session(&self) {
        if self.behaviour.has(AgentFault::StrayPrint) {
            self.output.write(b"DEBUG turn started\n");
        }
        if self.behaviour.has(AgentFault::StraySession) {
            let update =
                json!({"sessionUpdate": "available_commands_update", "availableCommands": []});
            self.output.update("unknown-session", &update);
        }
    }
}
