//! Types of the lines of `--mode json` and `--mode rpc`, with the fields that are used. Unknown fields
//! are ignored, missing ones have a default.

mod message;
mod record;

pub use message::*;
pub use record::*;
