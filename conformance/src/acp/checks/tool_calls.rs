//! ACP-TOOL: tool calls are announced, end with a status, and work in the session's folder.

use serde_json::{Value, json};

use super::AgentCheck;
use super::expectations::{FILE, any_string, contains, ends_with, prompt, tool_has_run};
use crate::acp::agent::Agent;
use crate::acp::client::Policy;
use crate::acp::context::AgentContext;
use crate::acp::turn::Turn;
use crate::check::{Gate, active, invariant};
use crate::outcome::{CheckOutcome, Finding, shorten};

pub(super) const CHECKS: &[AgentCheck] = &[
    invariant(
        "ACP-TOOL-01",
        "announces a tool call before it sends updates for it",
        "an update of an unknown call is dropped, so the user never sees the tool",
        Gate::MODEL,
    )
    .should()
    .cites(
        "Tool Calls",
        "When the language model requests a tool invocation, the Agent SHOULD report it to \
         the Client",
    ),
    active(
        "ACP-TOOL-02",
        "reports each successful tool call as completed before the turn ends",
        "a call without an end is displayed as running forever",
        Gate::MODEL,
        success_is_reported,
    )
    .cites(
        "Prompt Turn",
        "When the tool completes, the Agent sends another update with the final status and \
         any content",
    ),
    active(
        "ACP-TOOL-03",
        "reports a failing command as failed",
        "users do not inspect a failure that is displayed as done",
        Gate::MODEL,
        failure_is_reported,
    )
    .practice(),
    active(
        "ACP-TOOL-04",
        "works in the folder of the session, regardless of where the agent was started",
        "files in the wrong folder are lost or overwrite others",
        Gate::MODEL,
        works_in_the_folder,
    )
    .cites(
        "Session Setup",
        "MUST be used for the session regardless of where the Agent subprocess was spawned",
    ),
    active(
        "ACP-TOOL-05",
        "writes a new file, through the client or to disk, if the client declares file methods",
        "an editor that declares them must not make the agent fail",
        Gate::MODEL,
        writes_with_client_files,
    )
    .should()
    .cites(
        "Initialization",
        "Clients and Agents SHOULD support all possible combinations of their peer's \
         capabilities.",
    ),
    active(
        "ACP-TOOL-06",
        "reports the input and output of each of two tool calls only with its own toolCallId",
        "a result under the wrong call misleads the user about what was done",
        Gate::MODEL,
        results_belong_to_their_calls,
    )
    .cites("Tool Calls", "A unique identifier for this tool call within the session"),
    invariant(
        "ACP-TOOL-07",
        "does not set a tool call that is completed or failed back to pending or in_progress",
        "a call that ended is displayed as running again",
        Gate::MODEL,
    )
    .cites("Tool Calls", "Tool calls progress through different statuses during their lifecycle"),
    active(
        "ACP-TOOL-08",
        "gives each tool call of a session its own toolCallId",
        "two calls with one id become one call with two results",
        Gate::MODEL,
        call_ids_are_unique,
    )
    .cites("Tool Calls", "A unique identifier for this tool call within the session"),
    active(
        "ACP-TOOL-09",
        "sends the output of a tool to the model",
        "a model that does not see the output invents it",
        Gate::MODEL,
        model_receives_output,
    )
    .cites(
        "Prompt Turn",
        "The Agent sends the tool results back to the language model as another request.",
    ),
    active(
        "ACP-TOOL-10",
        "does not report a file that cannot be written as completed",
        "users do not inspect a failure that is displayed as done",
        Gate::MODEL,
        failed_write_is_not_completed,
    )
    .cites("Tool Calls", "The tool call completed successfully"),
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

fn results_belong_to_their_calls(context: &mut AgentContext) -> CheckOutcome {
    let nonce = context.nonce();
    let (session, cwd) = context.session()?;
    let agent = context.agent()?;
    let prompt = format!("{} NONCE=<{nonce}>", prompt("parallel", &cwd));
    let turn = agent.run_turn(&session, &prompt, Policy::Allow)?;
    ends_with(agent, &turn, "end_turn")?;
    // Input and output of the command contain the first text, those of the file the second.
    let texts = [format!("one {nonce}"), format!("model {nonce}")];
    let calls = turn.tool_reports();
    let is_mixed = |reports: &[&Value]| {
        let has = |text: &String| reports.iter().any(|report| contains(report, text));
        texts.iter().all(has)
    };
    match calls.iter().find(|(_, reports)| is_mixed(reports)) {
        None => Ok(()),
        Some((id, reports)) => {
            let expected = format!("no call with both {:?} and {:?}", texts[0], texts[1]);
            let shown: Vec<String> = reports.iter().map(ToString::to_string).collect();
            let got = format!("call {id}: {}", shorten(&shown.join(" "), 600));
            Err(agent.failure(expected, got, &turn.sent))
        }
    }
}

fn call_ids_are_unique(context: &mut AgentContext) -> CheckOutcome {
    let (session, cwd) = context.session()?;
    let agent = context.agent()?;
    let first = agent.run_turn(&session, &prompt("shell", &cwd), Policy::Allow)?.tools();
    let turn = agent.run_turn(&session, &prompt("shell", &cwd), Policy::Allow)?;
    let repeated = turn.tools().into_iter().find(|(id, _)| first.iter().any(|(it, _)| it == id));
    let got = repeated.as_ref().map(|(id, _)| format!("{id:?} in two turns")).unwrap_or_default();
    agent.ensure(repeated.is_none(), "a new toolCallId", got, &turn.sent)
}

fn model_receives_output(context: &mut AgentContext) -> CheckOutcome {
    let nonce = context.nonce();
    let (session, cwd) = context.session()?;
    let agent = context.agent()?;
    let prompt = format!("{} NONCE=<{nonce}>", prompt("shell", &cwd));
    let turn = agent.run_turn(&session, &prompt, Policy::Allow)?;
    let output = format!("shell-ok {nonce}");
    // The command contains the text too, but after `echo`.
    let is_received = context.suite.model_requests().iter().any(|request| {
        any_string(&request.body, &|text| {
            text.match_indices(&output).any(|(start, _)| !text[..start].ends_with("echo "))
        })
    });
    let agent = context.agent()?;
    let expected = format!("a request to the model with the output {output:?}");
    agent.ensure(is_received, expected, format!("none; {}", turn.summary()), &turn.sent)
}

fn failed_write_is_not_completed(context: &mut AgentContext) -> CheckOutcome {
    let (session, cwd) = context.session()?;
    // A folder with the name of the file prevents the write.
    std::fs::create_dir_all(cwd.join(FILE))?;
    let agent = context.agent()?;
    let turn = agent.run_turn(&session, &prompt("write", &cwd), Policy::Allow)?;
    let is_completed = turn.tools().iter().any(|(_, status)| status == "completed");
    agent.ensure(!is_completed, "no completed tool call", turn.summary(), &turn.sent)
}
