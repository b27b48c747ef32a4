//! Models and their efforts.

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
    /// What `thread/start` takes.
    pub model: String,
    /// For people.
    pub display_name: Option<String>,
    /// Not offered to people.
    pub hidden: bool,
    /// Used when nothing else is said.
    pub is_default: bool,
    /// The efforts it takes, the least first.
    pub supported_reasoning_efforts: Vec<EffortEntry>,
}

/// One effort.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct EffortEntry {
    /// `low`, `medium`, `high`, `xhigh`, `max`, ….
    pub reasoning_effort: String,
}
