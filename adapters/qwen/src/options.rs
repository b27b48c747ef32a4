//! `adapterOptions` of this adapter: parsed here, applied elsewhere.

use std::time::Duration;

use od_protocol::JsonObject;
use od_sdk::start_run::{self, AdapterOptions, SystemMode};
use serde::Deserialize;
use serde_json::json;

/// Default limit on the model's silence: longer than any first token, far shorter than the half
/// hour in which Qwen Code retries a refused request without output (recording `rate-full`).
const DEFAULT_MAX_SILENCE_MS: u64 = 120_000;

/// `run/start.adapterOptions`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct Options {
    /// Whether a system prompt extends or replaces the CLI's own.
    pub system_mode: SystemMode,
    max_silence_ms: Option<u64>,
}

impl AdapterOptions for Options {
    const ADAPTER_ID: &'static str = "qwen";
}

impl Options {
    /// The limit on the model's silence; `None` means no limit.
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
            "description": "limit on the model's silence in milliseconds; the run then fails as rate limited, because Qwen Code retries without output; 0 means no limit",
        },
    }))
}
