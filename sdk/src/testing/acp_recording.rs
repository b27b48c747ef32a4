//! Recorded ACP sessions with both directions in one file, one `{"dir": "recv", "msg": …}` per line. A
//! replay feeds the agent's messages to the mapper and repeats what the client did.

use od_protocol::{ApprovalOutcome, InputOutcome};
use serde::Deserialize;
use serde_json::Value;

use super::{Replay, cancel, decide, decision, replay_with};
use crate::{Exit, Mapper, RunOutput};

/// A line of a recording.
#[derive(Debug, Clone, Deserialize)]
struct Entry {
    dir: String,
    #[serde(default)]
    msg: Value,
}

impl Entry {
    fn is_from_agent(&self) -> bool {
        matches!(self.dir.as_str(), "recv" | "agent->client")
    }

    fn is_from_client(&self) -> bool {
        matches!(self.dir.as_str(), "send" | "client->agent")
    }

    /// Whether it is a request of the handshake.
    fn opens_session(&self) -> bool {
        let methods = ["initialize", "authenticate"];
        let method = self.msg["method"].as_str().unwrap_or_default();
        methods.contains(&method)
            || ["new", "load", "resume", "fork"]
                .iter()
                .any(|name| method.strip_prefix("session/") == Some(name))
    }

    /// Whether it is a request of the client, or the reply to one.
    fn belongs_to_client_request(&self) -> bool {
        let is_request = self.msg.get("method").is_some();
        self.msg.get("id").is_some() && (self.is_from_client() == is_request)
    }

    fn is_prompt(&self) -> bool {
        self.is_from_client() && self.msg["method"] == "session/prompt"
    }
}

/// What the host does after a message of the agent.
#[derive(Debug, Clone, PartialEq)]
enum Action {
    Decide { approval: usize, outcome: ApprovalOutcome },
    Cancel,
}

/// A recorded ACP session.
#[derive(Debug, Clone)]
pub struct AcpRecording {
    entries: Vec<Entry>,
}

impl AcpRecording {
    /// Parses a recording; other lines are skipped.
    pub fn read(recording: &str) -> Self {
        let entries = recording.lines().filter_map(|line| serde_json::from_str(line).ok());
        Self { entries: entries.collect() }
    }

    /// Returns one turn of a recording with several prompts, counted from 0: the handshake and what
    /// follows this prompt. Requests are renumbered as in a run with one prompt.
    #[must_use]
    pub fn turn(&self, number: usize) -> Self {
        let prompts: Vec<usize> =
            (0..self.entries.len()).filter(|index| self.entries[*index].is_prompt()).collect();
        let begin = prompts[number];
        let end = prompts.get(number + 1).copied().unwrap_or(self.entries.len());
        let own_id = self.entries[begin].msg["id"].clone();
        let before = self.entries[..prompts[0]].iter();
        let kept: Vec<Value> = before
            .filter(|entry| entry.is_from_client() && entry.opens_session())
            .map(|entry| entry.msg["id"].clone())
            .chain([own_id])
            .collect();
        let mut entries = Vec::new();
        for (index, entry) in self.entries.iter().enumerate() {
            let is_kept = index < prompts[0] || (begin..end).contains(&index);
            let place = kept.iter().position(|id| *id == entry.msg["id"]);
            let mut entry = entry.clone();
            match (entry.belongs_to_client_request(), place) {
                _ if !is_kept => continue,
                (true, None) => continue,
                (true, Some(place)) => entry.msg["id"] = (place + 1).into(),
                (false, _) => {}
            }
            entries.push(entry);
        }
        Self { entries }
    }

    /// Returns the agent's messages as they were on its stdout.
    pub fn agent_lines(&self) -> String {
        let received = self.entries.iter().filter(|entry| entry.is_from_agent());
        received.map(|entry| format!("{}\n", entry.msg)).collect()
    }

    /// Returns the prompts after the first one.
    fn inputs(&self) -> Vec<&str> {
        let prompts = self.entries.iter().filter(|entry| entry.is_prompt()).skip(1);
        prompts.filter_map(|entry| entry.msg["params"]["prompt"][0]["text"].as_str()).collect()
    }

    /// Returns the host's actions, each with the number of the agent's messages before it.
    fn actions(&self) -> Vec<(usize, Action)> {
        let mut lines = 0;
        let mut requests: Vec<&Value> = Vec::new();
        let mut actions = Vec::new();
        for entry in &self.entries {
            if entry.is_from_agent() {
                lines += 1;
                if entry.msg["method"] == "session/request_permission" {
                    requests.push(&entry.msg);
                }
            } else if entry.msg["method"] == "session/cancel" {
                actions.push((lines, Action::Cancel));
            } else if let Some(option) = entry.msg.pointer("/result/outcome/optionId") {
                let index = requests.iter().rposition(|request| request["id"] == entry.msg["id"]);
                let approval = index.expect("a reply has its request");
                let outcome = outcome_of(requests[approval], option);
                actions.push((lines, Action::Decide { approval: approval + 1, outcome }));
            }
        }
        actions
    }

    /// Replays the session as a run does. All further prompts are sent at the start, so that the mapper
    /// queues them.
    pub fn replay(&self, mapper: &mut dyn Mapper, exit: &Exit) -> Replay {
        let mut inputs = Some(self.inputs());
        let mut actions = self.actions().into_iter().peekable();
        let mut lines = 0;
        replay_with(mapper, self.agent_lines().as_bytes(), exit, |mapper, output| {
            lines += 1;
            for text in inputs.take().into_iter().flatten() {
                assert_eq!(mapper.on_input(text.into(), output), InputOutcome::Queued, "{text}");
            }
            while let Some((_, action)) = actions.next_if(|(after, _)| *after <= lines) {
                action.perform(mapper, output);
            }
        })
    }
}

impl Action {
    fn perform(&self, mapper: &mut dyn Mapper, output: &mut RunOutput) {
        match self {
            Self::Cancel => {
                cancel(mapper, output);
            }
            Self::Decide { approval, outcome } => {
                let approval_id = format!("approval-{approval}");
                decide(&decision(approval_id, *outcome), mapper, output);
            }
        }
    }
}

/// Returns the meaning of the chosen option.
fn outcome_of(request: &Value, option: &Value) -> ApprovalOutcome {
    let offered = request["params"]["options"].as_array().into_iter().flatten();
    let kind = offered.into_iter().find(|offer| offer["optionId"] == *option);
    let kind = kind.and_then(|offer| offer["kind"].as_str()).unwrap_or_default();
    ApprovalOutcome::from_wire(kind)
}
