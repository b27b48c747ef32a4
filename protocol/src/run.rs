//! Starting, feeding and stopping a run.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::wire_enum::wire_enum;
use crate::{Effort, JsonObject, Meta};

/// Declares what an agent shall do once: an adapter gets it with the run's id, the API takes it without.
macro_rules! task {
    ($($(#[$attribute:meta])+ pub $field:ident: $type:ty,)+) => {
        /// Parameters of `run/start`. An option the adapter cannot honour is `capability_unsupported`
        /// before any process starts, never silently dropped.
        #[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "camelCase")]
        pub struct StartRunParams {
            /// Chosen by the host, unique for this adapter process.
            pub run_id: String,
            $($(#[$attribute])+ pub $field: $type,)+
        }

        /// What an agent shall do: `run/start` without the run's id. The host's API takes paths below one
        /// of its roots only.
        #[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "camelCase")]
        pub struct RunTask {
            $($(#[$attribute])+ pub $field: $type,)+
        }

        impl RunTask {
            /// What an adapter is told.
            pub fn into_start_run(self, run_id: String) -> StartRunParams {
                let Self { $($field),+ } = self;
                StartRunParams { run_id, $($field),+ }
            }
        }
    };
}

task! {
    /// Where the agent works, absolute.
    pub cwd: String,
    /// What to do.
    pub prompt: Prompt,
    /// The model; absent means the agent CLI's own default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// How hard to think; absent means the agent CLI's own default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effort: Option<Effort>,
    /// The same as a number of tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thinking_budget_tokens: Option<u64>,
    /// A new session, or an old one.
    #[serde(default)]
    pub session: SessionChoice,
    /// Folders of skills.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skills: Vec<String>,
    /// Further folders the agent may work in, absolute.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub add_dirs: Vec<String>,
    /// Tools that need no approval; absent means the agent CLI's own default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allowed_tools: Option<Vec<String>>,
    /// Tools the agent may not use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub denied_tools: Option<Vec<String>>,
    /// One of the agent CLI's own modes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub permission_mode: Option<String>,
    /// Rules for approvals, shell and network.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<Policy>,
    /// MCP servers for this run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mcp_servers: Vec<McpServer>,
    /// The final answer must fit this JSON Schema.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_schema: Option<JsonObject>,
    /// Stop after so many turns of the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_turns: Option<u32>,
    /// Variables for the agent CLI, on top of the allowlist.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// Limits of time.
    #[serde(default)]
    pub timeouts: Timeouts,
    /// A file that gets the agent CLI's raw output.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace_path: Option<String>,
    /// What the manifest's `configSchema` describes.
    #[serde(default, skip_serializing_if = "JsonObject::is_empty")]
    pub adapter_options: JsonObject,
    /// Custom data.
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
}

/// What to do.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Prompt {
    /// Instructions above the conversation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub system: Option<String>,
    /// The text, byte for byte. It is data: `/x`, `@x`, `-x` and `$(x)` mean nothing special.
    pub text: String,
    /// Files to read, absolute.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attachments: Vec<String>,
    /// Pictures.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub images: Vec<ImageInput>,
}

/// A picture in a prompt: by path or by value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ImageInput {
    /// Such as `image/png`.
    pub mime: String,
    /// Base64.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<String>,
    /// A file, absolute.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
}

wire_enum! {
    /// Which session a run belongs to. An unknown word is a new one.
    pub enum SessionMode, unknown => New {
        /// A new one.
        New = "new",
        /// An old one goes on under its own id.
        Resume = "resume",
        /// A copy of an old one goes on under a new id.
        Fork = "fork",
    }
}

/// A new session, or an old one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionChoice {
    /// Which.
    pub mode: SessionMode,
    /// The old session's native id; with `new`, the id to give it where the agent CLI can.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
}

impl Default for SessionChoice {
    fn default() -> Self {
        Self { mode: SessionMode::New, id: None }
    }
}

wire_enum! {
    /// What the agent's tools may reach. An unknown word is none.
    pub enum NetworkMode, unknown => None {
        /// Nothing.
        None = "none",
        /// What the agent CLI's own rules allow.
        Default = "default",
        /// Everything.
        Full = "full",
    }
}

/// Rules for approvals, shell and network. They reach the agent CLI in its strictest form.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Policy {
    /// Command prefixes that need no approval.
    pub shell_allow: Vec<String>,
    /// Command prefixes that are refused.
    pub shell_deny: Vec<String>,
    /// Categories that always ask.
    pub ask: Vec<crate::ApprovalCategory>,
    /// What the agent's tools may reach.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub network: Option<NetworkMode>,
}

wire_enum! {
    /// How an MCP server is reached. An unknown word is read as a pipe.
    pub enum McpTransport, unknown => Stdio {
        /// A program's stdin and stdout.
        Stdio = "stdio",
        /// Streamable HTTP.
        Http = "http",
        /// The older HTTP with server-sent events.
        Sse = "sse",
    }
}

/// An MCP server for a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct McpServer {
    /// Its name.
    pub name: String,
    /// How it is reached.
    pub transport: McpTransport,
    /// The program, with `stdio`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// Its arguments.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<String>,
    /// Its variables.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// The address, otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Its headers.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, String>,
}

/// Limits of time; absent means the adapter's default, 0 means none.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Timeouts {
    /// Until the agent CLI's first output.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_ms: Option<u64>,
    /// Of silence; output starts it anew, an open approval stops it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idle_ms: Option<u64>,
    /// Of the whole run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_ms: Option<u64>,
}

/// Result of `run/start`, sent on acceptance; everything else arrives as events.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StartRunResult {
    /// The run.
    pub run_id: String,
}

/// Parameters of `run/input`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct InputRunParams {
    /// The run.
    pub run_id: String,
    /// What to say.
    pub text: String,
    /// Only while this turn runs; otherwise refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected_turn: Option<String>,
}

wire_enum! {
    /// What became of input. An unknown word is a refusal.
    pub enum InputOutcome, unknown => Refused {
        /// It reached the turn that is running.
        Steered = "steered",
        /// It waits for the next turn of the same run.
        Queued = "queued",
        /// It cannot be taken.
        Refused = "refused",
    }
}

/// Result of `run/input`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct InputRunResult {
    /// What became of it.
    pub outcome: InputOutcome,
}

/// Parameters of `run/cancel`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CancelRunParams {
    /// The run.
    pub run_id: String,
    /// How long the agent CLI may take to stop politely; absent means 2000, 0 means at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grace_ms: Option<u64>,
    /// Why, for the log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Result of `run/cancel`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CancelRunResult {
    /// The run was there and is being stopped. An unknown or finished run is `false`, no error.
    pub accepted: bool,
}
