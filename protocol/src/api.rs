//! The host's API: the methods that a client calls on `od-host serve` over WebSocket, HTTP or stdio.
//!
//! [`METHODS`] is the table of methods. Types that the host–adapter contract uses too are at the crate root or, for
//! results that the host forwards, in [`crate::adapter`] and exported again here. The server is in `host/src/serve`,
//! the implementation in `host/src/service`.

mod adapters;
mod agents;
mod errors;
mod fallback;
mod host;
mod methods;
mod result;
mod runs;
mod sessions;
mod usage;

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

/// The major of the API. It changes only when something is removed or changes its meaning.
pub const API_MAJOR: u32 = 1;
