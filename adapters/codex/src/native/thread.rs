//! Threads, turns and what is told of them.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::Value;

use super::TurnError;

/// Whom a notification is about; some are about nobody.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Scope<'a> {
    /// The thread: ours, or a helper's.
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
    /// Where it works.
    pub cwd: Option<String>,
    /// What commands may touch.
    pub sandbox: Sandbox,
}

/// A thread, which is a session.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Thread {
    /// What `thread/resume` takes.
    pub id: String,
    /// With a copy: whose.
    pub forked_from_id: Option<String>,
}

/// What commands may touch.
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
    /// What `turn/interrupt` takes.
    pub id: String,
    /// `inProgress`, `completed`, `interrupted`, `failed`.
    pub status: String,
    /// With `failed`.
    pub error: Option<TurnError>,
}

/// A piece of a message, a thought or a command's output, on the path of every delta: it borrows
/// from the line.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Delta<'a> {
    /// The thread.
    #[serde(default, borrow)]
    pub thread_id: Cow<'a, str>,
    /// The item it belongs to.
    #[serde(borrow)]
    pub item_id: Cow<'a, str>,
    /// The piece.
    #[serde(default, borrow)]
    pub delta: Cow<'a, str>,
    /// With `summaryPartAdded`: which part of the summary begins.
    #[serde(default)]
    pub summary_index: u32,
}

/// A whole line that carries a piece of a message.
#[derive(Debug, Deserialize)]
pub struct DeltaLine<'a> {
    /// The piece.
    #[serde(borrow)]
    pub params: Delta<'a>,
}

/// `turn/plan/updated`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct PlanNotification {
    /// All of the plan.
    pub plan: Vec<PlanStep>,
}

/// One step of a plan.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct PlanStep {
    /// What.
    pub step: String,
    /// `pending`, `inProgress`, `completed`.
    pub status: String,
}

/// `warning`, `guardianWarning`, `configWarning`, `deprecationNotice`: one of these has the text.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Warning {
    /// With `warning` and `guardianWarning`.
    pub message: String,
    /// With `configWarning` and `deprecationNotice`.
    pub summary: String,
    /// More of it.
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
    /// Why it failed.
    pub error: Option<String>,
}

/// `model/rerouted`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct ModelRerouted {
    /// The model that answers from now on.
    pub to_model: String,
}

/// `hook/completed`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct HookCompleted {
    /// What ran.
    pub run: HookRun,
}

/// A hook of the person's settings that ran.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct HookRun {
    /// When it runs (`preToolUse`, …).
    pub event_name: String,
    /// `completed`, `failed`, `blocked`, ….
    pub status: String,
}

/// `item/mcpToolCall/progress`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Progress {
    /// How far it is.
    pub message: String,
}

/// `serverRequest/resolved`: a question of the CLI no longer waits.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct RequestResolved {
    /// The question's id.
    pub request_id: Value,
}
