//! `adapterOptions`: what only this adapter can do. Parsed here, decided elsewhere.

use od_protocol::{ErrorObject, JsonObject};
use od_sdk::parts::RetryOptions;
use od_sdk::start_run;
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

impl Options {
    /// Reads the options of a run.
    ///
    /// # Errors
    /// `config_invalid` for an unknown name or a value of the wrong type.
    pub fn strict(options: &JsonObject) -> Result<Self, ErrorObject> {
        start_run::options(options, "opencode")
    }

    /// Reads options that were checked before; what is wrong counts as absent.
    pub fn lenient(options: &JsonObject) -> Self {
        Self::strict(options).unwrap_or_default()
    }

    /// What they say about retries.
    pub fn retries(&self) -> RetryOptions {
        let Self { max_retries, max_retry_wait_ms, .. } = *self;
        RetryOptions { max_retries, max_retry_wait_ms }
    }
}

/// The JSON Schema of the options, for the manifest.
pub fn schema() -> JsonObject {
    RetryOptions::schema(json!({
        "mode": {
            "enum": ["json", "acp"],
            "description": "drive `opencode run --format json` or `opencode acp`; without it acp where approvals are answered or MCP servers are given, else json",
        },
    }))
}
