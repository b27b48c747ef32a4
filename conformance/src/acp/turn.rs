//! One prompt and all that comes of it: sessions are opened, turns begun, followed and looked at.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::agent::{Agent, Reply, START_LIMIT, summary};
use super::client::Policy;
use super::inbox::Line;
use crate::verdict::{Failure, Finding, shorten};

/// How long a turn may take: the fake model answers at once, the agent may not.
pub(super) const TURN_LIMIT: Duration = Duration::from_secs(30);

/// How long the first words may take of a model that speaks for a minute.
const FIRST_TEXT_LIMIT: Duration = Duration::from_secs(20);

/// The code of an agent that wants a login first.
pub(super) const AUTH_REQUIRED: i64 = -32000;

/// A turn that has begun.
#[derive(Debug, Clone)]
pub(super) struct Open {
    /// The id of its prompt, as JSON text.
    pub(super) key: String,
    session: String,
    sent: String,
    first_update: usize,
    first_request: usize,
}

impl Open {
    /// Its session.
    pub(super) fn session(&self) -> &str {
        &self.session
    }
}

/// A turn that is over.
#[derive(Debug, Clone)]
pub(super) struct Turn {
    /// What `session/prompt` was answered with.
    pub(super) reply: Reply,
    /// The updates of the session, in their order.
    pub(super) updates: Vec<Line>,
    /// The permissions that were asked for.
    pub(super) permissions: Vec<Line>,
    /// The prompt, shortened.
    pub(super) sent: String,
}

impl Agent {
    /// Opens a session.
    ///
    /// # Errors
    /// A skip when it wants a login that nobody gave, a failure when it is refused otherwise.
    pub(super) fn new_session(&mut self, cwd: &Path) -> Result<String, Finding> {
        self.new_session_reply(cwd)?["sessionId"]
            .as_str()
            .filter(|id| !id.is_empty())
            .map(str::to_owned)
            .ok_or_else(|| self.wrong("a sessionId", "a result without one", "session/new"))
    }

    /// Opens a session and gives the whole answer.
    ///
    /// # Errors
    /// As [`Agent::new_session`].
    pub(super) fn new_session_reply(&mut self, cwd: &Path) -> Result<Value, Finding> {
        let params = json!({"cwd": cwd, "mcpServers": []});
        match self.request("session/new", params, START_LIMIT)? {
            Ok(result) => Ok(result),
            Err(error) if error.code == AUTH_REQUIRED => Err(Finding::Skip(format!(
                "the agent wants a login first ({}); give --env, --home or --auth-method",
                shorten(&error.message, 120)
            ))),
            reply => Err(self.wrong("a session", &summary(&reply), "session/new")),
        }
    }

    /// Sends a prompt of one text.
    pub(super) fn begin(&mut self, session: &str, prompt: &str) -> Open {
        self.begin_with(session, &json!([{"type": "text", "text": prompt}]))
    }

    /// Sends a prompt of several blocks.
    pub(super) fn begin_with(&mut self, session: &str, blocks: &Value) -> Open {
        let open = self.opened(session, blocks);
        let key = self.ask("session/prompt", json!({"sessionId": session, "prompt": blocks}));
        Open { key, ..open }
    }

    /// Sends a prompt with each character of several bytes cut in the middle.
    pub(super) fn begin_in_pieces(
        &mut self,
        session: &str,
        blocks: &Value,
        pause: Duration,
    ) -> Open {
        let open = self.opened(session, blocks);
        let params = json!({"sessionId": session, "prompt": blocks});
        let id = json!("in-pieces");
        let key = self.expect(&id, "session/prompt", &params);
        let line =
            json!({"jsonrpc": "2.0", "id": id, "method": "session/prompt", "params": params});
        let bytes = format!("{line}\n").into_bytes();
        // A byte that goes on with a character begins a new piece.
        for piece in bytes.chunk_by(|_, next| next & 0b1100_0000 != 0b1000_0000) {
            self.send_raw(piece);
            std::thread::sleep(pause);
        }
        Open { key, ..open }
    }

    fn opened(&self, session: &str, blocks: &Value) -> Open {
        Open {
            key: String::new(),
            session: session.to_owned(),
            sent: format!("session/prompt {}", shorten(&blocks.to_string(), 300)),
            first_update: self.inbox.updates.len(),
            first_request: self.inbox.requests.len(),
        }
    }

    /// Follows a turn to its end.
    ///
    /// # Errors
    /// A failure when it does not end in time.
    pub(super) fn finish(&mut self, open: &Open, policy: Policy) -> Result<Turn, Finding> {
        self.finish_within(open, policy, TURN_LIMIT)
    }

    /// Follows a turn to its end, which must come soon.
    ///
    /// # Errors
    /// A failure when it does not.
    pub(super) fn finish_within(
        &mut self,
        open: &Open,
        policy: Policy,
        limit: Duration,
    ) -> Result<Turn, Finding> {
        let deadline = Instant::now() + self.limit(limit);
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let handled = self.handled;
            let is_over = |inbox: &super::inbox::Inbox| inbox.answers.contains_key(&open.key);
            self.pump(left, |inbox| is_over(inbox) || inbox.requests.len() > handled);
            self.serve(policy)?;
            if is_over(&self.inbox) || left.is_zero() || self.inbox.ended {
                break;
            }
        }
        let reply = self
            .answer(&open.key, Duration::ZERO)
            .map_err(|_| self.not_ended(open, self.limit(limit)))?;
        // What still comes after the answer breaks a rule, so it is waited for a moment.
        self.listen(Duration::from_millis(100));
        Ok(self.turn(open, reply))
    }

    /// What has come of a turn so far.
    pub(super) fn so_far(&self, open: &Open) -> Turn {
        self.turn(open, Ok(Value::Null))
    }

    /// Makes a turn to its end.
    ///
    /// # Errors
    /// A failure when it does not end in time.
    pub(super) fn play(
        &mut self,
        session: &str,
        prompt: &str,
        policy: Policy,
    ) -> Result<Turn, Finding> {
        let open = self.begin(session, prompt);
        self.finish(&open, policy)
    }

    /// Waits until a turn has said some text.
    ///
    /// # Errors
    /// A failure when it says nothing in time.
    pub(super) fn wait_text(&mut self, open: &Open) -> Result<(), Finding> {
        let (from, limit) = (open.first_update, self.limit(FIRST_TEXT_LIMIT));
        let is_over = |inbox: &super::inbox::Inbox| inbox.answers.contains_key(&open.key);
        self.pump(limit, |inbox| {
            is_over(inbox)
                || inbox.updates[from..].iter().any(|line| {
                    line.session() == open.session && line.kind() == "agent_message_chunk"
                })
        });
        if !self.so_far(open).text().is_empty() && !is_over(&self.inbox) {
            return Ok(());
        }
        let got = "none came while the turn was open";
        Err(self.wrong("agent_message_chunk while the model speaks", got, &open.sent))
    }

    /// Waits until the agent asks for a permission of this turn, and does not answer it.
    pub(super) fn wait_permission(&mut self, open: &Open) -> bool {
        let (from, limit) = (open.first_request, self.limit(TURN_LIMIT));
        let has_asked = |inbox: &super::inbox::Inbox| {
            inbox.requests[from..].iter().any(|line| is_permission(line, &open.session))
        };
        self.pump(limit, |inbox| has_asked(inbox) || inbox.answers.contains_key(&open.key));
        has_asked(&self.inbox)
    }

    fn turn(&self, open: &Open, reply: Reply) -> Turn {
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

    fn not_ended(&mut self, open: &Open, limit: Duration) -> Finding {
        let state = if self.is_running() { "it is still open" } else { "the agent has exited" };
        let said = self.so_far(open).text();
        let got = format!("{state}; it said {:?}", shorten(&said, 200));
        Failure::new(format!("the turn ends within {limit:.1?}"), got)
            .sent(open.sent.clone())
            .at(self.place())
            .into()
    }
}

impl Turn {
    /// Everything the agent said, as one text.
    pub(super) fn text(&self) -> String {
        self.joined("agent_message_chunk")
    }

    /// Everything it thought, as one text.
    pub(super) fn thoughts(&self) -> String {
        self.joined("agent_thought_chunk")
    }

    /// Why it stopped; empty when it failed.
    pub(super) fn stop_reason(&self) -> &str {
        let reason = self.reply.as_ref().ok().and_then(|result| result["stopReason"].as_str());
        reason.unwrap_or_default()
    }

    /// The last status of each tool call, in the order of their first mention.
    pub(super) fn tools(&self) -> Vec<(String, String)> {
        let mut tools: Vec<(String, String)> = Vec::new();
        let asked =
            self.permissions.iter().map(|line| (line.order, &line.value["params"]["toolCall"]));
        let told = self.updates.iter().map(|line| (line.order, line.update()));
        let mut all: Vec<(usize, &Value)> = asked.chain(told).collect();
        all.sort_by_key(|(order, _)| *order);
        for (_, call) in all {
            let Some(id) = call["toolCallId"].as_str() else { continue };
            let status = call["status"].as_str();
            match tools.iter_mut().find(|(known, _)| known == id) {
                Some((_, last)) => *last = status.unwrap_or(last).to_owned(),
                None => tools.push((id.to_owned(), status.unwrap_or("pending").to_owned())),
            }
        }
        tools
    }

    /// In a few words, for messages.
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
