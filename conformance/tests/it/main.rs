//! The suite as a process: results, exit codes and reports, also for hostile adapters and broken
//! packs.

mod acp;
mod baseline;
mod damaged_output;
#[cfg(unix)]
mod drift;
mod fake_cli_http;
#[cfg(unix)]
mod fake_cli_terminal;
mod fixtures;
mod generated_faults;
mod hostile_adapters;
mod model_answers;
mod model_client;
mod model_faults;
mod model_format;
mod model_server;
mod model_tools;
mod new;
mod packs;
#[cfg(unix)]
mod real;
mod real_all;
#[cfg(unix)]
mod record;
mod reports;
mod requirements;
mod results;
mod right_adapters;
mod support;
mod tap_and_html;
mod traceability;
mod transports;
mod tutorial;
