//! The format `stream-json`: one JSON object per line in both directions, with the stream of the model
//! inside and a control protocol around it. Several agent CLIs use it; what one CLI adds belongs to
//! its adapter.
//!
//! Unknown fields are ignored, missing ones have a default.

mod approvals;
mod blocks;
mod calls;
pub mod control;
mod init;
mod message;
mod request;
mod stream;

use std::borrow::Cow;

use serde::Deserialize;

pub use approvals::{Approvals, Question};
pub use blocks::BlockStream;
pub use calls::*;
pub use init::*;
pub use message::*;
pub use request::*;
pub use stream::*;

/// The fields that every line has.
#[derive(Debug, Deserialize)]
pub struct Head<'a> {
    /// `system`, `assistant`, `user`, `stream_event`, `result`, `control_request`, ….
    #[serde(rename = "type", borrow)]
    pub kind: Cow<'a, str>,
    /// With `system`: its subtype.
    #[serde(default)]
    pub subtype: Option<String>,
}

impl Head<'_> {
    /// Returns the kind of the line for `unmapped`.
    pub fn native_type(&self) -> String {
        match &self.subtype {
            Some(subtype) => format!("{}/{subtype}", self.kind),
            None => self.kind.to_string(),
        }
    }
}

/// The first bytes of a line with the model's stream. Such lines are parsed in one pass.
pub const STREAM_EVENT_START: &[u8] = br#"{"type":"stream_event""#;
