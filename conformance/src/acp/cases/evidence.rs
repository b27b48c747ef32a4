//! What checks of a turn look at: what the model was told, what lies on the disk, which processes
//! run, and what a tool call came to.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::acp::agent::Agent;
use crate::acp::bench::AgentBench;
use crate::acp::client::Policy;
use crate::acp::suite::AgentSuite;
use crate::acp::turn::{Open, TURN_LIMIT, Turn};
use crate::process;
use crate::verdict::{Finding, Verdict, shorten};

/// The file that the fake model has written.
const FILE: &str = "hello.txt";

/// The command that the fake model has run for a minute.
const LONG_COMMAND: &str = "sleep 60";

/// Scenarios that change something, the one that can be seen on the disk first.
const ASKING: &[&str] = &["write", "shell"];

/// Whether some text of a request contains this one.
pub(super) fn contains(value: &Value, text: &str) -> bool {
    match value {
        Value::String(found) => found.contains(text),
        Value::Array(items) => items.iter().any(|item| contains(item, text)),
        Value::Object(members) => members.values().any(|member| contains(member, text)),
        _ => false,
    }
}

/// Fails unless the model was told this text unharmed.
pub(super) fn model_heard(suite: &AgentSuite, agent: &Agent, text: &str, turn: &Turn) -> Verdict {
    if suite.asked().iter().any(|request| contains(&request.body, text)) {
        return Ok(());
    }
    let expected = format!("the model is told {:?} unharmed", shorten(text, 120));
    Err(agent.wrong(&expected, &format!("it is not; {}", turn.summary()), &turn.sent))
}

/// The prompt that makes the fake model write a file into a folder.
pub(super) fn prompt(scenario: &str, cwd: &Path) -> String {
    format!("please SCN:{scenario} CWD=<{}>", cwd.display())
}

/// Fails unless the turn ended by itself.
pub(super) fn ended(agent: &Agent, turn: &Turn, reason: &str) -> Verdict {
    if turn.stop_reason() == reason {
        return Ok(());
    }
    Err(agent.wrong(&format!("the stop reason {reason}"), &turn.summary(), &turn.sent))
}

/// Whether the tool of a scenario has done its work.
pub(super) fn has_worked(scenario: &str, cwd: &Path, turn: &Turn) -> bool {
    match scenario {
        "write" => cwd.join(FILE).exists(),
        _ => turn.tools().iter().any(|(_, status)| status == "completed"),
    }
}

/// The scenario for which the agent asks a permission.
///
/// # Errors
/// Skip when it asks for none.
pub(super) fn asking(bench: &mut AgentBench) -> Result<&'static str, Finding> {
    let known = bench.suite.asks_for.get().copied();
    let found = match known {
        Some(found) => found,
        None => {
            let found = find_asking(bench)?;
            *bench.suite.asks_for.get_or_init(|| found)
        }
    };
    found.ok_or_else(|| {
        let words = "the agent writes files and runs commands without asking, as it is configured";
        Finding::Skip(words.to_owned())
    })
}

fn find_asking(bench: &mut AgentBench) -> Result<Option<&'static str>, Finding> {
    for scenario in ASKING {
        let (session, cwd) = bench.session()?;
        let agent = bench.agent()?;
        let turn = agent.play(&session, &prompt(scenario, &cwd), Policy::Reject)?;
        if !turn.permissions.is_empty() {
            return Ok(Some(scenario));
        }
    }
    Ok(None)
}

/// Begins a turn in which a command runs for a minute, and waits until it does.
///
/// # Errors
/// Skip when the agent does not run it, or processes cannot be looked at.
pub(super) fn long_command(agent: &mut Agent, cwd: &Path) -> Result<(Open, Vec<u32>), Finding> {
    if !process::CAN_INSPECT {
        return Err(Finding::Skip("processes cannot be looked at on this system".to_owned()));
    }
    let session = agent.new_session(cwd)?;
    let open = agent.begin(&session, &prompt("sleep", cwd));
    let deadline = Instant::now() + agent.limit(TURN_LIMIT);
    loop {
        agent.listen(Duration::from_millis(50));
        agent.serve(Policy::Allow)?;
        let running = agent.processes();
        if running.iter().any(|it| it.command.contains(LONG_COMMAND)) {
            return Ok((open, running.into_iter().map(|it| it.pid).collect()));
        }
        if agent.inbox.answers.contains_key(&open.key) || Instant::now() >= deadline {
            let turn = agent.so_far(&open);
            let words = format!("the agent did not run {LONG_COMMAND:?}: {}", turn.summary());
            return Err(Finding::Skip(words));
        }
    }
}

/// Fails unless these processes, and all others of the agent but itself, go within the time.
pub(super) fn all_gone(agent: &mut Agent, pids: &[u32], limit: Duration, sent: &str) -> Verdict {
    let limit = agent.limit(limit);
    let deadline = Instant::now() + limit;
    loop {
        let left = left_over(agent, pids);
        if left.is_empty() {
            return Ok(());
        }
        if Instant::now() >= deadline {
            let expected = format!("no process is left after {limit:.1?}");
            return Err(agent.wrong(&expected, &left.join(", "), sent));
        }
        agent.listen(Duration::from_millis(20));
        if agent.inbox.ended {
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

/// What is left of what ran when the stop was asked for; helpers that the agent keeps do not count
/// while it lives.
fn left_over(agent: &mut Agent, pids: &[u32]) -> Vec<String> {
    let is_running = agent.is_running();
    let counts = |pid: u32, command: &str| {
        let is_command = command.contains(LONG_COMMAND);
        if is_running { is_command } else { is_command || pids.contains(&pid) }
    };
    let left = agent.processes().into_iter().filter(|it| counts(it.pid, &it.command));
    left.map(|it| format!("{} ({})", it.pid, shorten(&it.command, 120))).collect()
}
