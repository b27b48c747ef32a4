//! The demo agent's native messages, one JSON object per line in both directions. They are
//! independent of the adapter protocol.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A command to the agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub(crate) enum ToAgent {
    /// A prompt; during a turn it is queued for the next one.
    Say { text: String },
    /// The answer to a [`FromAgent::Ask`].
    Answer { ask: String, allow: bool, input: Option<Value>, message: Option<String> },
    /// Stop politely.
    Stop,
}

/// A message from the agent. Text is borrowed from the line where possible.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum FromAgent<'a> {
    /// The first message: session, model and tools.
    Hello { session: String, model: String, cwd: String, tools: Vec<String> },
    /// A turn starts.
    Turn { turn: String },
    /// A piece of a thought.
    Think {
        #[serde(borrow)]
        id: Cow<'a, str>,
        #[serde(borrow)]
        text: Cow<'a, str>,
    },
    /// A thought is complete.
    Thought { id: String },
    /// A piece of a message.
    Text {
        #[serde(borrow)]
        id: Cow<'a, str>,
        #[serde(borrow)]
        text: Cow<'a, str>,
    },
    /// A message is complete.
    Said { id: String },
    /// The plan: each step and whether it is completed.
    Plan { steps: Vec<(String, bool)> },
    /// A tool call starts.
    Tool { id: String, name: String, title: String, input: Value },
    /// A piece of a tool's output.
    Output { id: String, text: String },
    /// A tool call ended.
    Result { id: String, ok: bool, output: Value, exit: Option<i32> },
    /// A file was written.
    Wrote { path: String, new: bool, tool: String },
    /// The agent requests an approval.
    Ask { ask: String, tool: String, summary: String, input: Value },
    /// Tokens of the whole run so far.
    Usage {
        input: u64,
        output: u64,
        #[serde(default)]
        cache_read: u64,
        #[serde(default)]
        cache_write: u64,
        /// US dollars; absent when no price is known.
        #[serde(default)]
        cost: Option<f64>,
    },
    /// The turn ended.
    TurnEnd { turn: String },
    /// The run failed; a `bye` follows.
    Problem { kind: String, message: String, hint: Option<String> },
    /// The last message.
    Bye { reason: Reason },
}

/// Why the agent exits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Reason {
    /// All prompts are answered.
    Done,
    /// It received a stop command.
    Stopped,
    /// It failed.
    Failed,
    /// A reason that this version does not know.
    #[serde(other)]
    Other,
}
