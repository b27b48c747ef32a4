//! CAN: a chapter of checks.

use crate::case::Check;

/// The chapter's checks.
pub const CHECKS: &[Check] = &[];
