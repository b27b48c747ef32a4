//! The suite as a process: its verdicts, exit codes and reports; and what hostile plugins and
//! broken packs do to it.

mod bad_plugins;
mod packs;
mod reports;
mod support;
mod verdicts;
