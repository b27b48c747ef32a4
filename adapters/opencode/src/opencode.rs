//! OpenCode driven by its commands: `opencode run --format json` and `opencode acp`.
//!
//! Reading order: [`manifest`], [`mode`] (selects the command), [`invocation`], [`native`] and
//! [`events`] (lines of `opencode run`), [`acp_dialect`] (where OpenCode differs from plain ACP),
//! [`retries`] (read from the log on stderr).

pub mod acp_dialect;
mod adapter;
pub mod events;
pub mod invocation;
pub mod manifest;
pub mod mode;
pub mod native;
pub mod options;
pub mod retries;

pub use adapter::OpenCode;
