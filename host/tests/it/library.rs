//! The library `od_host` against real adapter processes that are good or bad on request.

mod agents;
mod control;
mod discover;
mod doctor;
mod environment;
mod journal;
mod pending;
#[cfg(target_os = "linux")]
mod processes;
mod queue;
mod refusals;
mod run;
mod service_end;
mod service_runs;
pub(crate) mod stage;
mod telemetry;
mod usage;
