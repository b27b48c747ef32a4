//! The host–adapter contract: parameters and results of the methods that a host calls on an
//! `od-adapter-*` executable.
//!
//! Types that the client API uses too (events, errors, capabilities, …) are at the crate root.

mod detect;
mod initialize;
mod methods;
mod models;
mod quota;
mod run;
mod sessions;

pub use detect::*;
pub use initialize::*;
pub use methods::*;
pub use models::*;
pub use quota::*;
pub use run::*;
pub use sessions::*;
