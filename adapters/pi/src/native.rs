//! The words of `--mode json` and `--mode rpc`, as far as they are used. Nothing here decides
//! anything: fields that are not named are ignored, missing ones have a default.

mod message;
mod record;

pub use message::*;
pub use record::*;
