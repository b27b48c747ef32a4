//! `quota/get`.

use serde::{Deserialize, Serialize};

/// Parameters of `quota/get`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GetQuotaParams {}
