//! The suite as a process: results, exit codes and reports, also for hostile adapters and broken
//! packs.

mod acp;
mod bad_plugins;
mod baseline;
mod damage;
#[cfg(unix)]
mod drift;
mod fixtures;
mod model_answers;
mod model_client;
mod model_faults;
mod model_format;
mod model_server;
mod model_tools;
mod new;
mod packs;
mod pages;
#[cfg(unix)]
mod real;
mod real_all;
#[cfg(unix)]
mod record;
mod reports;
mod requirements;
mod serving;
mod support;
#[cfg(unix)]
mod terminal;
mod transports;
mod tutorial;
mod verdicts;
