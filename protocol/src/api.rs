//! The host's API: what an app says to `od-host serve`, over WebSocket, HTTP or a pipe, as Rust types.
//!
//! What lives here: types, their JSON form, the table of methods. What does not: the server (`host/src/serve`)
//! and what the methods do (`host/src/service`). The messages between host and adapter are the
//! other modules of this crate; where the two sides mean the same thing they share the type.
//!
//! Reading order for a newcomer: [`methods`] (what can be asked), [`runs`], [`agents`], then the rest.

pub mod adapters;
pub mod agents;
pub mod errors;
pub mod fallback;
pub mod host;
pub mod methods;
pub mod result;
pub mod runs;
pub mod sessions;
pub mod usage;

pub use adapters::*;
pub use agents::*;
pub use errors::*;
pub use fallback::*;
pub use host::*;
pub use methods::*;
pub use result::*;
pub use runs::*;
pub use sessions::*;
pub use usage::*;

/// The major of the API; it changes only when something is taken away or changes its meaning.
pub const API_MAJOR: u32 = 1;
