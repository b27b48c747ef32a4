//! Agents: what each adapter detects on this machine, which agent a run without a name gets, and calls to an adapter
//! outside runs.
//!
//! Reading order: [`Agent`] (one adapter and what it detected), [`Readiness`] (can it run, what is missing), `registry`
//! (all agents of a host), `detection` (when adapters are asked), `cache` and `fingerprint` (how long a result is
//! valid), `auto` and `active` (the default agent), `connections` (calls outside runs), [`features`] (what an app can
//! offer with an agent).

mod active;
mod agent;
mod auto;
pub(crate) mod cache;
mod connections;
mod detection;
pub mod features;
mod fingerprint;
mod readiness;
mod registry;

pub use agent::{Agent, AgentList, Refresh};
pub use readiness::{Readiness, install_methods};
pub(crate) use registry::Agents;
