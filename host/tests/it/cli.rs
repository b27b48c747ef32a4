//! Tests of the binary `od-host`: real processes in scratch homes.

mod active_run;
mod agents;
mod arguments;
pub(crate) mod collector;
mod render;
mod run;
pub(crate) mod scratch;
mod telemetry;
mod usage;
