//! The library `od_host` against real adapter processes that are good or bad on request.

mod active;
mod agents;
mod attempts;
mod buffered_events;
#[cfg(unix)]
mod connections;
mod control;
mod discover;
mod doctor;
mod endings;
mod environment;
mod features;
mod journal;
mod live_agents;
#[cfg(unix)]
mod login_path;
mod lost_session;
mod moves;
mod pending;
#[cfg(target_os = "linux")]
mod processes;
mod queue;
mod refusals;
mod result;
mod run;
mod service_done;
mod service_end;
mod service_keys;
mod service_runs;
mod settings;
pub(crate) mod stage;
mod stopped;
mod telemetry;
mod trust;
mod usage;
mod violations;
