//! `adapterOptions` of this adapter: parsed here, applied elsewhere.

use od_protocol::JsonObject;
use od_sdk::start_run::{self, AdapterOptions};
use serde::Deserialize;
use serde_json::json;

/// Default for `maxRetries`.
const DEFAULT_MAX_RETRIES: u32 = 2;

/// `run/start.adapterOptions`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct Options {
    max_retries: Option<u32>,
}

impl AdapterOptions for Options {
    const ADAPTER_ID: &'static str = "copilot";
}

impl Options {
    /// How often the CLI may retry after a rate limit.
    pub fn max_retries(&self) -> u32 {
        self.max_retries.unwrap_or(DEFAULT_MAX_RETRIES)
    }
}

/// The JSON Schema of the options, for the manifest.
pub fn schema() -> JsonObject {
    start_run::schema(json!({
        "maxRetries": {
            "type": "integer", "minimum": 0, "default": DEFAULT_MAX_RETRIES,
            "description": "how often Copilot may retry after a rate limit before the run fails; Copilot itself retries five times",
        },
    }))
}
