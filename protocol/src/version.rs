//! Protocol majors and their negotiation.

use serde::{Deserialize, Serialize};

/// The protocol major that this crate supports.
pub const PROTOCOL_MAJOR: u32 = 1;

/// The revision of the specification that these types follow. Informative, never compared.
pub const PROTOCOL_REVISION: &str = "2026-11-18";

/// The most bytes of a line that either side may send, unless the host announces another limit.
pub const MAX_LINE_BYTES: u64 = 16 * 1024 * 1024;

/// The protocol majors that one side supports. Minor versions exist only as capabilities.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
    /// The majors that this crate supports.
    pub fn current() -> Self {
        Self {
            min: PROTOCOL_MAJOR,
            max: PROTOCOL_MAJOR,
            revision: Some(PROTOCOL_REVISION.to_owned()),
        }
    }

    /// The highest major that both sides support.
    ///
    /// ```
    /// use od_protocol::ProtocolRange;
    ///
    /// let host = ProtocolRange { min: 1, max: 3, revision: None };
    /// let adapter = ProtocolRange { min: 2, max: 5, revision: None };
    /// assert_eq!(host.highest_common(&adapter), Some(3));
    /// ```
    pub fn highest_common(&self, other: &Self) -> Option<u32> {
        let (low, high) = (self.min.max(other.min), self.max.min(other.max));
        (low <= high).then_some(high)
    }
}
