//! Sessions and turns: sends prompts and collects their updates.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::agent::{Agent, Reply, START_TIMEOUT, summary};
use super::client::Policy;
use super::inbox::{Inbox, Line};
use crate::outcome::{Finding, shorten};

/// The timeout of a turn: the fake model answers at once, but the agent may be slow.
pub(super) const TURN_TIMEOUT: Duration = Duration::from_secs(30);

/// The timeout for the first text of a model that streams for a minute.
const FIRST_TEXT_TIMEOUT: Duration = Duration::from_secs(20);

/// The error code of an agent that requires a login.
pub(super) const AUTH_REQUIRED: i64 = -32000;

#[derive(Debug, Clone)]
pub(super) struct OpenTurn {
    /// The id of its prompt, as JSON text.
    pub(super) key: String,
    session: String,
    sent: String,
    first_update: usize,
    first_request: usize,
}

impl OpenTurn {
    pub(super) fn session(&self) -> &str {
        &self.session
    }

    /// Counts the text chunks so far.
    pub(super) fn text_chunks(&self, inbox: &Inbox) -> usize {
        let is_text =
            |line: &&Line| line.session() == self.session && line.kind() == "agent_message_chunk";
        inbox.updates[self.first_update..].iter().filter(is_text).count()
    }
}

#[derive(Debug, Clone)]
pub(super) struct Turn {
    /// The response to `session/prompt`.
    pub(super) reply: Reply,
    /// The updates of the session, in order.
    pub(super) updates: Vec<Line>,
    pub(super) permissions: Vec<Line>,
    /// The prompt, shortened.
    pub(super) sent: String,
}

impl Agent {
    /// Opens a session.
    ///
    /// # Errors
    /// Skip if a login is required but not configured, a failure if it is refused for another
    /// reason.
    pub(super) fn new_session(&mut self, cwd: &Path) -> Result<String, Finding> {
        self.new_session_reply(cwd)?["sessionId"]
            .as_str()
            .filter(|id| !id.is_empty())
            .map(str::to_owned)
            .ok_or_else(|| self.failure("a sessionId", "a result without one", "session/new"))
    }

    /// Opens a session and returns the complete result.
    pub(super) fn new_session_reply(&mut self, cwd: &Path) -> Result<Value, Finding> {
        let params = json!({"cwd": cwd, "mcpServers": []});
        match self.request("session/new", params, START_TIMEOUT)? {
            Ok(result) => Ok(result),
            Err(error) if error.code == AUTH_REQUIRED => Err(Finding::Skip(format!(
                "the agent requires a login ({}); use --env, --home or --auth-method",
                shorten(&error.message, 120)
            ))),
            reply => Err(self.failure("a session", summary(&reply), "session/new")),
        }
    }

    /// Sends a prompt with one text block.
    pub(super) fn begin(&mut self, session: &str, prompt: &str) -> OpenTurn {
        self.begin_with(session, &json!([{"type": "text", "text": prompt}]))
    }

    /// Starts a turn that streams for a minute, and waits for its first text. Another check reports
    /// an agent that does not stream.
    pub(super) fn begin_streaming(&mut self, session: &str) -> OpenTurn {
        let open = self.begin(session, "please SCN:slow");
        self.wait_text(&open).ok();
        open
    }

    /// Cancels the open turn of a session.
    pub(super) fn cancel(&mut self, session: &str) {
        self.notify("session/cancel", json!({"sessionId": session}));
    }

    /// Sends a prompt with several blocks.
    pub(super) fn begin_with(&mut self, session: &str, blocks: &Value) -> OpenTurn {
        let open = self.opened(session, blocks);
        let key = self.ask("session/prompt", json!({"sessionId": session, "prompt": blocks}));
        OpenTurn { key, ..open }
    }

    /// Sends a prompt in which each multi-byte character is split.
    pub(super) fn begin_with_split_characters(
        &mut self,
        session: &str,
        blocks: &Value,
        pause: Duration,
    ) -> OpenTurn {
        let open = self.opened(session, blocks);
        let params = json!({"sessionId": session, "prompt": blocks});
        let id = json!("in-pieces");
        let key = self.expect(&id, "session/prompt", &params);
        let line =
            json!({"jsonrpc": "2.0", "id": id, "method": "session/prompt", "params": params});
        let bytes = format!("{line}\n").into_bytes();
        // A continuation byte starts a new piece.
        for piece in bytes.chunk_by(|_, next| next & 0b1100_0000 != 0b1000_0000) {
            self.send_raw(piece);
            std::thread::sleep(pause);
        }
        OpenTurn { key, ..open }
    }

    fn opened(&self, session: &str, blocks: &Value) -> OpenTurn {
        OpenTurn {
            key: String::new(),
            session: session.to_owned(),
            sent: format!("session/prompt {}", shorten(&blocks.to_string(), 300)),
            first_update: self.inbox.updates.len(),
            first_request: self.inbox.requests.len(),
        }
    }

    /// Waits for the end of a turn and answers the agent's requests.
    pub(super) fn finish(&mut self, open: &OpenTurn, policy: Policy) -> Result<Turn, Finding> {
        self.finish_within(open, policy, TURN_TIMEOUT)
    }

    /// Waits for the end of a turn within a timeout.
    pub(super) fn finish_within(
        &mut self,
        open: &OpenTurn,
        policy: Policy,
        limit: Duration,
    ) -> Result<Turn, Finding> {
        let deadline = Instant::now() + self.limit(limit);
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let handled = self.handled;
            let has_ended = |inbox: &Inbox| inbox.answers.contains_key(&open.key);
            self.pump(left, |inbox| has_ended(inbox) || inbox.requests.len() > handled);
            self.serve(policy)?;
            if has_ended(&self.inbox) || left.is_zero() || self.is_stdout_closed() {
                break;
            }
        }
        let reply = self
            .answer(&open.key, Duration::ZERO)
            .map_err(|_| self.not_ended(open, self.limit(limit)))?;
        // Updates after the response violate an invariant, so a short wait makes them visible.
        self.listen(Duration::from_millis(100));
        Ok(self.turn(open, reply))
    }

    /// Returns the updates of a turn so far.
    pub(super) fn turn_so_far(&self, open: &OpenTurn) -> Turn {
        self.turn(open, Ok(Value::Null))
    }

    /// Runs a turn to its end.
    pub(super) fn run_turn(
        &mut self,
        session: &str,
        prompt: &str,
        policy: Policy,
    ) -> Result<Turn, Finding> {
        let open = self.begin(session, prompt);
        self.finish(&open, policy)
    }

    /// Waits for the first text of a turn.
    pub(super) fn wait_text(&mut self, open: &OpenTurn) -> Result<(), Finding> {
        let limit = self.limit(FIRST_TEXT_TIMEOUT);
        let has_ended = |inbox: &Inbox| inbox.answers.contains_key(&open.key);
        self.pump(limit, |inbox| has_ended(inbox) || open.text_chunks(inbox) > 0);
        if open.text_chunks(&self.inbox) > 0 && !has_ended(&self.inbox) {
            return Ok(());
        }
        let got = "no text arrived while the turn was open";
        Err(self.failure("agent_message_chunk while the model is streaming", got, &open.sent))
    }

    /// Waits for a permission request of this turn without answering it.
    pub(super) fn wait_permission(&mut self, open: &OpenTurn) -> bool {
        let (from, limit) = (open.first_request, self.limit(TURN_TIMEOUT));
        let has_requested = |inbox: &Inbox| {
            inbox.requests[from..].iter().any(|line| is_permission(line, &open.session))
        };
        self.pump(limit, |inbox| has_requested(inbox) || inbox.answers.contains_key(&open.key));
        has_requested(&self.inbox)
    }

    fn turn(&self, open: &OpenTurn, reply: Reply) -> Turn {
        let order = self.inbox.answers.get(&open.key).map_or(usize::MAX, |line| line.order);
        let is_own = |line: &&Line| line.session() == open.session && line.order < order;
        let updates = self.inbox.updates[open.first_update..].iter().filter(is_own);
        let requests = self.inbox.requests[open.first_request..].iter();
        Turn {
            reply,
            updates: updates.cloned().collect(),
            permissions: requests
                .filter(|line| is_permission(line, &open.session))
                .cloned()
                .collect(),
            sent: open.sent.clone(),
        }
    }

    fn not_ended(&mut self, open: &OpenTurn, limit: Duration) -> Finding {
        let state = if self.is_running() { "it is still open" } else { "the agent has exited" };
        let text_so_far = self.turn_so_far(open).text();
        let got = format!("{state}; its text is {:?}", shorten(&text_so_far, 200));
        self.failure(format!("the turn ends within {limit:.1?}"), got, open.sent.clone())
    }
}

impl Turn {
    /// Returns the text of all messages.
    pub(super) fn text(&self) -> String {
        self.joined("agent_message_chunk")
    }

    pub(super) fn thoughts(&self) -> String {
        self.joined("agent_thought_chunk")
    }

    /// Returns the stop reason; empty if the turn failed.
    pub(super) fn stop_reason(&self) -> &str {
        let reason = self.reply.as_ref().ok().and_then(|result| result["stopReason"].as_str());
        reason.unwrap_or_default()
    }

    /// Returns the last status of each tool call, in the order of their announcement.
    pub(super) fn tools(&self) -> Vec<(String, String)> {
        let status = |reports: &[&Value]| {
            let known = reports.iter().rev().find_map(|report| report["status"].as_str());
            known.unwrap_or("pending").to_owned()
        };
        self.tool_reports().into_iter().map(|(id, reports)| (id, status(&reports))).collect()
    }

    /// Returns everything that was reported about each tool call, in the order of their
    /// announcement.
    pub(super) fn tool_reports(&self) -> Vec<(String, Vec<&Value>)> {
        let mut calls: Vec<(String, Vec<&Value>)> = Vec::new();
        let requested =
            self.permissions.iter().map(|line| (line.order, &line.value["params"]["toolCall"]));
        let updated = self.updates.iter().map(|line| (line.order, line.update()));
        let mut all: Vec<(usize, &Value)> = requested.chain(updated).collect();
        all.sort_by_key(|(order, _)| *order);
        for (_, report) in all {
            let Some(id) = report["toolCallId"].as_str() else { continue };
            match calls.iter_mut().find(|(known, _)| known == id) {
                Some((_, reports)) => reports.push(report),
                None => calls.push((id.to_owned(), vec![report])),
            }
        }
        calls
    }

    /// Summarizes the turn for messages.
    pub(super) fn summary(&self) -> String {
        let tools = self.tools();
        let tools = if tools.is_empty() { String::new() } else { format!(", tools {tools:?}") };
        format!("{}, text {:?}{tools}", summary(&self.reply), shorten(&self.text(), 300))
    }

    fn joined(&self, kind: &str) -> String {
        let of_kind = self.updates.iter().filter(|line| line.kind() == kind);
        of_kind.filter_map(|line| line.update()["content"]["text"].as_str()).collect()
    }
}

fn is_permission(line: &Line, session: &str) -> bool {
    line.value["method"] == "session/request_permission" && line.session() == session
}
