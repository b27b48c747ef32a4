//! The OD adapter protocol (ODAP), version 1: every message between a host and an `od-adapter-*` executable
//! ([`adapter`]), and between a client and the host ([`api`]), as Rust types.
//!
//! The crate contains types, their JSON form, their JSON Schema (feature `schema`) and the JSON-RPC codec
//! ([`Message`]). It does no I/O and knows no clock, process or runtime. `protocol/README.md` is the specification;
//! `schemas/v1/` is the generated machine-readable form.
//!
//! Reading order: [`Event`] (adapter to host), [`adapter`] (the methods a host calls on an adapter), [`Manifest`],
//! [`ErrorKind`], then [`api`] (the methods a client calls on the host).

mod wire_enum;

pub mod adapter;
pub mod api;
pub mod environment;

mod approval;
mod capabilities;
mod detection;
mod error;
mod event;
mod manifest;
mod message;
mod methods;
mod model;
mod quota;
mod session;
mod task;
mod usage;
mod version;

pub use approval::*;
pub use capabilities::*;
pub use detection::*;
pub use error::*;
pub use event::*;
pub use manifest::*;
pub use message::*;
pub use methods::{Call, Method};
pub use model::*;
pub use quota::*;
pub use session::*;
pub use task::{
    ImageInput, InputOutcome, McpServer, McpTransport, NetworkMode, Policy, Prompt, SessionChoice,
    SessionMode, TaskSpec, Timeouts,
};
pub use usage::*;
pub use version::*;

/// Custom data under `_meta`. Its names start with `_` or belong to a vendor.
pub type Meta = serde_json::Map<String, serde_json::Value>;

/// An object whose shape the protocol does not define: tool input, configuration, adapter options.
pub type JsonObject = serde_json::Map<String, serde_json::Value>;
