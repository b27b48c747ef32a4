//! `adapterOptions` of this adapter: parsed here, applied elsewhere.

use od_protocol::JsonObject;
use od_sdk::retries::{DEFAULT_MAX_RETRIES, DEFAULT_MAX_RETRY_WAIT_MS, RetryOptions};
use od_sdk::start_run::{self, AdapterOptions, SystemMode};
use serde::Deserialize;
use serde_json::json;

/// `run/start.adapterOptions`.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct Options {
    /// Whether a system prompt extends or replaces the CLI's own.
    pub system_mode: SystemMode,
    max_retries: Option<u32>,
    max_retry_wait_ms: Option<u64>,
    /// Cost limit of the run in dollars.
    pub max_budget_usd: Option<f64>,
    /// The model to use if the selected one is overloaded.
    pub fallback_model: Option<String>,
    /// Use only the MCP servers of the run, not those of the user's settings.
    pub strict_mcp_config: bool,
}

impl AdapterOptions for Options {
    const ADAPTER_ID: &'static str = "claude-code";
}

impl Options {
    /// The options on retries.
    pub fn retries(&self) -> RetryOptions {
        let Self { max_retries, max_retry_wait_ms, .. } = *self;
        RetryOptions { max_retries, max_retry_wait_ms }
    }
}

/// The JSON Schema of the options, for the manifest.
pub fn schema() -> JsonObject {
    start_run::schema(json!({
        "systemMode": start_run::system_mode_schema("Claude Code's"),
        "maxRetries": {
            "type": "integer", "minimum": 0, "default": DEFAULT_MAX_RETRIES,
            "description": "maximum number of times Claude Code may retry a failed request",
        },
        "maxRetryWaitMs": {
            "type": "integer", "minimum": 0, "default": DEFAULT_MAX_RETRY_WAIT_MS,
            "description": "limit on the sum of the announced waits in milliseconds, after which the run fails; ten minutes if maxRetries is set",
        },
        "maxBudgetUsd": {
            "type": "number", "exclusiveMinimum": 0,
            "description": "cost limit in dollars, at which Claude Code stops the run",
        },
        "fallbackModel": {
            "type": "string",
            "description": "the model to use if the selected one is overloaded",
        },
        "strictMcpConfig": {
            "type": "boolean", "default": false,
            "description": "use only the run's MCP servers, not those of the user's settings",
        },
    }))
}
