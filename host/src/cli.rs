//! The command line: one file per command, renderers that are pure, and what they share.
//! Everything that is not about words on a terminal lives in the library.

mod arguments;
mod entry;

mod agents;
mod attach;
mod cancel;
mod capabilities;
mod choose;
mod completions;
mod doctor;
mod input;
mod models;
mod replay;
mod run;
mod runs;
mod serve;
mod usage;

mod follow;
mod render;
mod signals;
mod terminal;

mod format;
mod print;
mod suggest;
mod words;

pub(crate) use entry::main;
