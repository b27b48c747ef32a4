//! Threads (the CLI's name of a session), turns, and the notifications about them.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::Value;

use super::TurnError;

/// The thread of a notification; some have none.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Scope<'a> {
    /// The run's own thread, or that of a subagent.
    #[serde(borrow)]
    pub thread_id: Option<Cow<'a, str>>,
}

/// The reply to `thread/start`, `thread/resume` and `thread/fork`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct ThreadReply {
    /// The thread.
    pub thread: Thread,
    /// The model in use.
    pub model: Option<String>,
    /// The working folder.
    pub cwd: Option<String>,
    /// The sandbox of the commands.
    pub sandbox: Sandbox,
}

/// A thread.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Thread {
    /// The id for `thread/resume`.
    pub id: String,
    /// For a fork: the id of the parent.
    pub forked_from_id: Option<String>,
}

/// The sandbox of the commands.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Sandbox {
    /// `readOnly`, `workspaceWrite`, `dangerFullAccess`.
    #[serde(rename = "type")]
    pub kind: String,
}

/// The reply to `turn/start`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct TurnReply {
    /// The turn.
    pub turn: Turn,
}

/// `turn/started` and `turn/completed`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct TurnNotification {
    /// The turn.
    pub turn: Turn,
}

/// A turn.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Turn {
    /// The id for `turn/interrupt`.
    pub id: String,
    /// `inProgress`, `completed`, `interrupted`, `failed`.
    pub status: String,
    /// For `failed`.
    pub error: Option<TurnError>,
}

/// A part of a message, a thought or a command's output: borrowed from the line, because this is the
/// hot path.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Delta<'a> {
    /// The thread.
    #[serde(default, borrow)]
    pub thread_id: Cow<'a, str>,
    /// The item it belongs to.
    #[serde(borrow)]
    pub item_id: Cow<'a, str>,
    /// The text.
    #[serde(default, borrow)]
    pub delta: Cow<'a, str>,
    /// For `summaryPartAdded`: the index of the new part.
    #[serde(default)]
    pub summary_index: u32,
}

/// A text delta line.
#[derive(Debug, Deserialize)]
pub struct DeltaLine<'a> {
    /// The text.
    #[serde(borrow)]
    pub params: Delta<'a>,
}

/// `turn/plan/updated`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct PlanNotification {
    /// The complete plan.
    pub plan: Vec<PlanStep>,
}

/// One step of a plan.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct PlanStep {
    /// The text.
    pub step: String,
    /// `pending`, `inProgress`, `completed`.
    pub status: String,
}

/// `warning`, `guardianWarning`, `configWarning`, `deprecationNotice`: one of these fields has the text.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Warning {
    /// For `warning` and `guardianWarning`.
    pub message: String,
    /// For `configWarning` and `deprecationNotice`.
    pub summary: String,
    /// Details.
    pub details: Option<String>,
}

/// `mcpServer/startupStatus/updated`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct McpServerStartup {
    /// The server.
    pub name: String,
    /// `starting`, `ready`, `failed`, `cancelled`.
    pub status: String,
    /// The error of a failed start.
    pub error: Option<String>,
}

/// `model/rerouted`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct ModelRerouted {
    /// The model in use from now on.
    pub to_model: String,
}

/// `hook/completed`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct HookCompleted {
    /// The hook run.
    pub run: HookRun,
}

/// A run of a hook of the user's settings.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct HookRun {
    /// The event that triggers the hook (`preToolUse`, …).
    pub event_name: String,
    /// `completed`, `failed`, `blocked`, ….
    pub status: String,
}

/// `item/mcpToolCall/progress`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Progress {
    /// The progress text.
    pub message: String,
}

/// `serverRequest/resolved`: a request of the CLI no longer needs an answer.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct RequestResolved {
    /// The id of the request.
    pub request_id: Value,
}
