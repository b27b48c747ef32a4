//! `adapterOptions` of every adapter of the family. Parsed here, decided elsewhere.

use od_protocol::{ErrorObject, JsonObject};
use serde::Deserialize;
use serde_json::json;

use super::{Dialect, Mode};
use od_sdk::retries::{DEFAULT_MAX_RETRIES, DEFAULT_MAX_RETRY_WAIT_MS, RetryOptions};
use od_sdk::start_run::{self, SystemMode};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum ModeWord {
    Rpc,
    Json,
}

/// `run/start.adapterOptions`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct Options {
    mode: Option<ModeWord>,
    /// What becomes of the CLI's own system prompt.
    pub system_mode: SystemMode,
    max_retries: Option<u32>,
    max_retry_wait_ms: Option<u64>,
}

impl Options {
    /// Reads the options of a run.
    ///
    /// # Errors
    /// `config_invalid` for an unknown name or a value of the wrong type.
    pub fn strict(options: &JsonObject, dialect: &Dialect) -> Result<Self, ErrorObject> {
        start_run::options(options, dialect.id)
    }

    /// Reads options that were checked before; what is wrong counts as absent.
    pub fn lenient(options: &JsonObject, dialect: &Dialect) -> Self {
        Self::strict(options, dialect).unwrap_or_default()
    }

    /// How the run wants the CLI to be spoken to.
    pub fn mode(&self) -> Option<Mode> {
        self.mode.map(|word| match word {
            ModeWord::Rpc => Mode::Rpc,
            ModeWord::Json => Mode::Json,
        })
    }

    /// What they say about retries.
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
            "description": "rpc (the default where the CLI has it) takes input, answers and a polite stop while the run goes on; json only reports",
        },
        "systemMode": start_run::system_mode_schema("the CLI's"),
        "maxRetries": {
            "type": "integer", "minimum": 0, "default": DEFAULT_MAX_RETRIES,
            "description": "how often the CLI may try a failed request again",
        },
        "maxRetryWaitMs": {
            "type": "integer", "minimum": 0, "default": DEFAULT_MAX_RETRY_WAIT_MS,
            "description": "how long the announced waits may be in all before the run fails; ten minutes when maxRetries is set",
        },
    }))
}
