//! `system` and `rate_limit_event` lines.

use od_sdk::stream_json;
use serde::Deserialize;

/// `system/init`: the shared fields, and those of Claude Code.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Init {
    /// The shared fields.
    #[serde(flatten)]
    pub common: stream_json::Init,
    /// The permission mode.
    #[serde(rename = "permissionMode")]
    pub permission_mode: Option<String>,
    /// Names of the skills.
    pub skills: Vec<String>,
    /// The loaded plugins.
    pub plugins: Vec<Plugin>,
}

/// A loaded plugin.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Plugin {
    /// Its name.
    pub name: String,
    /// `name@marketplace`, or `name@inline` for `--plugin-dir`.
    pub source: Option<String>,
}

/// Every other `system` line. Each has few fields, and no name has two types.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct SystemLine {
    /// `status`: the current phase; null if only another field changed.
    pub status: Option<String>,
    /// `status`: the new permission mode.
    #[serde(rename = "permissionMode")]
    pub permission_mode: Option<String>,
    /// `session_state_changed`: `running`, `idle`, `requires_action`.
    pub state: Option<String>,
    /// `api_retry`: the number of the retry, from 1.
    pub attempt: u32,
    /// `api_retry`: the maximum number of retries.
    pub max_retries: Option<u32>,
    /// `api_retry`: the wait before the retry.
    pub retry_delay_ms: Option<f64>,
    /// `api_retry`: the HTTP status; null if the provider did not reply.
    pub error_status: Option<u16>,
    /// `api_retry`: one of the codes of `assistant.error`.
    pub error: Option<String>,
    /// `task_*`: the id of the task.
    pub task_id: String,
    /// `task_*`: the call that started it.
    pub tool_use_id: Option<String>,
    /// `task_started`: the description of the task.
    pub description: Option<String>,
    /// `task_started`: `local_agent`, `local_bash`, ….
    pub task_type: Option<String>,
    /// `compact_boundary`.
    pub compact_metadata: Option<CompactMetadata>,
    /// `hook_*`.
    pub hook_name: Option<String>,
    /// `hook_response`.
    pub exit_code: Option<i32>,
}

/// The result of a compaction.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct CompactMetadata {
    /// Tokens after it.
    pub post_tokens: Option<u64>,
}

/// A line of type `rate_limit_event`: with a subscription only, never with an API key.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct RateLimitLine {
    /// The state of one window.
    pub rate_limit_info: RateLimitInfo,
}

/// The state of one rate limit window of the subscription.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct RateLimitInfo {
    /// `allowed`, `allowed_warning`, `rejected`.
    pub status: String,
    /// Seconds since 1970.
    pub resets_at: Option<u64>,
    /// `five_hour`, `seven_day`, ….
    pub rate_limit_type: Option<String>,
    /// From 0 to 1.
    pub utilization: Option<f64>,
}
