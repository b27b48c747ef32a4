//! Parses `adapterOptions` of `opencode-http`.

use crate::options_schema;
use od_protocol::JsonObject;
use od_sdk::retries::RetryOptions;
use od_sdk::start_run::AdapterOptions;
use serde::Deserialize;
use serde_json::json;

/// `run/start.adapterOptions`.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct Options {
    /// A running server to attach to; without it the run starts its own.
    pub server_url: Option<String>,
    max_retries: Option<u32>,
    max_retry_wait_ms: Option<u64>,
}

impl AdapterOptions for Options {
    const ADAPTER_ID: &'static str = "opencode-http";
}

impl Options {
    /// The options of retries.
    pub fn retries(&self) -> RetryOptions {
        let Self { max_retries, max_retry_wait_ms, .. } = *self;
        RetryOptions { max_retries, max_retry_wait_ms }
    }
}

/// The JSON Schema of the options, for the manifest.
pub fn schema() -> JsonObject {
    options_schema(json!({
        "serverUrl": {
            "type": "string",
            "description": "attach to this server (http://host:port) instead of starting one; set its password as OPENCODE_SERVER_PASSWORD in the run's env",
        },
    }))
}
