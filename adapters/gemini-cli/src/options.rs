//! `adapterOptions`: what only this adapter can do. Parsed here, decided elsewhere.

use od_protocol::JsonObject;
use od_sdk::start_run::{self, AdapterOptions, SystemMode};
use serde::Deserialize;
use serde_json::json;

/// Which way the CLI is driven.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ModeOption {
    /// By what the run asks for.
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
    /// Which way the CLI is driven.
    pub mode: ModeOption,
    /// What becomes of the CLI's own system prompt.
    pub system_mode: SystemMode,
    /// How often the CLI may ask again after "slow down".
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
            "description": "one_shot drives Gemini CLI by stream-json, live by ACP (approvals, thoughts, input, pictures, MCP servers); auto chooses by what the run asks for",
        },
        "systemMode": start_run::system_mode_schema("Gemini CLI's"),
        "maxRateLimitRetries": {
            "type": "integer", "minimum": 0, "default": 0,
            "description": "how often Gemini CLI may ask again when the provider says to slow down; each wait is five seconds to half a minute",
        },
    }))
}
