//! The task of a run: prompt, session, policy, MCP servers and limits.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::wire_enum::wire_enum;
use crate::{Effort, JsonObject, Meta};

/// Declares the fields of a task once: [`StartRunParams`] has them with the run id, [`TaskSpec`] without.
macro_rules! task {
    ($($(#[$attribute:meta])+ pub $field:ident: $type:ty,)+) => {
        /// Parameters of `run/start`. An option that the adapter does not support is the error
        /// `capability_unsupported` before any process starts; it is never ignored.
        #[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[serde(rename_all = "camelCase")]
        pub struct StartRunParams {
            /// The run id, chosen by the host and unique for this adapter process: an opaque text.
            pub run_id: String,
            $($(#[$attribute])+ pub $field: $type,)+
        }

        /// The description of the work: `run/start` without the run id. The host's API accepts only
        /// paths below one of its roots.
        #[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[serde(rename_all = "camelCase")]
        pub struct TaskSpec {
            $($(#[$attribute])+ pub $field: $type,)+
        }

        impl TaskSpec {
            /// The parameters of `run/start` for an adapter.
            ///
            /// ```
            /// use od_protocol::{Prompt, TaskSpec};
            ///
            /// let prompt = Prompt { text: "fix the failing test".into(), ..Prompt::default() };
            /// let task = TaskSpec { cwd: "/work".into(), prompt, ..TaskSpec::default() };
            /// assert_eq!(task.into_start_run("r1".into()).run_id, "r1");
            /// ```
            pub fn into_start_run(self, run_id: String) -> StartRunParams {
                let Self { $($field),+ } = self;
                StartRunParams { run_id, $($field),+ }
            }
        }
    };
}

task! {
    /// The absolute path of the working folder.
    pub cwd: String,
    /// The prompt.
    pub prompt: Prompt,
    /// The model; absent means the agent CLI's own default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The reasoning effort; absent means the agent CLI's own default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effort: Option<Effort>,
    /// The reasoning effort as a number of tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thinking_budget_tokens: Option<u64>,
    /// A new session, or an existing one.
    #[serde(default)]
    pub session: SessionChoice,
    /// The folders of the skills to load.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skills: Vec<String>,
    /// Further folders that the agent may work in, as absolute paths.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub add_dirs: Vec<String>,
    /// Tools that need no approval; absent means the agent CLI's own default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allowed_tools: Option<Vec<String>>,
    /// Tools that the agent may not use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub denied_tools: Option<Vec<String>>,
    /// A permission mode of the agent CLI, by its own name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub permission_mode: Option<String>,
    /// Rules for approvals, shell and network.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<Policy>,
    /// MCP servers for this run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mcp_servers: Vec<McpServer>,
    /// A JSON Schema that the final answer must match.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_schema: Option<JsonObject>,
    /// The maximum number of turns of the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_turns: Option<u32>,
    /// Variables for the agent CLI of this run, in addition to the allowlist and with precedence.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// Time limits.
    #[serde(default)]
    pub timeouts: Timeouts,
    /// A file that receives the complete raw stdout of the agent CLI. Needs no capability; never ignored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace_path: Option<String>,
    /// Options that the manifest's `configSchema` describes.
    #[serde(default, skip_serializing_if = "JsonObject::is_empty")]
    pub adapter_options: JsonObject,
    /// Custom data.
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
}

/// The prompt.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Prompt {
    /// The system prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub system: Option<String>,
    /// The text, passed unchanged. It is data: `/x`, `@x`, `-x` and `$(x)` have no special meaning.
    pub text: String,
    /// The absolute paths of files to read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attachments: Vec<String>,
    /// Images.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub images: Vec<ImageInput>,
}

/// An image in a prompt: by path or by value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ImageInput {
    /// The media type, such as `image/png`.
    pub mime: String,
    /// The content in Base64.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<String>,
    /// The absolute path of a file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
}

wire_enum! {
    /// The session of a run. An unknown value means a new session.
    pub enum SessionMode, unknown => New {
        /// A new session.
        New = "new",
        /// Continue an existing session under its own id.
        Resume = "resume",
        /// Continue a copy of an existing session under a new id.
        Fork = "fork",
    }
}

/// A new session, or an existing one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct SessionChoice {
    /// The mode.
    pub mode: SessionMode,
    /// The native id of the existing session, always data: never an option or a path. With `new`: the id of the
    /// new session, where the agent CLI supports that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
}

impl Default for SessionChoice {
    fn default() -> Self {
        Self { mode: SessionMode::New, id: None }
    }
}

wire_enum! {
    /// The network access of the agent's tools. An unknown value means none.
    pub enum NetworkMode, unknown => None {
        /// No access.
        None = "none",
        /// What the agent CLI's own rules allow.
        Default = "default",
        /// Full access.
        Full = "full",
    }
}

/// Rules for approvals, shell and network. The adapter translates them into the strictest form of
/// the agent CLI.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct Policy {
    /// Command prefixes that need no approval.
    pub shell_allow: Vec<String>,
    /// Command prefixes that are denied.
    pub shell_deny: Vec<String>,
    /// Categories that always need an approval.
    pub ask: Vec<crate::ApprovalCategory>,
    /// The network access of the agent's tools.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub network: Option<NetworkMode>,
}

wire_enum! {
    /// The transport of an MCP server. An unknown value means stdio.
    pub enum McpTransport, unknown => Stdio {
        /// stdin and stdout of a program.
        Stdio = "stdio",
        /// Streamable HTTP.
        Http = "http",
        /// The older HTTP with server-sent events.
        Sse = "sse",
    }
}

/// An MCP server for a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct McpServer {
    /// The name.
    pub name: String,
    /// The transport.
    pub transport: McpTransport,
    /// The program, with `stdio`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// The arguments of the program.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<String>,
    /// The variables of the program.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// The URL, with `http` and `sse`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The HTTP headers.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, String>,
}

/// Time limits; absent means the adapter's default, 0 means no limit. Heartbeats restart nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct Timeouts {
    /// The time from `run/start` to the first output of the agent CLI. A default is at least 60 s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_ms: Option<u64>,
    /// The time without output. Output restarts it; an open approval pauses it. A default is at least 300 s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idle_ms: Option<u64>,
    /// The time of the whole run. A default is at least one hour.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_ms: Option<u64>,
}

wire_enum! {
    /// What happens with input. An unknown value means refused.
    pub enum InputOutcome, unknown => Refused {
        /// It reached the running turn.
        Steered = "steered",
        /// It is queued for the next turn of the same run.
        Queued = "queued",
        /// It is not accepted.
        Refused = "refused",
    }
}
