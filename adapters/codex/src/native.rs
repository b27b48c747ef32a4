//! The words of `codex app-server` and of `codex exec --json`, as far as they are used. Nothing here
//! decides anything: fields that are not named are ignored, missing ones have a default.

mod approval;
mod error;
mod exec;
mod item;
mod limits;
mod model;
mod thread;
mod usage;

pub use approval::*;
pub use error::*;
pub use exec::*;
pub use item::*;
pub use limits::*;
pub use model::*;
pub use thread::*;
pub use usage::*;
