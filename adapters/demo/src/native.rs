//! The demo agent's own words, one JSON object a line, in both directions. The agent writes them,
//! the adapter reads them; they have nothing to do with the protocol.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What the agent is told.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub(crate) enum ToAgent {
    /// A prompt; while a turn runs it waits for the next one.
    Say { text: String },
    /// The answer to an [`FromAgent::Ask`].
    Answer { ask: String, allow: bool, input: Option<Value>, message: Option<String> },
    /// Stop politely.
    Stop,
}

/// What the agent says. Text is borrowed from the line where it can be.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum FromAgent<'a> {
    /// The session is known.
    Hello { session: String, model: String, cwd: String, tools: Vec<String> },
    /// A turn begins.
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
    /// The list of things to do: text and whether it is done.
    Plan { steps: Vec<(String, bool)> },
    /// A tool is used.
    Tool { id: String, name: String, title: String, input: Value },
    /// A piece of its output.
    Output { id: String, text: String },
    /// It is done.
    Result { id: String, ok: bool, output: Value, exit: Option<i32> },
    /// A file was written.
    Wrote { path: String, new: bool, tool: String },
    /// May I?
    Ask { ask: String, tool: String, summary: String, input: Value },
    /// Tokens of the whole run so far.
    Usage {
        input: u64,
        output: u64,
        #[serde(default)]
        cache_read: u64,
        #[serde(default)]
        cache_write: u64,
        /// US dollars; absent means that no price is stated.
        #[serde(default)]
        cost: Option<f64>,
    },
    /// The turn is over.
    TurnEnd { turn: String },
    /// Something went wrong; a `bye` follows.
    Problem { kind: String, message: String, hint: Option<String> },
    /// The last word.
    Bye { reason: Reason },
}

/// Why the agent leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Reason {
    /// It is done.
    Done,
    /// It was told to stop.
    Stopped,
    /// It could not go on.
    Failed,
    /// A word of a later version.
    #[serde(other)]
    Other,
}
