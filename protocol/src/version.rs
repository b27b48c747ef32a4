//! Protocol majors and how two sides agree on one.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The one major this crate speaks.
pub const PROTOCOL_MAJOR: u32 = 1;

/// The revision of the specification text these types follow. Informative, never compared.
pub const PROTOCOL_REVISION: &str = "2026-11-16";

/// The longest line either side may send, unless the host announces another limit.
pub const MAX_LINE_BYTES: u64 = 16 * 1024 * 1024;

/// The majors one side speaks. Minors exist only as capabilities.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProtocolRange {
    /// The lowest major.
    pub min: u32,
    /// The highest major, at least `min`.
    pub max: u32,
    /// The revision of the specification, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revision: Option<String>,
}

impl ProtocolRange {
    /// What this crate speaks.
    pub fn current() -> Self {
        Self {
            min: PROTOCOL_MAJOR,
            max: PROTOCOL_MAJOR,
            revision: Some(PROTOCOL_REVISION.to_owned()),
        }
    }

    /// The highest major both sides speak.
    pub fn highest_common(&self, other: &Self) -> Option<u32> {
        let (low, high) = (self.min.max(other.min), self.max.min(other.max));
        (low <= high).then_some(high)
    }
}
