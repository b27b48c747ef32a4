//! The suite as a process: its verdicts, exit codes and reports; and what hostile plugins and
//! broken packs do to it.

mod acp;
mod bad_plugins;
mod baseline;
mod damage;
#[cfg(unix)]
mod drift;
mod examples;
mod fixtures;
mod model_answers;
mod model_client;
mod model_faults;
mod model_format;
mod model_server;
mod model_tools;
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
mod tutorial;
mod verdicts;
