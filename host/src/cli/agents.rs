//! `od-host agents`: lists the agents, their logins and credentials, and what is missing.

mod list;

use clap::Args;
use od_host::agents::{Agent, Readiness, Refresh};
use od_host::{ExitStatus, Host, HostError};
use od_protocol::api::AgentStatus;
use serde_json::json;

use crate::cli::print::{print, print_json, print_remark, print_warning};
use crate::cli::terminal::{self, while_waiting};
use list::List;

const EXAMPLES: &str = "\
Examples:
  od-host agents
  od-host agents --refresh               detect again instead of using the cache
  od-host agents --json | jq -r '.agents[] | select(.ready) | .id'";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Print JSON for programs
    #[arg(long)]
    json: bool,
    /// Detect again instead of using results of the last day
    #[arg(long)]
    refresh: bool,
}

pub(crate) async fn execute(arguments: &Arguments, host: &Host) -> Result<ExitStatus, HostError> {
    let refresh = if arguments.refresh { Refresh::Always } else { Refresh::WhenStale };
    let agents = while_waiting("detecting agents", host.agents(refresh)).await;
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

/// The same rows as `agents/list` of the API.
fn statuses(agents: &[Agent], active: Option<&str>) -> Vec<AgentStatus> {
    let status = |agent: &Agent| AgentStatus {
        active: active == Some(&agent.id),
        ..AgentStatus::from(agent)
    };
    agents.iter().map(status).collect()
}

fn advise(agents: &[Agent]) {
    let ready = agents.iter().find(|agent| agent.readiness() == Readiness::Ready);
    match ready {
        _ if agents.is_empty() => print_warning(
            "no adapter found\n\
             put od-adapter-* executables on PATH, or pass their folder with --adapter-dir",
        ),
        Some(agent) => print_remark(format!("\nstart a run: od-host run -a {} \"…\"", agent.id)),
        None => print_remark("\nno agent is ready; the lines with → show the fix"),
    }
}
