//! The OD adapter protocol (ODAP), version 1: every message between a host and an `od-adapter-*`
//! executable, as Rust types.
//!
//! What lives here: types, their JSON form, their schema. What does not: I/O, clocks, processes,
//! runtimes. `README.md` beside this crate is the specification in words, `schemas/v1/` the
//! generated machine-readable form.
//!
//! Reading order for a newcomer: [`event`] (what goes up), [`run`] (what goes down),
//! [`manifest`], [`initialize`] and [`detect`] (what happens before), [`error`] (what goes wrong).

mod wire_enum;

pub mod api;

pub mod approval;
pub mod capabilities;
pub mod detect;
pub mod environment;
pub mod error;
pub mod event;
pub mod initialize;
pub mod manifest;
pub mod message;
pub mod methods;
pub mod models;
pub mod quota;
pub mod run;
pub mod session;
pub mod usage;
pub mod version;

pub use approval::*;
pub use capabilities::*;
pub use detect::*;
pub use error::*;
pub use event::*;
pub use initialize::*;
pub use manifest::*;
pub use message::*;
pub use methods::*;
pub use models::*;
pub use quota::*;
pub use run::*;
pub use session::*;
pub use usage::*;
pub use version::*;

/// Custom data under `_meta`. Names inside start with `_` or belong to a vendor.
pub type Meta = serde_json::Map<String, serde_json::Value>;

/// An object whose shape is not ours: tool input, configuration, adapter options.
pub type JsonObject = serde_json::Map<String, serde_json::Value>;
