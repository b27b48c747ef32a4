//! ACP-TOOL: tool calls are announced, end with a status, and work in the session's folder.

use serde_json::json;

use super::AgentCheck;
use super::expectations::{ends_with, prompt, tool_has_run};
use crate::acp::agent::Agent;
use crate::acp::client::Policy;
use crate::acp::context::AgentContext;
use crate::acp::turn::Turn;
use crate::check::{Gate, active, invariant};
use crate::outcome::{CheckOutcome, Finding};

pub(super) const CHECKS: &[AgentCheck] = &[
    invariant(
        "ACP-TOOL-01",
        "announces a tool call before it sends updates for it",
        "an update of an unknown call is dropped, so the user never sees the tool",
        Gate::MODEL,
    ),
    active(
        "ACP-TOOL-02",
        "reports each successful tool call as completed before the turn ends",
        "a call without an end is displayed as running forever",
        Gate::MODEL,
        success_is_reported,
    ),
    active(
        "ACP-TOOL-03",
        "reports a failing command as failed",
        "users do not inspect a failure that is displayed as done",
        Gate::MODEL,
        failure_is_reported,
    )
    .should(),
    active(
        "ACP-TOOL-04",
        "works in the folder of the session, regardless of where the agent was started",
        "files in the wrong folder are lost or overwrite others",
        Gate::MODEL,
        works_in_the_folder,
    ),
    active(
        "ACP-TOOL-05",
        "writes a new file, through the client or to disk, if the client declares file methods",
        "an editor that declares them must not make the agent fail",
        Gate::MODEL,
        writes_with_client_files,
    ),
];

/// Runs a turn with an allowed tool in a new session of the shared agent.
fn run_turn(context: &mut AgentContext, scenario: &str) -> Result<Turn, Finding> {
    let (session, cwd) = context.session()?;
    context.agent()?.run_turn(&session, &prompt(scenario, &cwd), Policy::Allow)
}

fn statuses(agent: &Agent, turn: &Turn, wanted: &str) -> CheckOutcome {
    let tools = turn.tools();
    if !tools.is_empty() && tools.iter().all(|(_, status)| status == wanted) {
        return Ok(());
    }
    let expected = format!("tool calls that end as {wanted}");
    Err(agent.failure(expected, turn.summary(), &turn.sent))
}

fn success_is_reported(context: &mut AgentContext) -> CheckOutcome {
    let turn = run_turn(context, "shell")?;
    let agent = context.agent()?;
    ends_with(agent, &turn, "end_turn")?;
    statuses(agent, &turn, "completed")
}

fn failure_is_reported(context: &mut AgentContext) -> CheckOutcome {
    let turn = run_turn(context, "toolfail")?;
    statuses(context.agent()?, &turn, "failed")
}

fn works_in_the_folder(context: &mut AgentContext) -> CheckOutcome {
    let (session, cwd) = context.session()?;
    let agent = context.agent()?;
    let turn = agent.run_turn(&session, &prompt("write", &cwd), Policy::Allow)?;
    file_is_written(agent, &cwd, &turn)
}

fn writes_with_client_files(context: &mut AgentContext) -> CheckOutcome {
    let declared = json!({"fs": {"readTextFile": true, "writeTextFile": true}, "terminal": false});
    let mut agent = context.launch_with(&declared)?;
    let cwd = agent.folder.join("cwd");
    std::fs::create_dir_all(&cwd)?;
    let session = agent.new_session(&cwd)?;
    let turn = agent.run_turn(&session, &prompt("write", &cwd), Policy::Allow)?;
    file_is_written(&agent, &cwd, &turn)
}

fn file_is_written(agent: &Agent, cwd: &std::path::Path, turn: &Turn) -> CheckOutcome {
    ends_with(agent, turn, "end_turn")?;
    if tool_has_run("write", cwd, turn) {
        return Ok(());
    }
    let expected = format!("hello.txt in {}", cwd.display());
    Err(agent.failure(expected, format!("none; {}", turn.summary()), &turn.sent))
}
