//! `od-host use`: makes an agent the active one.

use clap::Args;
use od_host::{ExitStatus, Host, HostError};

use crate::cli::print::print_remark;
use crate::cli::suggest::with_nearest_agent;
use crate::cli::terminal::while_waiting;

const EXAMPLES: &str = "\
Examples:
  od-host use codex
  od-host run \"fix the test\"            runs codex from now on";

/// The arguments of `use`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The agent
    #[arg(value_name = "AGENT")]
    agent: String,
}

/// # Errors
/// When there is no such agent, or it cannot run: with what it needs.
pub(crate) async fn execute(arguments: &Arguments, host: &Host) -> Result<ExitStatus, HostError> {
    let chosen = host.set_active_agent(&arguments.agent);
    match while_waiting("looking at the agent", chosen).await {
        Ok(agent) => print_remark(format!("{} is the active agent now", agent.id)),
        Err(error) => return Err(with_nearest_agent(host, &arguments.agent, error).await),
    }
    Ok(ExitStatus::Completed)
}
