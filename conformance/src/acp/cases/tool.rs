//! ACP-TOOL: tool calls are announced, end, and do what they say where they should.

use serde_json::json;

use super::evidence::{ended, has_worked, prompt};
use super::{must, rule, should};
use crate::acp::agent::Agent;
use crate::acp::bench::AgentBench;
use crate::acp::client::Policy;
use crate::acp::turn::Turn;
use crate::case::{Check, Gate, Level};
use crate::verdict::{Finding, Verdict};

pub(super) const CHECKS: &[Check] = &[
    rule(
        "ACP-TOOL-01",
        Level::Must,
        "announces a tool call before it updates it",
        "an update of an unknown call is dropped, so the user never sees the tool",
        Gate::MODEL,
    ),
    must(
        "ACP-TOOL-02",
        "tells of each tool call that succeeds as completed before the turn ends",
        "a call without an end spins on the screen for ever",
        Gate::MODEL,
        success_is_told,
    ),
    should(
        "ACP-TOOL-03",
        "tells of a command that fails as failed",
        "a failure that is shown as done is not looked at",
        Gate::MODEL,
        failure_is_told,
    ),
    must(
        "ACP-TOOL-04",
        "works in the folder of the session, wherever it was started",
        "files in the wrong folder are lost or overwrite others",
        Gate::MODEL,
        works_in_the_folder,
    ),
    must(
        "ACP-TOOL-05",
        "writes a new file through the client's file methods or to the disk when they are declared",
        "an editor that declares them must not make the agent fail",
        Gate::MODEL,
        writes_with_client_files,
    ),
];

/// Makes a turn with a tool that is allowed, in a new session of the shared agent.
fn play(bench: &mut AgentBench, scenario: &str) -> Result<Turn, Finding> {
    let (session, cwd) = bench.session()?;
    bench.agent()?.play(&session, &prompt(scenario, &cwd), Policy::Allow)
}

fn statuses(agent: &Agent, turn: &Turn, wanted: &str) -> Verdict {
    let tools = turn.tools();
    if !tools.is_empty() && tools.iter().all(|(_, status)| status == wanted) {
        return Ok(());
    }
    let expected = format!("tool calls that end as {wanted}");
    Err(agent.wrong(&expected, &turn.summary(), &turn.sent))
}

fn success_is_told(bench: &mut AgentBench) -> Verdict {
    let turn = play(bench, "shell")?;
    let agent = bench.agent()?;
    ended(agent, &turn, "end_turn")?;
    statuses(agent, &turn, "completed")
}

fn failure_is_told(bench: &mut AgentBench) -> Verdict {
    let turn = play(bench, "toolfail")?;
    statuses(bench.agent()?, &turn, "failed")
}

fn works_in_the_folder(bench: &mut AgentBench) -> Verdict {
    let (session, cwd) = bench.session()?;
    let agent = bench.agent()?;
    let turn = agent.play(&session, &prompt("write", &cwd), Policy::Allow)?;
    written(agent, &cwd, &turn)
}

fn writes_with_client_files(bench: &mut AgentBench) -> Verdict {
    let declared = json!({"fs": {"readTextFile": true, "writeTextFile": true}, "terminal": false});
    let mut agent = bench.launch_with(&declared)?;
    let cwd = agent.folder.join("cwd");
    std::fs::create_dir_all(&cwd)?;
    let session = agent.new_session(&cwd)?;
    let turn = agent.play(&session, &prompt("write", &cwd), Policy::Allow)?;
    written(&agent, &cwd, &turn)
}

fn written(agent: &Agent, cwd: &std::path::Path, turn: &Turn) -> Verdict {
    ended(agent, turn, "end_turn")?;
    if has_worked("write", cwd, turn) {
        return Ok(());
    }
    let expected = format!("hello.txt in {}", cwd.display());
    Err(agent.wrong(&expected, &format!("none; {}", turn.summary()), &turn.sent))
}
