//! Events of a run, from `run_started` to `done`.
//!
//! A stream is a complete log that can be replayed. Its rules are in the specification; the sdk's emitter enforces
//! them for adapter authors, and the conformance suite checks them for every adapter.

mod lifecycle;
mod messages;
mod signals;
mod tools;

pub use lifecycle::*;
pub use messages::*;
pub use signals::*;
pub use tools::*;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize};

use crate::{JsonObject, Meta, Quota, Usage};

/// Parameters of the notification `run/event`: the envelope of every event.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct RunEventParams {
    /// The run, exactly as `run/start` named it.
    pub run_id: String,
    /// The sequence number: starts at 0, without gaps.
    pub seq: u64,
    /// The wall clock (UTC) when the adapter emits the event, in milliseconds since 1970.
    pub ts: u64,
    /// The event.
    pub event: Event,
    /// Custom data.
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
}

macro_rules! events {
    ($($(#[doc = $doc:literal])+ $variant:ident($payload:ty) = $text:literal,)+) => {
        /// An event of a run. Every variant exists since protocol 1.
        ///
        /// ```
        /// use od_protocol::{Event, TextDelta};
        ///
        /// let json = r#"{"type":"text_delta","messageId":"m1","text":"Hello"}"#;
        /// let event: Event = serde_json::from_str(json)?;
        /// let delta = TextDelta { message_id: "m1".into(), text: "Hello".into(), truncated: None };
        /// assert_eq!(event, Event::TextDelta(delta));
        /// assert_eq!(serde_json::to_string(&event)?, json);
        ///
        /// let later: Event = serde_json::from_str(r#"{"type":"hologram","depth":3}"#)?;
        /// assert!(matches!(later, Event::Unknown(_)));
        /// # Ok::<(), serde_json::Error>(())
        /// ```
        #[derive(Debug, Clone, PartialEq, Serialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[serde(tag = "type")]
        #[non_exhaustive]
        pub enum Event {
            $($(#[doc = $doc])+ #[serde(rename = $text)] $variant($payload),)+
            /// An event of a later version, kept unchanged.
            #[serde(untagged)]
            Unknown(UnknownEvent),
        }

        impl Event {
            /// The event types of this version of the protocol.
            pub const TYPES: &'static [&'static str] = &[$($text),+];

            /// The event type.
            pub fn type_name(&self) -> &str {
                match self {
                    $(Self::$variant(_) => $text,)+
                    Self::Unknown(event) => event.type_name(),
                }
            }

            /// Parses an event from its JSON object.
            ///
            /// # Errors
            /// When a known type has a malformed payload, and the message names type and field;
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
    /// The agent CLI was started. The first event of every run.
    RunStarted(RunStarted) = "run_started",
    /// The native session is known.
    SessionStarted(SessionStarted) = "session_started",
    /// A turn of the model starts.
    TurnStarted(TurnStarted) = "turn_started",
    /// A turn of the model ended; more turns may follow in the same run.
    TurnEnded(TurnEnded) = "turn_ended",
    /// What the agent is doing now.
    Status(Status) = "status",
    /// Text of the user or the host: the echo of input, or part of a session that is read.
    UserMessage(UserMessage) = "user_message",
    /// A message of the agent starts.
    MessageStarted(MessageStarted) = "message_started",
    /// A piece of a message.
    TextDelta(TextDelta) = "text_delta",
    /// A message is complete.
    MessageStopped(MessageStopped) = "message_stopped",
    /// A message was retried: its text is no longer valid.
    MessageDiscarded(MessageDiscarded) = "message_discarded",
    /// A thinking block starts.
    ThinkingStarted(ThinkingStarted) = "thinking_started",
    /// A piece of a thinking block.
    ThinkingDelta(ThinkingDelta) = "thinking_delta",
    /// A thinking block is complete.
    ThinkingStopped(ThinkingStopped) = "thinking_stopped",
    /// A tool call starts.
    ToolCallStarted(ToolCallStarted) = "tool_call_started",
    /// A piece of the call's input, as raw JSON text.
    ToolInputDelta(ToolInputDelta) = "tool_input_delta",
    /// The call's input is complete.
    ToolCallReady(ToolCallReady) = "tool_call_ready",
    /// A piece of the call's output.
    ToolOutputDelta(ToolOutputDelta) = "tool_output_delta",
    /// The call ended.
    ToolResult(ToolResult) = "tool_result",
    /// A file was changed.
    FileChange(FileChange) = "file_change",
    /// The agent waits for an approval.
    ApprovalRequested(ApprovalRequested) = "approval_requested",
    /// An approval was resolved.
    ApprovalResolved(ApprovalResolved) = "approval_resolved",
    /// The agent asks the user a question.
    InputRequested(InputRequested) = "input_requested",
    /// The agent's list of tasks; each plan replaces the previous one.
    Plan(Plan) = "plan",
    /// A subagent starts; its activity is summarised, not forwarded.
    SubagentStarted(SubagentStarted) = "subagent_started",
    /// A subagent ended.
    SubagentStopped(SubagentStopped) = "subagent_stopped",
    /// Tokens and cost.
    Usage(Usage) = "usage",
    /// How full the model's context window is.
    Context(Context) = "context",
    /// The quota of the account.
    Quota(Quota) = "quota",
    /// The provider limits the rate of requests.
    RateLimited(RateLimited) = "rate_limited",
    /// The agent CLI or the host retries.
    Retry(Retry) = "retry",
    /// Another agent continues the run; only the host sends it.
    AgentSwitched(AgentSwitched) = "agent_switched",
    /// An image.
    Image(Image) = "image",
    /// A skill was loaded or used.
    Skill(Extension) = "skill",
    /// A plugin was loaded or used.
    Plugin(Extension) = "plugin",
    /// The model or the permission mode changed.
    ModeChanged(ModeChanged) = "mode_changed",
    /// Information for people.
    Notice(Notice) = "notice",
    /// The agent CLI sent something that the adapter does not know: a sign of a newer agent CLI.
    Unmapped(Unmapped) = "unmapped",
    /// The agent CLI sends no output but is alive.
    Heartbeat(Heartbeat) = "heartbeat",
    /// An error.
    Error(ErrorEvent) = "error",
    /// The last event of every run: none of its processes is alive.
    Done(Done) = "done",
}

/// Parses the payload of a known type.
fn payload<T: DeserializeOwned>(name: &str, object: &JsonObject) -> Result<T, serde_json::Error> {
    T::deserialize(object).map_err(|error| {
        let field = malformed_field::<T>(object)
            .map(|field| format!("field `{field}`: "))
            .unwrap_or_default();
        serde::de::Error::custom(format!("malformed event {name}: {field}{error}"))
    })
}

/// Finds the field with an invalid value: parsed alone it fails, and not because another field is
/// missing.
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

/// An event of a later version, kept unchanged.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(transparent)]
pub struct UnknownEvent(JsonObject);

impl UnknownEvent {
    /// The event type.
    pub fn type_name(&self) -> &str {
        self.0.get("type").and_then(|name| name.as_str()).unwrap_or_default()
    }

    /// The whole event.
    pub fn object(&self) -> &JsonObject {
        &self.0
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for UnknownEvent {
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
