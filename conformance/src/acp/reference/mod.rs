//! The suite's own agent: correct, or with exactly one fault. It proves that each check of an agent
//! can pass and can fail.
//!
//! The suite's executable runs as this agent if its file name is `acp-reference-agent`; the fault
//! is named in a file `fault` next to it, or by `--fault NAME`. It uses a model over the chat
//! completions format at the address in `REFERENCE_MODEL_URL`, writes files (with permission) and
//! runs commands (without).

mod cancel;
mod entry;
mod fault;
mod lines;
mod model;
mod output;
mod permission;
mod requests;
mod serve;
mod session;
mod table;
mod tools;
mod turn;

pub use entry::{AGENT_EXECUTABLE, MODEL_VARIABLE, become_agent};
pub use fault::AgentFault;
pub use table::{AGENT_MUTANTS, AgentMutant};
