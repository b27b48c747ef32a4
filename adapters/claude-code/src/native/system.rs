//! `system` lines and the state of limits.

use od_sdk::stream_json;
use serde::Deserialize;

/// `system/init`: what all have, and what Claude Code adds.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Init {
    /// What all have.
    #[serde(flatten)]
    pub common: stream_json::Init,
    /// The mode.
    #[serde(rename = "permissionMode")]
    pub permission_mode: Option<String>,
    /// Names of the skills.
    pub skills: Vec<String>,
    /// Plugins.
    pub plugins: Vec<Plugin>,
}

/// A plugin that was loaded.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Plugin {
    /// Its name.
    pub name: String,
    /// `name@marketplace`, or `name@inline` for `--plugin-dir`.
    pub source: Option<String>,
}

/// Every other `system` line: few fields each, none of them in conflict.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct SystemLine {
    /// `status`: what it does now; null when only something else changed.
    pub status: Option<String>,
    /// `status`: the new mode.
    #[serde(rename = "permissionMode")]
    pub permission_mode: Option<String>,
    /// `session_state_changed`: `running`, `idle`, `requires_action`.
    pub state: Option<String>,
    /// `api_retry`: which one, from 1.
    pub attempt: u32,
    /// `api_retry`: how many at most.
    pub max_retries: Option<u32>,
    /// `api_retry`: how long until then.
    pub retry_delay_ms: Option<f64>,
    /// `api_retry`: the HTTP status; null when no answer came.
    pub error_status: Option<u16>,
    /// `api_retry`: the same words as in `assistant.error`.
    pub error: Option<String>,
    /// `task_*`: names the task.
    pub task_id: String,
    /// `task_*`: the call that started it.
    pub tool_use_id: Option<String>,
    /// `task_started`: what it is for.
    pub description: Option<String>,
    /// `task_started`: `local_agent`, `local_bash`, ….
    pub task_type: Option<String>,
    /// `compact_boundary`.
    pub compact_metadata: Option<CompactMetadata>,
    /// `hook_*`.
    pub hook_name: Option<String>,
    /// `hook_response`.
    pub exit_code: Option<i32>,
    /// `hook_response`.
    pub stderr: Option<String>,
}

/// What a compaction did.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct CompactMetadata {
    /// Tokens afterwards.
    pub post_tokens: Option<u64>,
    /// Tokens before.
    pub pre_tokens: Option<u64>,
}

/// A line of type `rate_limit_event`: only with a subscription, never with an API key.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct RateLimitLine {
    /// What it says.
    pub rate_limit_info: RateLimitInfo,
}

/// The state of one window of the subscription.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct RateLimitInfo {
    /// `allowed`, `allowed_warning`, `rejected`.
    pub status: String,
    /// In seconds since 1970.
    pub resets_at: Option<u64>,
    /// `five_hour`, `seven_day`, ….
    pub rate_limit_type: Option<String>,
    /// From 0 to 1.
    pub utilization: Option<f64>,
}
