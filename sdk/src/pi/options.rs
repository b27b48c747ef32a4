//! `adapterOptions` of every adapter of the family. Parsed here, decided elsewhere.

use od_protocol::{ErrorObject, JsonObject};
use serde::Deserialize;
use serde_json::json;

use super::{Dialect, Mode};
use crate::start_run;

/// How often the CLI may try a failed request again, unless the run says otherwise.
const DEFAULT_MAX_RETRIES: u32 = 2;
/// How long its announced waits may be in all: the first retry of two seconds fits, and a person is
/// told within three.
const DEFAULT_MAX_RETRY_WAIT_MS: u64 = 2_500;
/// The same, when the run asks for more retries and thereby for patience.
const PATIENT_MAX_RETRY_WAIT_MS: u64 = 600_000;

/// What becomes of the CLI's own system prompt.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SystemMode {
    /// The run's follows it.
    #[default]
    Append,
    /// The run's takes its place.
    Replace,
}

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
    start_run::schema(json!({
        "type": "object",
        "additionalProperties": false,
        "properties": {
            "mode": {
                "enum": ["rpc", "json"],
                "description": "rpc (the default where the CLI has it) takes input, answers and a polite stop while the run goes on; json only reports",
            },
            "systemMode": {
                "enum": ["append", "replace"],
                "default": "append",
                "description": "whether prompt.system follows the CLI's own system prompt or takes its place",
            },
            "maxRetries": {
                "type": "integer", "minimum": 0, "default": DEFAULT_MAX_RETRIES,
                "description": "how often the CLI may try a failed request again",
            },
            "maxRetryWaitMs": {
                "type": "integer", "minimum": 0, "default": DEFAULT_MAX_RETRY_WAIT_MS,
                "description": "how long the announced waits may be in all before the run fails; ten minutes when maxRetries is set",
            },
        },
    }))
}
