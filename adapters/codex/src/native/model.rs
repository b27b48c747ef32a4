//! Models and their effort levels.

use serde::Deserialize;

/// The reply to `model/list`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct ModelList {
    /// The models, the best first.
    pub data: Vec<ModelEntry>,
}

/// One model.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct ModelEntry {
    /// The id for `thread/start`.
    pub model: String,
    /// The display name.
    pub display_name: Option<String>,
    /// Whether the model is not offered to users.
    pub hidden: bool,
    /// Whether this is the default model.
    pub is_default: bool,
    /// The effort levels, the lowest first.
    pub supported_reasoning_efforts: Vec<EffortEntry>,
}

/// An effort level.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct EffortEntry {
    /// `low`, `medium`, `high`, `xhigh`, `max`, ….
    pub reasoning_effort: String,
}
