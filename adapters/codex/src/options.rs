//! `adapterOptions`: what only this adapter can do. Parsed here, decided elsewhere.

use od_protocol::JsonObject;
use od_sdk::start_run::{self, AdapterOptions, SystemMode};
use serde::Deserialize;
use serde_json::json;

/// How often the CLI may connect anew after a broken stream, unless the run says otherwise: its own
/// default.
const DEFAULT_MAX_RETRIES: u32 = 5;

/// How the CLI is driven.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ModeChoice {
    /// By the app server where there is one.
    #[default]
    Auto,
    /// By the app server.
    AppServer,
    /// By `codex exec --json`.
    Exec,
}

/// When the CLI asks before it acts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ApprovalPolicy {
    /// Before every command it does not know as harmless.
    Untrusted,
    /// When it wants to leave the sandbox.
    OnRequest,
    /// Never: what the sandbox forbids fails.
    Never,
}

impl ApprovalPolicy {
    /// The CLI's word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Untrusted => "untrusted",
            Self::OnRequest => "on-request",
            Self::Never => "never",
        }
    }
}

/// How much of its thoughts the model shall tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReasoningSummary {
    /// As much as the model likes.
    Auto,
    /// Little.
    Concise,
    /// Much.
    Detailed,
    /// Nothing.
    None,
}

impl ReasoningSummary {
    /// The CLI's word.
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
    /// What becomes of the CLI's own instructions.
    pub system_mode: SystemMode,
    /// When the CLI asks before it acts.
    pub approval_policy: Option<ApprovalPolicy>,
    /// How much of its thoughts the model shall tell.
    pub reasoning_summary: Option<ReasoningSummary>,
    /// Whether commands in `workspace-write` may reach the network.
    pub network_access: Option<bool>,
    /// Keep no session on disk.
    pub ephemeral: bool,
    /// Run without the person's plugins and apps.
    pub without_plugins: bool,
    max_retries: Option<u32>,
}

impl AdapterOptions for Options {
    const ADAPTER_ID: &'static str = "codex";
}

impl Options {
    /// How often the CLI may connect anew after a broken stream.
    pub fn max_retries(&self) -> u32 {
        self.max_retries.unwrap_or(DEFAULT_MAX_RETRIES)
    }

    /// How often it may do so when the provider asked to slow down: it does not say how long it
    /// waits, so without a word of the run not at all.
    pub fn max_rate_limit_retries(&self) -> u32 {
        self.max_retries.unwrap_or_default()
    }
}

/// The JSON Schema of the options, for the manifest.
pub fn schema() -> JsonObject {
    start_run::schema(json!({
        "mode": {
            "enum": ["auto", "app_server", "exec"], "default": "auto",
            "description": "how Codex is driven: by its app server, or by `codex exec --json`, which has no approvals, no input and no deltas; auto takes the app server from version 0.120.0 on",
        },
        "systemMode": {
            "enum": ["append", "replace"], "default": "append",
            "description": "whether prompt.system follows Codex's own instructions or takes their place",
        },
        "approvalPolicy": {
            "enum": ["untrusted", "on-request", "never"],
            "description": "when Codex asks before it acts; without it the person's settings count, and never where nobody answers",
        },
        "reasoningSummary": {
            "enum": ["auto", "concise", "detailed", "none"],
            "description": "how much of its thoughts the model tells; without it the person's settings and the model's default count",
        },
        "networkAccess": {
            "type": "boolean",
            "description": "whether commands in the permission mode workspace-write may reach the network",
        },
        "ephemeral": {
            "type": "boolean", "default": false,
            "description": "keep no session on disk",
        },
        "withoutPlugins": {
            "type": "boolean", "default": false,
            "description": "run without the person's plugins and apps",
        },
        "maxRetries": {
            "type": "integer", "minimum": 0, "default": DEFAULT_MAX_RETRIES,
            "description": "how often Codex may connect anew before the run fails; a rate limit is waited out only when this is set",
        },
    }))
}
