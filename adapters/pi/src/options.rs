//! Parses `adapterOptions`, which all adapters of the family share.

use od_protocol::{ErrorObject, JsonObject};
use serde::Deserialize;
use serde_json::json;

use super::{Dialect, Mode};
use od_sdk::retries::{DEFAULT_MAX_RETRIES, DEFAULT_MAX_RETRY_WAIT_MS, RetryOptions};
use od_sdk::start_run::{self, SystemMode};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum ModeName {
    Rpc,
    Json,
}

/// `run/start.adapterOptions`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct Options {
    mode: Option<ModeName>,
    /// Whether the system prompt replaces the CLI's own.
    pub system_mode: SystemMode,
    max_retries: Option<u32>,
    max_retry_wait_ms: Option<u64>,
}

impl Options {
    /// Parses the options of a run.
    ///
    /// # Errors
    /// `config_invalid` for an unknown name or a value of the wrong type.
    pub fn strict(options: &JsonObject, dialect: &Dialect) -> Result<Self, ErrorObject> {
        start_run::options(options, dialect.id)
    }

    /// Parses options that were checked before; invalid ones are ignored.
    pub fn lenient(options: &JsonObject, dialect: &Dialect) -> Self {
        Self::strict(options, dialect).unwrap_or_default()
    }

    /// The requested mode.
    pub fn mode(&self) -> Option<Mode> {
        self.mode.map(|name| match name {
            ModeName::Rpc => Mode::Rpc,
            ModeName::Json => Mode::Json,
        })
    }

    /// The options of retries.
    pub fn retries(&self) -> RetryOptions {
        let Self { max_retries, max_retry_wait_ms, .. } = *self;
        RetryOptions { max_retries, max_retry_wait_ms }
    }
}

/// The JSON Schema of the options, for the manifest.
pub fn schema() -> JsonObject {
    start_run::schema(json!({
        "mode": {
            "enum": ["rpc", "json"],
            "description": "rpc (default if the CLI supports it) accepts input, answers and a clean cancel during the run; json only reports events",
        },
        "systemMode": start_run::system_mode_schema("the CLI's"),
        "maxRetries": {
            "type": "integer", "minimum": 0, "default": DEFAULT_MAX_RETRIES,
            "description": "number of retries of a failed request",
        },
        "maxRetryWaitMs": {
            "type": "integer", "minimum": 0, "default": DEFAULT_MAX_RETRY_WAIT_MS,
            "description": "total announced wait for retries after which the run fails; ten minutes if maxRetries is set",
        },
    }))
}
