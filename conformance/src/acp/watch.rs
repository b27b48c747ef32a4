//! The rules that hold for every line an agent ever says, whichever check made it speak. Their
//! sentences are in `cases`; what breaks one is reported under its own id.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;

use super::kinds::{OPTION_KINDS, TOOL_KINDS, TOOL_STATUSES, TURN_KINDS, UPDATE_KINDS};
use crate::invariants::{Label, Violations};
use crate::transcript::Place;
use crate::verdict::{Failure, shorten};

/// Methods of the client that it must have declared, with where it would have.
const DECLARED_METHODS: &[(&str, &str)] = &[
    ("fs/read_text_file", "/fs/readTextFile"),
    ("fs/write_text_file", "/fs/writeTextFile"),
    ("terminal/", "/terminal"),
    ("elicitation/", "/elicitation"),
];

/// What all processes of one judgement have kept, tried and broken; clones share it.
#[derive(Debug, Clone, Default)]
pub(super) struct Rules {
    violations: Violations,
    tried: Arc<Mutex<BTreeSet<&'static str>>>,
}

impl Rules {
    /// The first violation of a rule.
    pub(super) fn first(&self, rule: &str) -> Option<Failure> {
        self.violations.first(rule)
    }

    /// Whether anything came that could have broken the rule.
    pub(super) fn has_been_tried(&self, rule: &str) -> bool {
        self.tried.lock().unwrap_or_else(PoisonError::into_inner).contains(rule)
    }

    fn note(&self, rule: &'static str, failure: Option<Failure>) {
        self.tried.lock().unwrap_or_else(PoisonError::into_inner).insert(rule);
        if let Some(failure) = failure {
            self.violations.add(rule, failure);
        }
    }
}

/// Watches one agent process.
pub(super) struct Watch {
    rules: Rules,
    label: Label,
    capabilities: Value,
    asked: HashMap<String, Asked>,
    answered: HashSet<String>,
    sessions: HashSet<String>,
    /// Sessions that spoke before the answer that names them.
    early: Vec<(String, Place)>,
    tools: HashSet<(String, String)>,
    /// Sessions whose last turn is over.
    rested: HashSet<String>,
    last_sent: String,
}

struct Asked {
    method: String,
    session: String,
    sent: String,
}

impl Watch {
    /// `capabilities` is what the client declares.
    pub(super) fn new(rules: Rules, label: Label, capabilities: Value) -> Self {
        Self {
            rules,
            label,
            capabilities,
            asked: HashMap::new(),
            answered: HashSet::new(),
            sessions: HashSet::new(),
            early: Vec::new(),
            tools: HashSet::new(),
            rested: HashSet::new(),
            last_sent: "nothing yet: the agent was started".to_owned(),
        }
    }

    /// Says that something is being asked.
    pub(super) fn ask(&mut self, id: &str, method: &str, params: &Value) {
        let session = params["sessionId"].as_str().unwrap_or_default().to_owned();
        if matches!(method, "session/load" | "session/resume" | "session/prompt") {
            self.rested.remove(&session);
        }
        if matches!(method, "session/load" | "session/resume") {
            self.sessions.insert(session.clone());
        }
        let sent = format!("{method} {}", shorten(&params.to_string(), 300));
        self.last_sent.clone_from(&sent);
        self.asked.insert(id.to_owned(), Asked { method: method.to_owned(), session, sent });
    }

    /// What was sent under an id.
    pub(super) fn sent(&self, id: &str) -> &str {
        self.asked.get(id).map_or("", |asked| asked.sent.as_str())
    }

    /// Whether something was asked under this id.
    pub(super) fn is_asked(&self, id: &str) -> bool {
        self.asked.contains_key(id)
    }

    /// Whether something was asked and not answered yet.
    pub(super) fn has_open_request(&self) -> bool {
        self.asked.keys().any(|id| !self.answered.contains(id))
    }

    /// Looks at a line and gives what it says, if it is a message.
    pub(super) fn line(&mut self, bytes: &[u8], place: &Place) -> Option<Value> {
        let value = match read(bytes) {
            Ok(value) => value,
            Err(what) => {
                let shown = shorten(&String::from_utf8_lossy(bytes), 200);
                self.no_message(&format!("{what}: {shown}"), place);
                return None;
            }
        };
        self.rules.note("ACP-WIRE-01", None);
        match (value["method"].as_str(), value.get("id")) {
            (Some("session/update"), None) => self.update(&value["params"], place),
            (Some(method), Some(_)) => self.request(method, &value["params"], place),
            (Some(_), None) => {}
            (None, id) => self.answer(id, &value, place),
        }
        Some(value)
    }

    /// Says that something came that is no message.
    pub(super) fn no_message(&self, what: &str, place: &Place) {
        self.break_rule("ACP-WIRE-01", "only JSON-RPC 2.0 messages, one a line", what, place);
    }

    fn answer(&mut self, id: Option<&Value>, value: &Value, place: &Place) {
        let key = id.map(Value::to_string).unwrap_or_default();
        let Some(asked) = self.asked.get(&key) else {
            // What could not be read has no id to answer to.
            if id.is_some_and(|id| !id.is_null()) {
                let got = format!("an answer to {key}, which nobody asked");
                self.break_rule("ACP-WIRE-02", "answers only to what was asked", &got, place);
            }
            return;
        };
        let (method, session) = (asked.method.clone(), asked.session.clone());
        let is_second = !self.answered.insert(key.clone());
        let got = format!("a second answer to {method} ({key})");
        self.judge("ACP-WIRE-02", is_second, "one answer to each request", &got, place);
        match method.as_str() {
            "session/new" => {
                if let Some(session) = value["result"]["sessionId"].as_str() {
                    self.sessions.insert(session.to_owned());
                }
                self.settle_early();
            }
            "session/prompt" => {
                self.rested.insert(session);
            }
            _ => {}
        }
    }

    fn update(&mut self, params: &Value, place: &Place) {
        let session = params["sessionId"].as_str().unwrap_or_default().to_owned();
        let update = &params["update"];
        let kind = update["sessionUpdate"].as_str().unwrap_or_default();
        self.known_session(&session, place);
        let wrong = wrong_shape(kind, update);
        let got = format!("{} ({})", wrong.unwrap_or_default(), shorten(&update.to_string(), 200));
        let expected = "an update with the members that its kind asks for";
        self.judge("ACP-WIRE-04", wrong.is_some(), expected, &got, place);
        let is_unknown = !UPDATE_KINDS.contains(&kind) && !kind.starts_with('_');
        let got = format!("an update {kind:?}");
        self.judge("ACP-WIRE-05", is_unknown, "a kind of update of the protocol", &got, place);
        if TURN_KINDS.contains(&kind) {
            let is_late = self.rested.contains(&session);
            let got = format!("{kind} after the answer to session/prompt");
            let expected = "nothing of a turn after its end";
            self.judge("ACP-TXT-05", is_late, expected, &got, place);
        }
        self.tool(kind, &session, update, place);
    }

    fn tool(&mut self, kind: &str, session: &str, update: &Value, place: &Place) {
        let id = update["toolCallId"].as_str().unwrap_or_default().to_owned();
        let key = (session.to_owned(), id.clone());
        if kind.starts_with("tool_call") {
            // Whoever works with tools could have called the client's.
            self.rules.note("ACP-HS-08", None);
        }
        match kind {
            "tool_call" => {
                self.tools.insert(key);
            }
            "tool_call_update" => {
                let is_unknown = !self.tools.contains(&key);
                let got = format!("tool_call_update for {id:?}, which was never announced");
                let expected = "a tool_call or a permission request with this toolCallId first";
                self.judge("ACP-TOOL-01", is_unknown, expected, &got, place);
            }
            _ => {}
        }
    }

    fn request(&mut self, method: &str, params: &Value, place: &Place) {
        if let Some((_, pointer)) = DECLARED_METHODS
            .iter()
            .find(|(name, _)| method == *name || (name.ends_with('/') && method.starts_with(name)))
        {
            let declared = self.capabilities.pointer(pointer);
            let is_declared = declared.is_some_and(|it| *it == Value::Bool(true) || it.is_object());
            let expected = format!("no call of {method}: the client does not declare {pointer}");
            self.judge("ACP-HS-08", !is_declared, &expected, &format!("{method} {params}"), place);
        }
        if let Some(session) = params["sessionId"].as_str() {
            self.known_session(session, place);
        }
        if method == "session/request_permission" {
            let wrong = wrong_permission(params);
            let got = format!("{} in {params}", wrong.unwrap_or_default());
            let expected = "toolCall.toolCallId and options with unique ids, names and kinds";
            self.judge("ACP-PRM-01", wrong.is_some(), expected, &got, place);
            let session = params["sessionId"].as_str().unwrap_or_default().to_owned();
            let id = params["toolCall"]["toolCallId"].as_str().unwrap_or_default().to_owned();
            self.tools.insert((session, id));
        }
    }

    /// A session may speak before the answer to `session/new` names it, but not without one.
    fn known_session(&mut self, session: &str, place: &Place) {
        self.rules.note("ACP-WIRE-03", None);
        if !self.sessions.contains(session) {
            self.early.push((session.to_owned(), place.clone()));
            self.settle_early();
        }
    }

    fn settle_early(&mut self) {
        let is_open = |(id, asked): (&String, &Asked)| {
            asked.method == "session/new" && !self.answered.contains(id)
        };
        if self.asked.iter().any(is_open) {
            return;
        }
        for (session, place) in std::mem::take(&mut self.early) {
            let is_unknown = !self.sessions.contains(&session);
            let got = format!("the session {session:?}");
            self.judge("ACP-WIRE-03", is_unknown, "a session that exists", &got, &place);
        }
    }

    fn judge(&self, rule: &'static str, is_broken: bool, expected: &str, got: &str, place: &Place) {
        if is_broken {
            self.break_rule(rule, expected, got, place);
        } else {
            self.rules.note(rule, None);
        }
    }

    fn break_rule(&self, rule: &'static str, expected: &str, got: &str, place: &Place) {
        let mut failure = Failure::new(expected, shorten(got, 400)).at(place.clone());
        failure.sent.clone_from(&self.last_sent);
        failure.during = Some(self.label.get());
        self.rules.note(rule, Some(failure));
    }
}

fn read(bytes: &[u8]) -> Result<Value, &'static str> {
    let text = std::str::from_utf8(bytes).map_err(|_| "no UTF-8")?;
    let value: Value = serde_json::from_str(text).map_err(|_| "no JSON")?;
    if value["jsonrpc"] != "2.0" {
        return Err("no \"jsonrpc\": \"2.0\"");
    }
    let is_error = value["error"]["code"].is_i64();
    // An error about what could not be read has no id; some leave it out instead of saying null.
    let is_answer = is_error != (value.get("id").is_some() && value.get("result").is_some());
    if value["method"].is_string() || is_answer { Ok(value) } else { Err("no call and no answer") }
}

/// What is wrong with an update; kinds that are not known are another rule's business.
fn wrong_shape(kind: &str, update: &Value) -> Option<&'static str> {
    let is_text = |name: &str| update[name].is_string();
    let fits = |name: &str, words: &[&str]| match &update[name] {
        Value::Null => true,
        value => value.as_str().is_some_and(|word| words.contains(&word)),
    };
    let content = &update["content"];
    match kind {
        "" => Some("no sessionUpdate"),
        "user_message_chunk" | "agent_message_chunk" | "agent_thought_chunk" => {
            let is_whole = match content["type"].as_str() {
                Some("text") => content["text"].is_string(),
                Some(_) => true,
                None => false,
            };
            (!is_whole).then_some("no content block")
        }
        "tool_call" | "tool_call_update" if !is_text("toolCallId") => Some("no toolCallId"),
        "tool_call" if !is_text("title") => Some("no title"),
        "tool_call" | "tool_call_update" if !fits("status", TOOL_STATUSES) => Some("no status"),
        "tool_call" | "tool_call_update" if !fits("kind", TOOL_KINDS) => Some("no kind of tool"),
        "plan" if !update["entries"].is_array() => Some("no entries"),
        "available_commands_update" if !update["availableCommands"].is_array() => {
            Some("no availableCommands")
        }
        "current_mode_update" if !is_text("currentModeId") => Some("no currentModeId"),
        _ => None,
    }
}

fn wrong_permission(params: &Value) -> Option<&'static str> {
    if !params["toolCall"]["toolCallId"].is_string() {
        return Some("no toolCall.toolCallId");
    }
    let Some(options) = params["options"].as_array().filter(|options| !options.is_empty()) else {
        return Some("no options");
    };
    let mut ids = HashSet::new();
    for option in options {
        let is_kind = option["kind"].as_str().is_some_and(|kind| OPTION_KINDS.contains(&kind));
        if !is_kind || !option["name"].is_string() {
            return Some("an option without name or kind");
        }
        if !option["optionId"].as_str().is_some_and(|id| ids.insert(id)) {
            return Some("an option without an id of its own");
        }
    }
    None
}
