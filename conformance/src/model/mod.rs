//! The fake model: a server on loopback that speaks the wire formats of the model vendors, so that
//! a real agent CLI can be driven without an account and without leaving the machine.
//!
//! Reading order: `scenario` (what it can play), `prompt` (how a prompt chooses), `request`
//! (what a request says, whatever its wire), `tools` and `arguments` (calls made from the
//! request's own tool schemas), `answer` (what is to be said), `failure` (what can be
//! refused), `decide` (request in, answer or failure out), `reply` (bytes and pauses), `wire`
//! (one file per vendor format), `route` (addresses), `catalogue` (what needs no model), `record`,
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
