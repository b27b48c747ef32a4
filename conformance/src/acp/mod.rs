//! Checks any agent that implements the Agent Client Protocol, version 1, over stdio, without an
//! adapter or a fixture pack.
//!
//! Reading order: `command` (the agent under test), `suite` (the data that all contexts share),
//! `context` (what a check works with), `agent` (the suite's client of one agent process), `inbox`
//! and `invariants` (sorting received lines, rules for every line), `turn` (one prompt and its
//! updates), `client` (responses to the agent's requests), `checks`, `runner`, `reference` (the
//! suite's own agent, correct or with one fault).

mod agent;
mod checks;
mod client;
mod command;
mod context;
mod inbox;
mod invariants;
mod reference;
mod runner;
mod schema;
mod suite;
mod turn;

pub use agent::{Agent, Reply, RpcError};
pub use checks::checks;
pub use command::AgentCommand;
pub use context::AgentContext;
pub use reference::{
    AGENT_EXECUTABLE, AGENT_MUTANTS, AgentFault, AgentMutant, MODEL_VARIABLE, become_agent,
};
pub use runner::run_agent_checks;
pub use suite::{AgentOpenError, AgentOptions, AgentSuite, open_agent};
