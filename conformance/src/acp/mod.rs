//! Judging any agent that speaks the Agent Client Protocol, version 1, over stdio: no adapter, no
//! fixture pack.
//!
//! Reading order: `command` (what was typed about the agent), `suite` (what all benches share),
//! `bench` (what a check holds), `agent` (the suite's client of one agent process), `inbox` and
//! `watch` (sorting what it says, rules over every line), `turn` (one prompt and all that comes of
//! it), `client` (what a client answers), `cases` (the checks), `judge` (running them),
//! `reference` (the suite's own agent, right or wrong on purpose).

mod agent;
mod bench;
mod cases;
mod client;
mod command;
mod inbox;
mod judge;
mod kinds;
mod reference;
mod suite;
mod turn;
mod watch;

pub use agent::{Agent, Reply, RpcError};
pub use bench::AgentBench;
pub use cases::checks;
pub use command::AgentCommand;
pub use judge::judge_agent;
pub use reference::{
    AGENT_EXECUTABLE, AGENT_MUTANTS, AgentFault, AgentMutant, MODEL_VARIABLE, become_agent,
};
pub use suite::{AgentOpenError, AgentOptions, AgentSuite, open_agent};
