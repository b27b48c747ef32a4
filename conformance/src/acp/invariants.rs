//! The rules that hold for every line that an agent sends, during any check. Their requirements are
//! in `checks`; violations are reported under the id of the rule.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::schema::{OPTION_KINDS, TOOL_KINDS, TOOL_STATUSES, TURN_KINDS, UPDATE_KINDS};
use crate::invariants::{Label, Violations};
use crate::outcome::{Failure, shorten};
use crate::transcript::Location;

/// Methods of the client that it must declare, with the pointer to the declaration.
const DECLARED_METHODS: &[(&str, &str)] = &[
    ("fs/read_text_file", "/fs/readTextFile"),
    ("fs/write_text_file", "/fs/writeTextFile"),
    ("terminal/", "/terminal"),
    ("elicitation/", "/elicitation"),
];

/// Checks the lines of one agent process.
pub(super) struct AgentInvariants {
    rules: Violations,
    label: Label,
    capabilities: Value,
    sent_requests: HashMap<String, SentRequest>,
    answered: HashSet<String>,
    sessions: HashSet<String>,
    /// Sessions with updates before the response that contains their id.
    early: Vec<(String, Location)>,
    tools: HashSet<(String, String)>,
    /// Tool calls that have ended, by session and id.
    ended_tools: HashSet<(String, String)>,
    /// Sessions whose last turn has ended.
    finished_turns: HashSet<String>,
    last_sent: String,
}

struct SentRequest {
    method: String,
    session: String,
    sent: String,
}

impl AgentInvariants {
    /// `capabilities` are those that the client declares.
    pub(super) fn new(rules: Violations, label: Label, capabilities: Value) -> Self {
        Self {
            rules,
            label,
            capabilities,
            sent_requests: HashMap::new(),
            answered: HashSet::new(),
            sessions: HashSet::new(),
            early: Vec::new(),
            tools: HashSet::new(),
            ended_tools: HashSet::new(),
            finished_turns: HashSet::new(),
            last_sent: "nothing yet (the agent was started)".to_owned(),
        }
    }

    /// Registers a request.
    pub(super) fn ask(&mut self, id: &str, method: &str, params: &Value) {
        let session = params["sessionId"].as_str().unwrap_or_default().to_owned();
        if matches!(method, "session/load" | "session/resume" | "session/prompt") {
            self.finished_turns.remove(&session);
        }
        if matches!(method, "session/load" | "session/resume") {
            // A replay repeats the tool calls.
            self.ended_tools.retain(|(owner, _)| *owner != session);
            self.sessions.insert(session.clone());
        }
        let sent = format!("{method} {}", shorten(&params.to_string(), 300));
        self.last_sent.clone_from(&sent);
        self.sent_requests
            .insert(id.to_owned(), SentRequest { method: method.to_owned(), session, sent });
    }

    /// Returns the request with an id.
    pub(super) fn sent(&self, id: &str) -> &str {
        self.sent_requests.get(id).map_or("", |sent_requests| sent_requests.sent.as_str())
    }

    /// Whether a request with this id was sent.
    pub(super) fn was_requested(&self, id: &str) -> bool {
        self.sent_requests.contains_key(id)
    }

    /// Whether a request is still unanswered.
    pub(super) fn has_open_request(&self) -> bool {
        self.sent_requests.keys().any(|id| !self.answered.contains(id))
    }

    /// Checks a line and returns its content if it is a message.
    pub(super) fn line(&mut self, bytes: &[u8], location: &Location) -> Option<Value> {
        let value = match parse(bytes) {
            Ok(value) => value,
            Err(what) => {
                let shown = shorten(&String::from_utf8_lossy(bytes), 200);
                self.report_invalid_line(&format!("{what}: {shown}"), location);
                return None;
            }
        };
        self.rules.mark_exercised("ACP-WIRE-01");
        match (value["method"].as_str(), value.get("id")) {
            (Some("session/update"), None) => self.update(&value["params"], location),
            (Some(method), Some(_)) => self.request(method, &value["params"], location),
            (Some(_), None) => {}
            (None, id) => self.answer(id, &value, location),
        }
        Some(value)
    }

    /// Reports a line that is not a message.
    pub(super) fn report_invalid_line(&self, what: &str, location: &Location) {
        self.add_violation(
            "ACP-WIRE-01",
            "only JSON-RPC 2.0 messages, one per line",
            what,
            location,
        );
    }

    fn answer(&mut self, id: Option<&Value>, value: &Value, location: &Location) {
        let key = id.map(Value::to_string).unwrap_or_default();
        let Some(sent_requests) = self.sent_requests.get(&key) else {
            // An error about an unreadable message has no id.
            if id.is_some_and(|id| !id.is_null()) {
                let got = format!("a response to {key}, which was not requested");
                self.add_violation("ACP-WIRE-02", "responses only to requests", &got, location);
            }
            return;
        };
        let (method, session) = (sent_requests.method.clone(), sent_requests.session.clone());
        let is_second = !self.answered.insert(key.clone());
        let got = format!("a second response to {method} ({key})");
        self.check_rule("ACP-WIRE-02", is_second, "one response to each request", &got, location);
        match method.as_str() {
            "session/new" => {
                if let Some(session) = value["result"]["sessionId"].as_str() {
                    self.sessions.insert(session.to_owned());
                }
                self.check_early_sessions();
            }
            "session/prompt" => {
                self.finished_turns.insert(session);
            }
            _ => {}
        }
    }

    fn update(&mut self, params: &Value, location: &Location) {
        let session = params["sessionId"].as_str().unwrap_or_default().to_owned();
        let update = &params["update"];
        let kind = update["sessionUpdate"].as_str().unwrap_or_default();
        self.check_session(&session, location);
        let wrong = wrong_shape(kind, update);
        let got = format!("{} ({})", wrong.unwrap_or_default(), shorten(&update.to_string(), 200));
        let expected = "an update with the members that its kind requires";
        self.check_rule("ACP-WIRE-04", wrong.is_some(), expected, &got, location);
        let is_unknown = !UPDATE_KINDS.contains(&kind) && !kind.starts_with('_');
        let got = format!("an update {kind:?}");
        self.check_rule(
            "ACP-WIRE-05",
            is_unknown,
            "an update kind of the protocol",
            &got,
            location,
        );
        if TURN_KINDS.contains(&kind) {
            let is_late = self.finished_turns.contains(&session);
            let got = format!("{kind} after the response to session/prompt");
            let expected = "no update of a turn after its end";
            self.check_rule("ACP-TXT-05", is_late, expected, &got, location);
        }
        self.tool(kind, &session, update, location);
    }

    fn tool(&mut self, kind: &str, session: &str, update: &Value, location: &Location) {
        let id = update["toolCallId"].as_str().unwrap_or_default().to_owned();
        let key = (session.to_owned(), id.clone());
        if kind.starts_with("tool_call") {
            // An agent that runs tools could have called those of the client.
            self.rules.mark_exercised("ACP-HS-08");
            self.check_status_order(&key, update, location);
        }
        match kind {
            "tool_call" => {
                self.tools.insert(key);
            }
            "tool_call_update" => {
                let is_unknown = !self.tools.contains(&key);
                let got = format!("tool_call_update for {id:?}, which was not announced");
                let expected = "a tool_call or a permission request with this toolCallId first";
                self.check_rule("ACP-TOOL-01", is_unknown, expected, &got, location);
            }
            _ => {}
        }
    }

    fn check_status_order(&mut self, key: &(String, String), update: &Value, location: &Location) {
        let Some(status) = update["status"].as_str() else { return };
        let is_end = matches!(status, "completed" | "failed");
        let is_reopened = self.ended_tools.contains(key) && !is_end;
        let got = format!("the status {status} for {:?}, which had ended", key.1);
        let expected = "completed or failed as the last status";
        self.check_rule("ACP-TOOL-07", is_reopened, expected, &got, location);
        if is_end {
            self.ended_tools.insert(key.clone());
        }
    }

    fn request(&mut self, method: &str, params: &Value, location: &Location) {
        if let Some((_, pointer)) = DECLARED_METHODS
            .iter()
            .find(|(name, _)| method == *name || (name.ends_with('/') && method.starts_with(name)))
        {
            let declared = self.capabilities.pointer(pointer);
            let is_declared = declared.is_some_and(|it| *it == Value::Bool(true) || it.is_object());
            let expected = format!("no call of {method}: the client does not declare {pointer}");
            self.check_rule(
                "ACP-HS-08",
                !is_declared,
                &expected,
                &format!("{method} {params}"),
                location,
            );
        }
        if let Some(session) = params["sessionId"].as_str() {
            self.check_session(session, location);
        }
        if method == "session/request_permission" {
            let wrong = wrong_permission(params);
            let got = format!("{} in {params}", wrong.unwrap_or_default());
            let expected = "toolCall.toolCallId and options with unique ids, names and kinds";
            self.check_rule("ACP-PRM-01", wrong.is_some(), expected, &got, location);
            let session = params["sessionId"].as_str().unwrap_or_default().to_owned();
            let id = params["toolCall"]["toolCallId"].as_str().unwrap_or_default().to_owned();
            self.tools.insert((session, id));
        }
    }

    /// A session may send updates before the response to `session/new`, but only if the session
    /// exists.
    fn check_session(&mut self, session: &str, location: &Location) {
        self.rules.mark_exercised("ACP-WIRE-03");
        if !self.sessions.contains(session) {
            self.early.push((session.to_owned(), location.clone()));
            self.check_early_sessions();
        }
    }

    fn check_early_sessions(&mut self) {
        let is_open = |(id, sent_requests): (&String, &SentRequest)| {
            sent_requests.method == "session/new" && !self.answered.contains(id)
        };
        if self.sent_requests.iter().any(is_open) {
            return;
        }
        for (session, location) in std::mem::take(&mut self.early) {
            let is_unknown = !self.sessions.contains(&session);
            let got = format!("the session {session:?}");
            self.check_rule("ACP-WIRE-03", is_unknown, "a session that exists", &got, &location);
        }
    }

    fn check_rule(
        &self,
        rule: &'static str,
        is_broken: bool,
        expected: &str,
        got: &str,
        location: &Location,
    ) {
        if is_broken {
            self.add_violation(rule, expected, got, location);
        } else {
            self.rules.mark_exercised(rule);
        }
    }

    fn add_violation(&self, rule: &'static str, expected: &str, got: &str, location: &Location) {
        let mut failure = Failure::new(expected, shorten(got, 400)).at(location.clone());
        failure.sent.clone_from(&self.last_sent);
        failure.during = Some(self.label.get());
        self.rules.mark_exercised(rule);
        self.rules.add(rule, failure);
    }
}

fn parse(bytes: &[u8]) -> Result<Value, &'static str> {
    let text = std::str::from_utf8(bytes).map_err(|_| "not valid UTF-8")?;
    let value: Value = serde_json::from_str(text).map_err(|_| "not JSON")?;
    if value["jsonrpc"] != "2.0" {
        return Err("no \"jsonrpc\": \"2.0\"");
    }
    let is_error = value["error"]["code"].is_i64();
    // An error about an unreadable message has no id; some agents omit it instead of sending null.
    let is_answer = is_error != (value.get("id").is_some() && value.get("result").is_some());
    if value["method"].is_string() || is_answer {
        Ok(value)
    } else {
        Err("neither a request nor a response")
    }
}

/// Returns what is wrong with an update; another rule reports unknown kinds.
fn wrong_shape(kind: &str, update: &Value) -> Option<&'static str> {
    let is_text = |name: &str| update[name].is_string();
    let fits = |name: &str, allowed_values: &[&str]| match &update[name] {
        Value::Null => true,
        value => value.as_str().is_some_and(|value_text| allowed_values.contains(&value_text)),
    };
    let content = &update["content"];
    match kind {
        "" => Some("no sessionUpdate"),
        "user_message_chunk" | "agent_message_chunk" | "agent_thought_chunk" => {
            let is_valid = match content["type"].as_str() {
                Some("text") => content["text"].is_string(),
                Some(_) => true,
                None => false,
            };
            (!is_valid).then_some("no content block")
        }
        "tool_call" | "tool_call_update" if !is_text("toolCallId") => Some("no toolCallId"),
        "tool_call" if !is_text("title") => Some("no title"),
        "tool_call" | "tool_call_update" if !fits("status", TOOL_STATUSES) => {
            Some("no valid status")
        }
        "tool_call" | "tool_call_update" if !fits("kind", TOOL_KINDS) => Some("no valid kind"),
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
            return Some("an option without a unique id");
        }
    }
    None
}
