//! `adapterOptions`: what only this adapter can do. Parsed here, decided elsewhere.

use std::time::Duration;

use od_protocol::JsonObject;
use od_sdk::start_run::{self, AdapterOptions, SystemMode};
use serde::Deserialize;
use serde_json::json;

/// How long the model may be silent: longer than any first token, far shorter than the half hour
/// in which Qwen Code tries a refused request again without a word (recording `rate-full`).
const DEFAULT_MAX_SILENCE_MS: u64 = 120_000;

/// `run/start.adapterOptions`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct Options {
    /// What becomes of the CLI's own system prompt.
    pub system_mode: SystemMode,
    max_silence_ms: Option<u64>,
}

impl AdapterOptions for Options {
    const ADAPTER_ID: &'static str = "qwen";
}

impl Options {
    /// How long the model may be silent; `None` means for ever.
    pub fn max_silence(&self) -> Option<Duration> {
        match self.max_silence_ms.unwrap_or(DEFAULT_MAX_SILENCE_MS) {
            0 => None,
            millis => Some(Duration::from_millis(millis)),
        }
    }
}

/// The JSON Schema of the options, for the manifest.
pub fn schema() -> JsonObject {
    start_run::schema(json!({
        "systemMode": start_run::system_mode_schema("Qwen Code's"),
        "maxSilenceMs": {
            "type": "integer", "minimum": 0, "default": DEFAULT_MAX_SILENCE_MS,
            "description": "how long the model may be silent before the run fails as rate limited, because Qwen Code retries in silence; 0 means for ever",
        },
    }))
}
