//! Recorded ACP sessions, both directions in one file: `{"dir": "recv", "msg": …}` a line. The
//! agent's messages are fed to the mapper; what the client did then, the host does again.

use od_protocol::{ApprovalOutcome, InputOutcome};
use serde::Deserialize;
use serde_json::Value;

use super::{Replay, cancel, decide, decision, replay_with};
use crate::{Exit, Mapper, RunOutput};

/// A line of such a recording.
#[derive(Debug, Clone, Deserialize)]
struct Entry {
    dir: String,
    #[serde(default)]
    msg: Value,
}

impl Entry {
    fn is_heard(&self) -> bool {
        matches!(self.dir.as_str(), "recv" | "agent->client")
    }

    fn is_sent(&self) -> bool {
        matches!(self.dir.as_str(), "send" | "client->agent")
    }

    /// Whether it is a request that opens the session.
    fn opens(&self) -> bool {
        let methods = ["initialize", "authenticate"];
        let method = self.msg["method"].as_str().unwrap_or_default();
        methods.contains(&method)
            || ["new", "load", "resume", "fork"]
                .iter()
                .any(|word| method.strip_prefix("session/") == Some(word))
    }

    /// A request of the client, or the answer to one.
    fn is_about_our_request(&self) -> bool {
        let is_request = self.msg.get("method").is_some();
        self.msg.get("id").is_some() && (self.is_sent() == is_request)
    }

    fn is_prompt(&self) -> bool {
        self.is_sent() && self.msg["method"] == "session/prompt"
    }
}

/// What the host does after a line of the agent.
#[derive(Debug, Clone, PartialEq)]
enum Act {
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

    /// Only one prompt of a recording that has several, counted from 0: how the session was opened,
    /// and what followed this prompt. The requests get the numbers they have in such a run.
    #[must_use]
    pub fn turn(&self, number: usize) -> Self {
        let prompts: Vec<usize> =
            (0..self.entries.len()).filter(|index| self.entries[*index].is_prompt()).collect();
        let begin = prompts[number];
        let end = prompts.get(number + 1).copied().unwrap_or(self.entries.len());
        let own_id = self.entries[begin].msg["id"].clone();
        let before = self.entries[..prompts[0]].iter();
        let kept: Vec<Value> = before
            .filter(|entry| entry.is_sent() && entry.opens())
            .map(|entry| entry.msg["id"].clone())
            .chain([own_id])
            .collect();
        let mut entries = Vec::new();
        for (index, entry) in self.entries.iter().enumerate() {
            let is_in = index < prompts[0] || (begin..end).contains(&index);
            let place = kept.iter().position(|id| *id == entry.msg["id"]);
            let mut entry = entry.clone();
            match (entry.is_about_our_request(), place) {
                _ if !is_in => continue,
                (true, None) => continue,
                (true, Some(place)) => entry.msg["id"] = (place + 1).into(),
                (false, _) => {}
            }
            entries.push(entry);
        }
        Self { entries }
    }

    /// The agent's messages, as they were on its stdout.
    pub fn agent_lines(&self) -> String {
        let heard = self.entries.iter().filter(|entry| entry.is_heard());
        heard.map(|entry| format!("{}\n", entry.msg)).collect()
    }

    /// The prompts after the first one, in order.
    fn inputs(&self) -> Vec<&str> {
        let prompts = self.entries.iter().filter(|entry| entry.is_prompt()).skip(1);
        prompts.filter_map(|entry| entry.msg["params"]["prompt"][0]["text"].as_str()).collect()
    }

    /// The host's acts, each with the number of lines of the agent that came before it.
    fn acts(&self) -> Vec<(usize, Act)> {
        let mut lines = 0;
        let mut questions: Vec<&Value> = Vec::new();
        let mut acts = Vec::new();
        for entry in &self.entries {
            if entry.is_heard() {
                lines += 1;
                if entry.msg["method"] == "session/request_permission" {
                    questions.push(&entry.msg);
                }
            } else if entry.msg["method"] == "session/cancel" {
                acts.push((lines, Act::Cancel));
            } else if let Some(option) = entry.msg.pointer("/result/outcome/optionId") {
                let asked = questions.iter().rposition(|asked| asked["id"] == entry.msg["id"]);
                let approval = asked.expect("an answer has its question");
                let outcome = outcome_of(questions[approval], option);
                acts.push((lines, Act::Decide { approval: approval + 1, outcome }));
            }
        }
        acts
    }

    /// Replays the session as a run would. All further prompts are sent at the start, so
    /// they wait as the protocol has it.
    pub fn replay(&self, mapper: &mut dyn Mapper, exit: &Exit) -> Replay {
        let mut inputs = Some(self.inputs());
        let mut acts = self.acts().into_iter().peekable();
        let mut lines = 0;
        replay_with(mapper, self.agent_lines().as_bytes(), exit, |mapper, output| {
            lines += 1;
            for text in inputs.take().into_iter().flatten() {
                assert_eq!(mapper.on_input(text, None, output), InputOutcome::Queued, "{text}");
            }
            while let Some((_, act)) = acts.next_if(|(after, _)| *after <= lines) {
                act.perform(mapper, output);
            }
        })
    }
}

impl Act {
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

/// What the answer that was given means.
fn outcome_of(question: &Value, option: &Value) -> ApprovalOutcome {
    let offered = question["params"]["options"].as_array().into_iter().flatten();
    let kind = offered.into_iter().find(|offer| offer["optionId"] == *option);
    let word = kind.and_then(|offer| offer["kind"].as_str()).unwrap_or_default();
    ApprovalOutcome::from_wire(word)
}
