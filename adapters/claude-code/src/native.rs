//! The words of `claude --output-format stream-json`, as far as they are used. Nothing here
//! decides anything: fields that are not named are ignored, missing ones have a default.

mod control;
mod message;
mod report;
mod result;
mod stream;
mod system;

use std::borrow::Cow;

use serde::Deserialize;

pub use control::*;
pub use message::*;
pub use report::*;
pub use result::*;
pub use stream::*;
pub use system::*;

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
