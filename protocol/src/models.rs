//! Models and efforts.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::wire_enum::wire_enum;

wire_enum! {
    /// How hard a model shall think, the same words for every agent. An unknown word is medium.
    pub enum Effort, unknown => Medium {
        /// Little.
        Low = "low",
        /// The usual.
        Medium = "medium",
        /// Much.
        High = "high",
        /// As much as the model can.
        Max = "max",
    }
}

wire_enum! {
    /// Where a list of models comes from. An unknown word is read as static.
    pub enum ModelsSource, unknown => Static {
        /// The agent CLI was asked.
        Live = "live",
        /// The adapter's own list.
        Static = "static",
    }
}

/// One model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Model {
    /// What `run/start.model` takes.
    pub id: String,
    /// A name for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Used when a run names none.
    #[serde(default)]
    pub default: bool,
    /// In tokens; absent means not stated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_window: Option<u64>,
    /// The efforts it takes; absent means not stated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub efforts: Option<Vec<Effort>>,
}

/// Parameters of `models/list`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ListModelsParams {}

/// Result of `models/list`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ListModelsResult {
    /// The models; ids are unique.
    pub models: Vec<Model>,
    /// The one the agent CLI is set to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub current: Option<String>,
    /// Where the list comes from.
    pub source: ModelsSource,
}
