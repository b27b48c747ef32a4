//! The wire format of `pi` and its forks: JSON lines of an agent's session, read one way
//! (`--mode json`) or spoken both ways (`--mode rpc`). An adapter of such a CLI is a value: a
//! [`PiAdapter`] with its [`Dialect`] and its login. Everything that reads, maps or writes these
//! lines lives here.
//!
//! Reading order: [`adapter`] and [`dialect`] (what differs between the CLIs), [`invocation`] (how
//! one is started), [`native`] (its words), [`events`] (what they mean), [`commands`] (what we say
//! to it).

pub mod adapter;
pub mod commands;
pub mod credentials;
pub mod dialect;
pub mod events;
pub mod invocation;
pub mod models;
pub mod native;
pub mod options;
pub mod sessions;
pub mod testing;
mod words;

pub use adapter::PiAdapter;
pub use dialect::{ApprovalWords, Dialect, Mode};
pub use events::PiEvents;
