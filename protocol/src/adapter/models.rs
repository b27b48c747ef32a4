//! `models/list`.

use serde::{Deserialize, Serialize};

use crate::{Model, ModelsSource};

/// Parameters of `models/list`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ListModelsParams {}

/// Result of `models/list`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ListModelsResult {
    /// The models. Ids are unique.
    pub models: Vec<Model>,
    /// The model that the agent CLI is configured to use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub current: Option<String>,
    /// Where the list comes from.
    pub source: ModelsSource,
}
