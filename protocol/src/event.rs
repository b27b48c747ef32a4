//! Events: what a run says, from `run_started` to `done`.
//!
//! A stream is a complete, replayable log. Its rules are in the specification; the sdk's emitter
//! keeps them for an adapter's author, the conformance suite checks them for everyone.

mod lifecycle;
mod signals;
mod talk;
mod tools;

pub use lifecycle::*;
pub use signals::*;
pub use talk::*;
pub use tools::*;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize};

use crate::{GetQuotaResult, JsonObject, Meta, Usage};

/// Parameters of the notification `run/event`: the envelope of every event.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunEventParams {
    /// The run.
    pub run_id: String,
    /// Starts at 0, no gaps.
    pub seq: u64,
    /// Milliseconds since 1970, by the adapter's clock.
    pub ts: u64,
    /// What happened.
    pub event: Event,
    /// Custom data.
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
}

macro_rules! events {
    ($($(#[doc = $doc:literal])+ $variant:ident($payload:ty) = $text:literal,)+) => {
        /// What happened. Every variant is here since protocol 1.
        #[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
        #[serde(tag = "type")]
        #[non_exhaustive]
        pub enum Event {
            $($(#[doc = $doc])+ #[serde(rename = $text)] $variant($payload),)+
            /// A type of a later version, kept as it came.
            #[serde(untagged)]
            Unknown(UnknownEvent),
        }

        impl Event {
            /// The `type` words of this version of the protocol.
            pub const TYPES: &'static [&'static str] = &[$($text),+];

            /// The word in `type`.
            pub fn type_name(&self) -> &str {
                match self {
                    $(Self::$variant(_) => $text,)+
                    Self::Unknown(event) => event.type_name(),
                }
            }

            /// Reads an event from its JSON object.
            ///
            /// # Errors
            /// When a known type has a malformed payload, with a text that names type and field;
            /// an unknown type is kept.
            pub fn from_object(object: JsonObject) -> Result<Self, serde_json::Error> {
                let Some(name) = object.get("type").and_then(|name| name.as_str()) else {
                    return Err(serde::de::Error::missing_field("type"));
                };
                match name {
                    $($text => payload(name, &object).map(Self::$variant),)+
                    _ => Ok(Self::Unknown(UnknownEvent(object))),
                }
            }
        }
    };
}

events! {
    /// The agent CLI was started; the first event of every run.
    RunStarted(RunStarted) = "run_started",
    /// The native session is known.
    SessionStarted(SessionStarted) = "session_started",
    /// The model's turn begins.
    TurnStarted(TurnStarted) = "turn_started",
    /// The model's turn is over; more may follow in the same run.
    TurnEnded(TurnEnded) = "turn_ended",
    /// What the agent is doing right now.
    Status(Status) = "status",
    /// Text that a person (or the host) said: the echo of input, or part of a session that is read.
    UserMessage(UserMessage) = "user_message",
    /// A message of the agent begins.
    MessageStarted(MessageStarted) = "message_started",
    /// A piece of a message.
    TextDelta(TextDelta) = "text_delta",
    /// A message is complete.
    MessageStopped(MessageStopped) = "message_stopped",
    /// A message was retried: forget its text.
    MessageDiscarded(MessageDiscarded) = "message_discarded",
    /// A thought begins.
    ThinkingStarted(ThinkingStarted) = "thinking_started",
    /// A piece of a thought.
    ThinkingDelta(ThinkingDelta) = "thinking_delta",
    /// A thought is complete.
    ThinkingStopped(ThinkingStopped) = "thinking_stopped",
    /// A tool call begins.
    ToolCallStarted(ToolCallStarted) = "tool_call_started",
    /// A piece of the call's input, as raw JSON text.
    ToolInputDelta(ToolInputDelta) = "tool_input_delta",
    /// The call's input is complete.
    ToolCallReady(ToolCallReady) = "tool_call_ready",
    /// A piece of the call's output.
    ToolOutputDelta(ToolOutputDelta) = "tool_output_delta",
    /// The call is over.
    ToolResult(ToolResult) = "tool_result",
    /// A file was changed.
    FileChange(FileChange) = "file_change",
    /// The agent waits for a decision.
    ApprovalRequested(ApprovalRequested) = "approval_requested",
    /// The decision was made.
    ApprovalResolved(ApprovalResolved) = "approval_resolved",
    /// The agent asks the person something.
    InputRequested(InputRequested) = "input_requested",
    /// The agent's list of things to do; each one replaces the last.
    Plan(Plan) = "plan",
    /// A helper of the agent begins; what it does inside is summarised, not forwarded.
    SubagentStarted(SubagentStarted) = "subagent_started",
    /// A helper of the agent is done.
    SubagentStopped(SubagentStopped) = "subagent_stopped",
    /// Tokens and money.
    Usage(Usage) = "usage",
    /// How full the model's window is.
    Context(Context) = "context",
    /// Allowances and their windows.
    Quota(GetQuotaResult) = "quota",
    /// The provider asks to slow down.
    RateLimited(RateLimited) = "rate_limited",
    /// The agent CLI tries again.
    Retry(Retry) = "retry",
    /// Another agent takes over; only the host sends it.
    AgentSwitched(AgentSwitched) = "agent_switched",
    /// A picture.
    Image(Image) = "image",
    /// A skill was loaded or used.
    Skill(Extension) = "skill",
    /// A plugin was loaded or used.
    Plugin(Extension) = "plugin",
    /// Model or permission mode changed.
    ModeChanged(ModeChanged) = "mode_changed",
    /// Something a person may want to know.
    Notice(Notice) = "notice",
    /// The agent CLI said something the adapter does not know: the drift signal.
    Unmapped(Unmapped) = "unmapped",
    /// The agent CLI is silent but alive.
    Heartbeat(Heartbeat) = "heartbeat",
    /// Something went wrong.
    Error(ErrorEvent) = "error",
    /// The last event of every run: nothing of it is alive any more.
    Done(Done) = "done",
}

/// Reads the payload of a known type.
fn payload<T: DeserializeOwned>(name: &str, object: &JsonObject) -> Result<T, serde_json::Error> {
    T::deserialize(object).map_err(|error| {
        let field = malformed_field::<T>(object)
            .map(|field| format!("field `{field}`: "))
            .unwrap_or_default();
        serde::de::Error::custom(format!("malformed event {name}: {field}{error}"))
    })
}

/// The field whose value does not fit: read alone it fails, and not for want of another.
fn malformed_field<T: DeserializeOwned>(object: &JsonObject) -> Option<&str> {
    object.iter().find_map(|(field, value)| {
        let alone = JsonObject::from_iter([(field.clone(), value.clone())]);
        let error = T::deserialize(alone).err()?;
        (!error.to_string().starts_with("missing field")).then_some(field.as_str())
    })
}

impl<'de> Deserialize<'de> for Event {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::from_object(JsonObject::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}

/// An event of a later version, kept as it came.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(transparent)]
pub struct UnknownEvent(JsonObject);

impl UnknownEvent {
    /// The word in `type`.
    pub fn type_name(&self) -> &str {
        self.0.get("type").and_then(|name| name.as_str()).unwrap_or_default()
    }

    /// All of it.
    pub fn object(&self) -> &JsonObject {
        &self.0
    }
}

impl JsonSchema for UnknownEvent {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "UnknownEvent".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "object",
            "description": "An event of a later version; readers keep and forward it.",
            "required": ["type"],
            "properties": { "type": { "type": "string", "not": { "enum": Event::TYPES } } }
        })
    }
}
