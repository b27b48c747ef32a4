//! Models and reasoning efforts.

use serde::{Deserialize, Serialize};

use crate::wire_enum::wire_enum;

wire_enum! {
    /// The reasoning effort, with the same values for every agent. An unknown value means medium.
    pub enum Effort, unknown => Medium {
        /// Low effort.
        Low = "low",
        /// Medium effort.
        Medium = "medium",
        /// High effort.
        High = "high",
        /// The highest effort of the model.
        Max = "max",
    }
}

wire_enum! {
    /// The source of a list of models. An unknown value means static.
    pub enum ModelsSource, unknown => Static {
        /// Queried from the agent CLI.
        Live = "live",
        /// A list in the adapter.
        Static = "static",
    }
}

/// One model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Model {
    /// The model id, as used by `run/start.model`.
    pub id: String,
    /// The name for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Used when a run names no model.
    #[serde(default)]
    pub default: bool,
    /// The context window in tokens; absent means not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_window: Option<u64>,
    /// The efforts that the model supports; absent means not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub efforts: Option<Vec<Effort>>,
}
