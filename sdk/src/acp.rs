//! The Agent Client Protocol (version 1), client side, as a pure state machine: lines of the agent
//! in, events and lines for the agent out.
//!
//! The adapter of an ACP agent provides three values: the first line of stdin
//! ([`initialize_line`]), a [`Handshake`] (session, settings and first prompt) and a [`Dialect`]
//! (where the agent differs). [`AcpMapper`] does the rest: request numbers,
//! handshake or loading the session, prompts and queued input, permission requests, cancel, refusing
//! what the client does not offer, and the mapping of every `session/update` to events.
//!
//! Never does I/O and has no clock. The client does not declare file system or terminals, so the
//! agent uses its own.
//!
//! Reading order: [`Handshake`], [`Dialect`], [`AcpMapper`], then the modules that the mapper uses.

mod approvals;
mod dialect;
mod failure;
mod files;
mod handshake;
mod mapper;
mod messages;
mod native;
mod settings;
mod tools;
mod turns;
mod usage;

pub use dialect::{Dialect, Stage};
pub use failure::classify;
pub use handshake::{
    Handshake, Setting, file_uri, initialize_line, mcp_servers, prompt_blocks, session_query_lines,
};
pub use mapper::AcpMapper;
pub use native::{PromptResult, TokenUsage, ToolCall};
pub use settings::{models_of, session_reply};
pub use tools::Call;
pub use usage::tokens_of;

#[cfg(test)]
mod tests;
