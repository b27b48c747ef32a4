//! `adapterOptions`: what only this adapter can do. Parsed here, decided elsewhere.

use od_protocol::JsonObject;
use od_sdk::retries::{DEFAULT_MAX_RETRIES, DEFAULT_MAX_RETRY_WAIT_MS, RetryOptions};
use od_sdk::start_run::{self, AdapterOptions, SystemMode};
use serde::Deserialize;
use serde_json::json;

/// `run/start.adapterOptions`.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct Options {
    /// What becomes of the CLI's own system prompt.
    pub system_mode: SystemMode,
    max_retries: Option<u32>,
    max_retry_wait_ms: Option<u64>,
    /// Stop when so much is spent.
    pub max_budget_usd: Option<f64>,
    /// Take this model when the first is overloaded.
    pub fallback_model: Option<String>,
    /// Use only the MCP servers of the run, not the person's own.
    pub strict_mcp_config: bool,
}

impl AdapterOptions for Options {
    const ADAPTER_ID: &'static str = "claude-code";
}

impl Options {
    /// What they say about retries.
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
            "description": "how often Claude Code may try a failed request again",
        },
        "maxRetryWaitMs": {
            "type": "integer", "minimum": 0, "default": DEFAULT_MAX_RETRY_WAIT_MS,
            "description": "how long the announced waits may be in all before the run fails; ten minutes when maxRetries is set",
        },
        "maxBudgetUsd": {
            "type": "number", "exclusiveMinimum": 0,
            "description": "stop the run when so many dollars are spent",
        },
        "fallbackModel": {
            "type": "string",
            "description": "the model to take when the first is overloaded",
        },
        "strictMcpConfig": {
            "type": "boolean", "default": false,
            "description": "use only the run's MCP servers",
        },
    }))
}
