//! `od-host agents`: which agents work here, who would pay, and what the others need.

mod list;

use clap::Args;
use od_host::agents::{Agent, Refresh, Standing};
use od_host::{ExitStatus, Host, HostError};
use od_protocol::api::AgentStatus;
use serde_json::json;

use crate::cli::print::{print, print_json, print_remark, print_warning};
use crate::cli::terminal::{self, while_waiting};
use list::List;

const EXAMPLES: &str = "\
Examples:
  od-host agents
  od-host agents --refresh               look again instead of trusting yesterday's result
  od-host agents --json | jq -r '.agents[] | select(.ready) | .id'";

/// The arguments of `agents`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Print JSON for programs
    #[arg(long)]
    json: bool,
    /// Look again instead of trusting what was found within the last day
    #[arg(long)]
    refresh: bool,
}

/// # Errors
/// When stdout cannot be written.
pub(crate) async fn execute(arguments: &Arguments, host: &Host) -> Result<ExitStatus, HostError> {
    let refresh = if arguments.refresh { Refresh::Always } else { Refresh::WhenStale };
    let agents = while_waiting("looking at the agents", host.agents(refresh)).await;
    let (discovery, active) = (host.discover().await, host.active_agent());
    if arguments.json {
        print_json(&json!({
            "agents": statuses(&agents, active.as_deref()),
            "active": active,
            "rejected": discovery.rejected,
            "shadowed": discovery.shadowed,
        }))?;
        return Ok(ExitStatus::Completed);
    }
    let list = List { agents: &agents, discovery: &discovery, active: active.as_deref() };
    print(&list.text(terminal::columns()))?;
    advise(&agents);
    Ok(ExitStatus::Completed)
}

/// The rows that `agents/list` of the API has, too.
fn statuses(agents: &[Agent], active: Option<&str>) -> Vec<AgentStatus> {
    let status = |agent: &Agent| AgentStatus {
        active: active == Some(&agent.id),
        ..AgentStatus::from(agent)
    };
    agents.iter().map(status).collect()
}

fn advise(agents: &[Agent]) {
    let ready = agents.iter().find(|agent| agent.standing() == Standing::Ready);
    match ready {
        _ if agents.is_empty() => print_warning(
            "no adapter was found\n\
             put od-adapter-* executables on PATH, or name their folder with --adapter-dir",
        ),
        Some(agent) => print_remark(format!("\nstart one: od-host run -a {} \"…\"", agent.id)),
        None => print_remark("\nno agent is ready yet; the lines with → say what to do"),
    }
}
