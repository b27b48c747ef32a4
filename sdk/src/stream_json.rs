//! The wire format `stream-json`: one JSON object a line, both ways, with the model's own stream
//! inside and a control protocol around it. Claude Code invented it, others took it over; what an
//! agent CLI adds of its own is its adapter's.
//!
//! Words are read leniently: fields that are not named are ignored, missing ones have a default.

mod approvals;
mod blocks;
mod calls;
pub mod control;
mod init;
mod message;
mod request;
mod stream;
mod tokens;

use std::borrow::Cow;

use serde::Deserialize;

pub use approvals::{Approvals, Question};
pub use blocks::BlockStream;
pub use calls::*;
pub use init::*;
pub use message::*;
pub use request::*;
pub use stream::*;
pub use tokens::Tokens;

/// What every line has.
#[derive(Debug, Deserialize)]
pub struct Head<'a> {
    /// `system`, `assistant`, `user`, `stream_event`, `result`, `control_request`, ….
    #[serde(rename = "type", borrow)]
    pub kind: Cow<'a, str>,
    /// With `system`: which.
    #[serde(default)]
    pub subtype: Option<String>,
}

impl Head<'_> {
    /// What kind of line it is, for `unmapped`.
    pub fn native_type(&self) -> String {
        match &self.subtype {
            Some(subtype) => format!("{}/{subtype}", self.kind),
            None => self.kind.to_string(),
        }
    }
}

/// Lines of the model's stream start like this; they are read in one pass.
pub const STREAM_EVENT_START: &[u8] = br#"{"type":"stream_event""#;
