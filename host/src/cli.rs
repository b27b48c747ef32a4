//! The command line: one file per command, pure renderers, and shared helpers. Only parsing and output live here; the
//! library does the rest.

mod arguments;
mod entry;

mod agents;
mod attach;
mod cancel;
mod capabilities;
mod completions;
mod doctor;
mod input;
mod models;
mod replay;
mod run;
mod runs;
mod serve;
mod usage;
mod use_agent;

mod follow;
mod render;
mod signals;
mod terminal;

mod format;
mod labels;
mod print;
mod suggest;

pub(crate) use entry::main;
