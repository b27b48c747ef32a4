//! The Agent Client Protocol (version 1), client side, as a pure state machine: lines of the agent
//! in, events and lines for the agent out.
//!
//! An adapter whose CLI speaks ACP writes three values: the first line of stdin
//! ([`initialize_line`]), an [`Opening`] (which session, which settings, what to say) and a
//! [`Dialect`] (what this agent does differently). [`AcpMapper`] does the rest: request numbers,
//! opening or loading the session, prompts and queued input, permission requests, cancel, refusing
//! what the client does not offer, and the mapping of every `session/update` to events.
//!
//! Not here: processes, files, clocks. What the client does not offer to the agent (its file system,
//! terminals) is not declared, so the agent does it itself.
//!
//! Reading order: [`opening`] (what a run asks for), [`dialect`] (where agents differ), [`mapper`]
//! (the talk), then the rooms the mapper uses.

mod approvals;
mod dialect;
mod failure;
mod files;
mod mapper;
mod meter;
mod opening;
mod settings;
mod speech;
mod tools;
mod turns;
mod words;

pub use dialect::{Dialect, Stage};
pub use failure::classify;
pub use mapper::AcpMapper;
pub use meter::{Tokens, tokens_of};
pub use opening::{
    Opening, Setting, file_uri, initialize_line, inquiry_lines, mcp_servers, prompt_blocks,
};
pub use settings::{models_of, session_reply};
pub use tools::Call;
pub use words::{PromptResult, TokenUsage, ToolCall};

#[cfg(test)]
mod tests;
