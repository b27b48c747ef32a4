//! `od-host agents`: which agents work here, who would pay, and what the others need.

mod list;
mod standing;

use clap::Args;
use od_host::agents::{Agent, Refresh};
use od_host::discover::Discovery;
use od_host::{ExitStatus, Host, HostError};
use serde_json::{Value, json};

use crate::cli::print::{print, print_json, print_remark, print_warning};
use crate::cli::terminal::{self, while_waiting};
use standing::Standing;

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
    let discovery = host.discover().await;
    if arguments.json {
        print_json(&json_of(&agents, &discovery))?;
        return Ok(ExitStatus::Completed);
    }
    print(&list::text(&agents, &discovery, terminal::columns()))?;
    advise(&agents);
    Ok(ExitStatus::Completed)
}

fn advise(agents: &[Agent]) {
    let ready = agents.iter().find(|agent| Standing::of(agent) == Standing::Ready);
    match ready {
        _ if agents.is_empty() => print_warning(
            "no adapter was found\n\
             put od-adapter-* executables on PATH, or name their folder with --adapter-dir",
        ),
        Some(agent) => print_remark(format!("\nstart one: od-host run -a {} \"…\"", agent.id)),
        None => print_remark("\nno agent is ready yet; the lines with → say what to do"),
    }
}

fn json_of(agents: &[Agent], discovery: &Discovery) -> Value {
    let agents: Vec<Value> = agents.iter().map(agent_json).collect();
    json!({
        "agents": agents,
        "rejected": discovery.rejected,
        "shadowed": discovery.shadowed,
    })
}

fn agent_json(agent: &Agent) -> Value {
    let standing = Standing::of(agent);
    let error = agent.detected.as_ref().err().map(|error| {
        json!({"kind": error.failure.as_str(), "message": error.message, "hint": error.hint})
    });
    json!({
        "id": agent.id,
        "displayName": agent.manifest.display_name,
        "adapterPath": agent.adapter_path,
        "adapterVersion": agent.manifest.version,
        "ready": standing == Standing::Ready,
        "standing": standing.as_str(),
        "fix": standing::fix(agent),
        "detected": agent.detected.as_ref().ok(),
        "error": error,
    })
}
