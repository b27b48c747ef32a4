//! The fake model: a server on loopback with the wire formats of the model providers, so that a real
//! agent CLI runs without an account and without network access.
//!
//! Reading order: `scenario` (what it can do), `prompt` (how a prompt selects it), `request` (a
//! request, independent of its format), `tools` and `arguments` (tool calls from the request's own
//! schemas), `answer`, `failure`, `decide` (request in, answer or failure out), `reply` (bytes and
//! pauses), `wire` (one file per format), `route` (addresses), `catalogue` (other replies), `record`,
//! `body`, `handle` and `server`. Everything before `record` is pure: no clock, no socket, no file.

mod answer;
mod arguments;
mod body;
mod catalogue;
mod decide;
mod failure;
mod handle;
mod prompt;
mod record;
mod reply;
mod request;
mod route;
mod scenario;
mod server;
mod tools;
mod wire;

pub use record::RecordedRequest;
pub use scenario::{SCENARIOS, Scenario, ScenarioEntry};
pub use server::{ModelError, ModelOptions, ModelServer};
pub use wire::Wire;
