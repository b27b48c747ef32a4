//! `od-host use`: sets the active agent.

use clap::Args;
use od_host::{ExitStatus, Host, HostError};

use crate::cli::print::print_remark;
use crate::cli::suggest::with_similar_agent;
use crate::cli::terminal::while_waiting;

const EXAMPLES: &str = "\
Examples:
  od-host use demo
  od-host run \"fix the test\"            runs the agent demo";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The agent
    #[arg(value_name = "AGENT")]
    agent: String,
}

pub(crate) async fn execute(arguments: &Arguments, host: &Host) -> Result<ExitStatus, HostError> {
    let chosen = host.set_active_agent(&arguments.agent);
    match while_waiting("detecting the agent", chosen).await {
        Ok(agent) => print_remark(format!("{} is now the active agent", agent.id)),
        Err(error) => return Err(with_similar_agent(host, &arguments.agent, error).await),
    }
    Ok(ExitStatus::Completed)
}
