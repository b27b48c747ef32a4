//! `adapterOptions`: what only this adapter can do. Parsed here, decided elsewhere.

use od_protocol::JsonObject;
use od_sdk::parts::options_schema;
use od_sdk::retries::RetryOptions;
use od_sdk::start_run::AdapterOptions;
use serde::Deserialize;
use serde_json::json;

/// `run/start.adapterOptions`.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct Options {
    /// A server that runs already; absent means that the run starts one of its own.
    pub server_url: Option<String>,
    max_retries: Option<u32>,
    max_retry_wait_ms: Option<u64>,
}

impl AdapterOptions for Options {
    const ADAPTER_ID: &'static str = "opencode-http";
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
    options_schema(json!({
        "serverUrl": {
            "type": "string",
            "description": "attach to this server (http://host:port) instead of starting one; its password is OPENCODE_SERVER_PASSWORD of the run's env",
        },
    }))
}
