//! Line types of `codex app-server` and `codex exec --json`. Unknown fields are ignored, missing ones
//! have a default.

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
