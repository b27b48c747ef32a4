//! Expectations that several chapters share: what the model received, which files exist, which
//! processes run, and how tool calls ended.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::acp::agent::Agent;
use crate::acp::client::Policy;
use crate::acp::context::AgentContext;
use crate::acp::suite::AgentSuite;
use crate::acp::turn::{OpenTurn, TURN_TIMEOUT, Turn};
use crate::outcome::{CheckOutcome, Finding, needs_process_inspection, shorten};

/// The file that the fake model writes with a tool.
pub(super) const FILE: &str = "hello.txt";

/// The command that the fake model runs for a minute.
const LONG_COMMAND: &str = "sleep 60";

/// Scenarios that change something; the one whose effect is visible on disk first.
const PERMISSION_SCENARIOS: &[&str] = &["write", "shell"];

/// Whether any string of a request contains this text.
pub(super) fn contains(value: &Value, text: &str) -> bool {
    any_string(value, &|found| found.contains(text))
}

/// Whether any string of a value fits.
pub(super) fn any_string(value: &Value, fits: &dyn Fn(&str) -> bool) -> bool {
    match value {
        Value::String(found) => fits(found),
        Value::Array(items) => items.iter().any(|item| any_string(item, fits)),
        Value::Object(members) => members.values().any(|member| any_string(member, fits)),
        _ => false,
    }
}

/// Fails unless the model received this text unchanged.
pub(super) fn model_received(
    suite: &AgentSuite,
    agent: &Agent,
    text: &str,
    turn: &Turn,
) -> CheckOutcome {
    if suite.model_requests().iter().any(|request| contains(&request.body, text)) {
        return Ok(());
    }
    let expected = format!("the model receives {:?} unchanged", shorten(text, 120));
    Err(agent.failure(expected, format!("it does not; {}", turn.summary()), &turn.sent))
}

/// Returns the prompt with which the fake model writes a file into a folder.
pub(super) fn prompt(scenario: &str, cwd: &Path) -> String {
    format!("please SCN:{scenario} CWD=<{}>", cwd.display())
}

/// Returns the prompt after which the fake model answers exactly this. The text is encoded, so that
/// an agent that changes its prompts does not change it.
pub(super) fn prompt_for_answer(answer: &str) -> String {
    let digits: String = answer.bytes().map(|byte| format!("{byte:02x}")).collect();
    format!("please SCN:plain HEX=<{digits}>")
}

/// Fails unless the turn ended with this stop reason.
pub(super) fn ends_with(agent: &Agent, turn: &Turn, reason: &str) -> CheckOutcome {
    if turn.stop_reason() == reason {
        return Ok(());
    }
    Err(agent.failure(format!("the stop reason {reason}"), turn.summary(), &turn.sent))
}

/// Fails unless the text of the turn is exactly this.
pub(super) fn has_text(agent: &Agent, turn: &Turn, wanted: &str) -> CheckOutcome {
    let is_equal = turn.text().trim() == wanted.trim();
    agent.ensure(is_equal, format!("the text {wanted:?}"), turn.summary(), &turn.sent)
}

/// Fails if the agent sent an unrequested response after this many other lines.
pub(super) fn no_response_since(agent: &Agent, before: usize, sent: &str) -> CheckOutcome {
    match agent.inbox.others[before..].iter().find(|line| line.value.get("id").is_some()) {
        None => Ok(()),
        Some(line) => Err(agent.failure("no response", line.value.to_string(), sent)),
    }
}

pub(super) fn tool_has_run(scenario: &str, cwd: &Path, turn: &Turn) -> bool {
    match scenario {
        "write" => cwd.join(FILE).exists(),
        _ => turn.tools().iter().any(|(_, status)| status == "completed"),
    }
}

/// Returns the scenario for which the agent requests a permission.
///
/// # Errors
/// Skip if it requests none.
pub(super) fn scenario_with_permission(
    context: &mut AgentContext,
) -> Result<&'static str, Finding> {
    let known = context.suite.permission_scenario.get().copied();
    let found = match known {
        Some(found) => found,
        None => {
            let found = find_scenario_with_permission(context)?;
            *context.suite.permission_scenario.get_or_init(|| found)
        }
    };
    found.ok_or_else(|| {
        let reason = "the agent is configured to write files and run commands without permission";
        Finding::Skip(reason.to_owned())
    })
}

fn find_scenario_with_permission(
    context: &mut AgentContext,
) -> Result<Option<&'static str>, Finding> {
    for scenario in PERMISSION_SCENARIOS {
        let (session, cwd) = context.session()?;
        let agent = context.agent()?;
        let turn = agent.run_turn(&session, &prompt(scenario, &cwd), Policy::Reject)?;
        if !turn.permissions.is_empty() {
            return Ok(Some(scenario));
        }
    }
    Ok(None)
}

/// Starts a turn in which a command runs for a minute, and waits for the command.
///
/// # Errors
/// Skip if the agent does not run it, or if processes cannot be inspected.
pub(super) fn long_command(agent: &mut Agent, cwd: &Path) -> Result<(OpenTurn, Vec<u32>), Finding> {
    needs_process_inspection()?;
    let session = agent.new_session(cwd)?;
    let open = agent.begin(&session, &prompt("sleep", cwd));
    let deadline = Instant::now() + agent.limit(TURN_TIMEOUT);
    loop {
        agent.listen(Duration::from_millis(50));
        agent.serve(Policy::Allow)?;
        let running = agent.processes();
        if running.iter().any(|it| it.command.contains(LONG_COMMAND)) {
            return Ok((open, running.into_iter().map(|it| it.pid).collect()));
        }
        if agent.inbox.answers.contains_key(&open.key) || Instant::now() >= deadline {
            let turn = agent.turn_so_far(&open);
            let reason = format!("the agent did not run {LONG_COMMAND:?}: {}", turn.summary());
            return Err(Finding::Skip(reason));
        }
    }
}

/// Fails unless these processes, and all others of the agent except itself, end within the time.
pub(super) fn all_processes_end(
    agent: &mut Agent,
    pids: &[u32],
    limit: Duration,
    sent: &str,
) -> CheckOutcome {
    let limit = agent.limit(limit);
    let deadline = Instant::now() + limit;
    loop {
        let left = remaining_processes(agent, pids);
        if left.is_empty() {
            return Ok(());
        }
        if Instant::now() >= deadline {
            let expected = format!("no process remains after {limit:.1?}");
            return Err(agent.failure(expected, left.join(", "), sent));
        }
        agent.listen(Duration::from_millis(20));
        if agent.is_stdout_closed() {
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

/// Returns the remaining processes; helper processes of a running agent do not count.
fn remaining_processes(agent: &mut Agent, pids: &[u32]) -> Vec<String> {
    let is_running = agent.is_running();
    let counts = |pid: u32, command: &str| {
        let is_command = command.contains(LONG_COMMAND);
        if is_running { is_command } else { is_command || pids.contains(&pid) }
    };
    let left = agent.processes().into_iter().filter(|it| counts(it.pid, &it.command));
    left.map(|it| format!("{} ({})", it.pid, shorten(&it.command, 120))).collect()
}
