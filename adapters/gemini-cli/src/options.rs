//! `adapterOptions` of this adapter: parsed here, applied elsewhere.

use od_protocol::JsonObject;
use od_sdk::start_run::{self, AdapterOptions, SystemMode};
use serde::Deserialize;
use serde_json::json;

/// The interface of the CLI, as requested.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ModeOption {
    /// Selected by the run's options.
    #[default]
    Auto,
    /// `stream-json`.
    OneShot,
    /// ACP.
    Live,
}

/// `run/start.adapterOptions`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct Options {
    /// The interface of the CLI.
    pub mode: ModeOption,
    /// Whether a system prompt extends or replaces the CLI's own.
    pub system_mode: SystemMode,
    /// How often the CLI may retry after a rate limit.
    pub max_rate_limit_retries: u32,
}

impl AdapterOptions for Options {
    const ADAPTER_ID: &'static str = "gemini-cli";
}

/// The JSON Schema of the options, for the manifest.
pub fn schema() -> JsonObject {
    start_run::schema(json!({
        "mode": {
            "enum": ["auto", "one_shot", "live"],
            "default": "auto",
            "description": "one_shot uses stream-json, live uses ACP (approvals, thoughts, input, images, MCP servers); auto selects by the run's options",
        },
        "systemMode": start_run::system_mode_schema("Gemini CLI's"),
        "maxRateLimitRetries": {
            "type": "integer", "minimum": 0, "default": 0,
            "description": "how often Gemini CLI may retry after a rate limit; each wait is five to thirty seconds",
        },
    }))
}
