//! Parses `adapterOptions` of `opencode`.

use crate::options_schema;
use od_protocol::JsonObject;
use od_sdk::retries::RetryOptions;
use od_sdk::start_run::AdapterOptions;
use serde::Deserialize;
use serde_json::json;

use crate::opencode::mode::Mode;

/// `run/start.adapterOptions`.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct Options {
    /// The command to use; without it the other options of the run decide.
    pub mode: Option<Mode>,
    max_retries: Option<u32>,
    max_retry_wait_ms: Option<u64>,
}

impl AdapterOptions for Options {
    const ADAPTER_ID: &'static str = "opencode";
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
        "mode": {
            "enum": ["json", "acp"],
            "description": "use `opencode run --format json` or `opencode acp`; default: acp if the client answers approvals or MCP servers are given, else json",
        },
    }))
}
