//! The suite's own agent: right, or wrong in exactly one way that its command names. It proves that
//! each check of an agent can pass and can fail.
//!
//! The executable of the suite becomes this agent when its file is called `acp-reference-agent`;
//! the fault is named in a file `fault` beside it, or by `--fault NAME` when used by hand. It asks a
//! model over OpenAI chat completions at the address in `REFERENCE_MODEL_URL`, writes files (after
//! asking) and runs commands (without asking).

mod entry;
mod fault;
mod lines;
mod model;
mod output;
mod permission;
mod requests;
mod serve;
mod session;
mod stop;
mod table;
mod tools;
mod turn;

pub use entry::{AGENT_EXECUTABLE, MODEL_VARIABLE, become_agent};
pub use fault::AgentFault;
pub use table::{AGENT_MUTANTS, AgentMutant};
