//! The binary `od-host` as a person or a script meets it: real processes, scratch homes.

mod agents;
mod arguments;
pub(crate) mod collector;
mod live;
mod render;
mod run;
pub(crate) mod scratch;
mod telemetry;
mod usage;
