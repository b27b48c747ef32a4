//! `adapterOptions`: what only this adapter can do. Parsed here, decided elsewhere.

use od_protocol::{ErrorObject, JsonObject};
use od_sdk::start_run;
use serde::Deserialize;
use serde_json::json;

use crate::mode::Mode;

/// How often OpenCode may be told to slow down, unless the run says otherwise.
const DEFAULT_MAX_RETRIES: u32 = 2;
/// How long it may be silent after that: a person is told within three seconds.
const DEFAULT_MAX_RETRY_WAIT_MS: u64 = 2_500;

/// `run/start.adapterOptions`.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct Options {
    /// The way to drive OpenCode; absent means that the run's other wishes decide.
    pub mode: Option<Mode>,
    max_retries: Option<u32>,
    max_retry_wait_ms: Option<u64>,
}

impl Options {
    /// Reads the options of a run.
    ///
    /// # Errors
    /// `config_invalid` for an unknown name or a value of the wrong type.
    pub fn strict(options: &JsonObject) -> Result<Self, ErrorObject> {
        start_run::options(options, "opencode")
    }

    /// Reads options that were checked before; what is wrong counts as absent.
    pub fn lenient(options: &JsonObject) -> Self {
        Self::strict(options).unwrap_or_default()
    }

    /// How often OpenCode may be told to slow down.
    pub fn max_retries(&self) -> u32 {
        self.max_retries.unwrap_or(DEFAULT_MAX_RETRIES)
    }

    /// How long it may be silent after that.
    pub fn max_retry_wait_ms(&self) -> u64 {
        self.max_retry_wait_ms.unwrap_or(DEFAULT_MAX_RETRY_WAIT_MS)
    }
}

/// The JSON Schema of the options, for the manifest.
pub fn schema() -> JsonObject {
    start_run::schema(json!({
        "type": "object",
        "additionalProperties": false,
        "properties": {
            "mode": {
                "enum": ["json", "acp"],
                "description": "drive `opencode run --format json` or `opencode acp`; without it acp where approvals are answered or MCP servers are given, else json",
            },
            "maxRetries": {
                "type": "integer", "minimum": 0, "default": DEFAULT_MAX_RETRIES,
                "description": "how often the model may ask OpenCode to slow down before the run fails",
            },
            "maxRetryWaitMs": {
                "type": "integer", "minimum": 0, "default": DEFAULT_MAX_RETRY_WAIT_MS,
                "description": "how long OpenCode may be silent after the model asked it to slow down",
            },
        },
    }))
}
