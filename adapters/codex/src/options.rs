//! `adapterOptions` of this adapter: parsed here, applied elsewhere.

use od_protocol::JsonObject;
use od_sdk::start_run::{self, AdapterOptions, SystemMode};
use serde::Deserialize;
use serde_json::json;

/// Default for `maxRetries`, which is also the CLI's default.
const DEFAULT_MAX_RETRIES: u32 = 5;

/// How the CLI is driven.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ModeChoice {
    /// By the app server, from version 0.120.0 on.
    #[default]
    Auto,
    /// By the app server.
    AppServer,
    /// By `codex exec --json`.
    Exec,
}

/// When the CLI requests approvals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ApprovalPolicy {
    /// Before every command that is not known to be safe.
    Untrusted,
    /// Before an action outside the sandbox.
    OnRequest,
    /// Never: actions outside the sandbox fail.
    Never,
}

impl ApprovalPolicy {
    /// The CLI's name of it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Untrusted => "untrusted",
            Self::OnRequest => "on-request",
            Self::Never => "never",
        }
    }
}

/// Detail of the reasoning summaries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReasoningSummary {
    /// The model decides.
    Auto,
    /// Short.
    Concise,
    /// Long.
    Detailed,
    /// No summaries.
    None,
}

impl ReasoningSummary {
    /// The CLI's name of it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Concise => "concise",
            Self::Detailed => "detailed",
            Self::None => "none",
        }
    }
}

/// `run/start.adapterOptions`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct Options {
    /// How the CLI is driven.
    pub mode: ModeChoice,
    /// Whether `prompt.system` follows the CLI's own instructions or replaces them.
    pub system_mode: SystemMode,
    /// When the CLI requests approvals.
    pub approval_policy: Option<ApprovalPolicy>,
    /// Detail of the reasoning summaries.
    pub reasoning_summary: Option<ReasoningSummary>,
    /// Whether commands in the permission mode `workspace-write` may use the network.
    pub network_access: Option<bool>,
    /// Whether the session is not stored on disk.
    pub ephemeral: bool,
    /// Whether the user's plugins and apps are disabled.
    pub without_plugins: bool,
    max_retries: Option<u32>,
}

impl AdapterOptions for Options {
    const ADAPTER_ID: &'static str = "codex";
}

impl Options {
    /// How often the CLI may reconnect after an interrupted stream.
    pub fn max_retries(&self) -> u32 {
        self.max_retries.unwrap_or(DEFAULT_MAX_RETRIES)
    }

    /// How often the CLI may retry after a rate limit. It does not report how long it waits, so the
    /// default is zero.
    pub fn max_rate_limit_retries(&self) -> u32 {
        self.max_retries.unwrap_or_default()
    }
}

/// The JSON Schema of the options, for the manifest.
pub fn schema() -> JsonObject {
    start_run::schema(json!({
        "mode": {
            "enum": ["auto", "app_server", "exec"], "default": "auto",
            "description": "how Codex is driven: by its app server, or by `codex exec --json`, which has no approvals, no input and no deltas; auto uses the app server from version 0.120.0 on",
        },
        "systemMode": start_run::system_mode_schema("Codex's"),
        "approvalPolicy": {
            "enum": ["untrusted", "on-request", "never"],
            "description": "when Codex requests approvals; the default is the user's settings, or never if the host answers no approvals",
        },
        "reasoningSummary": {
            "enum": ["auto", "concise", "detailed", "none"],
            "description": "detail of the reasoning summaries; the default is the user's settings, then the model's default",
        },
        "networkAccess": {
            "type": "boolean",
            "description": "whether commands in the permission mode workspace-write may use the network",
        },
        "ephemeral": {
            "type": "boolean", "default": false,
            "description": "do not store the session on disk",
        },
        "withoutPlugins": {
            "type": "boolean", "default": false,
            "description": "disable the user's plugins and apps",
        },
        "maxRetries": {
            "type": "integer", "minimum": 0, "default": DEFAULT_MAX_RETRIES,
            "description": "how often Codex may reconnect before the run fails; without this option, a rate limit fails the run at once",
        },
    }))
}
