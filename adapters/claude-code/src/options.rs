//! `adapterOptions`: what only this adapter can do. Parsed here, decided elsewhere.

use od_protocol::{ErrorObject, JsonObject};
use od_sdk::start_run::{self, SystemMode};
use serde::Deserialize;
use serde_json::json;

/// How often the CLI may try a failed request again, unless the run says otherwise.
const DEFAULT_MAX_RETRIES: u32 = 2;
/// How long its announced waits may be in all: long enough for two retries, short enough that a
/// person is told within three seconds.
const DEFAULT_MAX_RETRY_WAIT_MS: u64 = 2_500;
/// The same, when the run asks for more retries and thereby for patience.
const PATIENT_MAX_RETRY_WAIT_MS: u64 = 600_000;

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

impl Options {
    /// Reads the options of a run.
    ///
    /// # Errors
    /// `config_invalid` for an unknown name or a value of the wrong type.
    pub fn strict(options: &JsonObject) -> Result<Self, ErrorObject> {
        start_run::options(options, "claude-code")
    }

    /// Reads options that were checked before; what is wrong counts as absent.
    pub fn lenient(options: &JsonObject) -> Self {
        Self::strict(options).unwrap_or_default()
    }

    /// How often the CLI may try a failed request again.
    pub fn max_retries(&self) -> u32 {
        self.max_retries.unwrap_or(DEFAULT_MAX_RETRIES)
    }

    /// How long its announced waits may be in all.
    pub fn max_retry_wait_ms(&self) -> u64 {
        let default = match self.max_retries {
            Some(_) => PATIENT_MAX_RETRY_WAIT_MS,
            None => DEFAULT_MAX_RETRY_WAIT_MS,
        };
        self.max_retry_wait_ms.unwrap_or(default)
    }
}

/// The JSON Schema of the options, for the manifest.
pub fn schema() -> JsonObject {
    let schema = json!({
        "type": "object",
        "additionalProperties": false,
        "properties": {
            "systemMode": {
                "enum": ["append", "replace"],
                "default": "append",
                "description": "whether prompt.system follows Claude Code's own system prompt or takes its place",
            },
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
        },
    });
    start_run::schema(schema)
}
