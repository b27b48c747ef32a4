//! OpenCode as two OD adapters: [`opencode`] drives its commands (`opencode run`, `opencode acp`),
//! [`http`] drives its HTTP server. The modules at the top level hold what both share.
//!
//! An OpenCode session consists of messages and a message consists of parts (text, reasoning, tool,
//! start and end of a step). The same part objects arrive as lines of `opencode run`, as events of
//! the server and in an exported session, so one [`PartMapper`] maps them all.
//!
//! Reading order: [`native`] (OpenCode's types), [`PartMapper`], [`failure`], [`RetryBudget`],
//! [`auth`], [`permission_rules`], [`models`], [`sessions`].
#![deny(clippy::print_stdout)]

pub mod http;
pub mod opencode;

pub mod auth;
pub mod failure;
mod file_changes;
mod log_line;
pub mod manifest;
mod messages;
pub mod models;
pub mod native;
mod part_mapper;
pub mod permission_rules;
mod requested_options;
mod retry_budget;
pub mod sessions;
mod tool_names;
mod tools;
mod usage;

pub use file_changes::file_changes;
pub use http::OpenCodeHttp;
pub use log_line::LogLine;
pub use opencode::OpenCode;
pub use part_mapper::{Finish, PartMapper};
pub use requested_options::check_requested_options;
pub use retry_budget::{FailedAttempt, RetryBudget, options_schema};
