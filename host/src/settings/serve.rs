//! `[serve]` of `settings.toml`: the address and limits of `od-host serve`.

use std::path::PathBuf;

use serde::de::{Error, Unexpected};
use serde::{Deserialize, Deserializer};

/// The address and limits of `od-host serve`. The command line overrides them.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct ServeSettings {
    /// The address to listen on.
    pub bind: String,
    /// Runs may only work inside these folders; empty means the user's home folder.
    pub roots: Vec<PathBuf>,
    /// Allowed origins of web pages, such as `http://localhost:5173`.
    pub allow_origins: Vec<String>,
    /// Further names allowed in the `Host` header, such as the name of a reverse proxy.
    pub allow_hosts: Vec<String>,
    /// The maximum size of a request.
    #[serde(deserialize_with = "above_zero")]
    pub max_request_bytes: u32,
    /// Calls of one client per second; 0 means unlimited.
    pub max_calls_per_second: u32,
    /// Concurrent connections.
    #[serde(deserialize_with = "above_zero")]
    pub max_connections: u32,
    /// Runs that one connection may attach to at the same time, and as many that it may wait for.
    #[serde(deserialize_with = "above_zero")]
    pub max_subscriptions: u32,
}

impl Default for ServeSettings {
    fn default() -> Self {
        Self {
            bind: "127.0.0.1:7456".to_owned(),
            roots: Vec::new(),
            allow_origins: Vec::new(),
            allow_hosts: Vec::new(),
            max_request_bytes: 16 * 1024 * 1024,
            max_calls_per_second: 500,
            max_connections: 512,
            max_subscriptions: 256,
        }
    }
}

/// A limit of zero would reject every client.
fn above_zero<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    match u32::deserialize(deserializer)? {
        0 => Err(D::Error::invalid_value(Unexpected::Unsigned(0), &"a nonzero u32")),
        number => Ok(number),
    }
}
