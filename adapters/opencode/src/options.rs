//! `adapterOptions`: what only this adapter can do. Parsed here, decided elsewhere.

use od_protocol::JsonObject;
use od_sdk::parts::options_schema;
use od_sdk::retries::RetryOptions;
use od_sdk::start_run::AdapterOptions;
use serde::Deserialize;
use serde_json::json;

use crate::mode::Mode;

/// `run/start.adapterOptions`.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct Options {
    /// The way to drive OpenCode; absent means that the run's other wishes decide.
    pub mode: Option<Mode>,
    max_retries: Option<u32>,
    max_retry_wait_ms: Option<u64>,
}

impl AdapterOptions for Options {
    const ADAPTER_ID: &'static str = "opencode";
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
        "mode": {
            "enum": ["json", "acp"],
            "description": "drive `opencode run --format json` or `opencode acp`; without it acp where approvals are answered or MCP servers are given, else json",
        },
    }))
}
