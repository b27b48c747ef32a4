//! ACP-SHU: liveness, and the end of the process with everything it started.

use std::time::Duration;

use serde_json::json;

use super::AgentCheck;
use super::expectations::{all_processes_end, long_command};
use crate::acp::agent::{Agent, RESPONSE_TIMEOUT};
use crate::acp::client::Policy;
use crate::acp::context::AgentContext;
use crate::check::{Gate, active};
use crate::outcome::{CheckOutcome, Finding, skip_if};
use crate::process;

const EXIT_TIMEOUT: Duration = Duration::from_secs(5);

pub(super) const CHECKS: &[AgentCheck] = &[
    active(
        "ACP-SHU-01",
        "answers other requests while a turn is open",
        "otherwise a client cannot open a second conversation while the agent works",
        Gate::MODEL,
        answers_in_a_turn,
    )
    .cites(
        "Session Setup",
        "Each session maintains its own context, conversation history, and state, allowing \
         multiple independent interactions with the same Agent.",
    ),
    active(
        "ACP-SHU-02",
        "exits within 5 s when its stdin closes",
        "a crashed editor leaves no other sign, and remaining agents use up memory",
        Gate::NONE,
        ends_at_eof,
    )
    .practice(),
    active(
        "ACP-SHU-03",
        "exits within 5 s after SIGTERM and leaves no process",
        "clients end agents with SIGTERM",
        Gate::NONE,
        ends_at_term,
    )
    .practice(),
    active(
        "ACP-SHU-04",
        "leaves no process when its stdin closes while a command is running",
        "a command that outlives its agent is found days later",
        Gate::MODEL,
        leaves_nothing_at_eof,
    )
    .practice(),
    active(
        "ACP-SHU-05",
        "leaves no process after SIGTERM while a command is running",
        "a command that outlives its agent is found days later",
        Gate::MODEL,
        leaves_nothing_at_term,
    )
    .practice(),
];

fn answers_in_a_turn(context: &mut AgentContext) -> CheckOutcome {
    let (session, _) = context.session()?;
    let agent = context.agent()?;
    let open = agent.begin_streaming(&session);
    let outcome = agent.request("conformance/alive", json!({}), RESPONSE_TIMEOUT);
    agent.cancel(&session);
    agent.finish(&open, Policy::Cancelled).ok();
    outcome.map(drop)
}

fn ends_at_eof(context: &mut AgentContext) -> CheckOutcome {
    let mut agent = idle(context)?;
    agent.close_stdin();
    exits(&mut agent, "stdin closed")
}

fn ends_at_term(context: &mut AgentContext) -> CheckOutcome {
    has_signals()?;
    let mut agent = idle(context)?;
    let below: Vec<u32> = agent.processes().into_iter().map(|it| it.pid).collect();
    process::signal(agent.pid(), "SIGTERM");
    exits(&mut agent, "SIGTERM")?;
    all_processes_end(&mut agent, &below, EXIT_TIMEOUT, "SIGTERM")
}

fn leaves_nothing_at_eof(context: &mut AgentContext) -> CheckOutcome {
    let cwd = context.folder("cwd")?;
    let mut agent = context.launch()?;
    let (_, pids) = long_command(&mut agent, &cwd)?;
    agent.close_stdin();
    all_processes_end(&mut agent, &pids, EXIT_TIMEOUT, "stdin closed while a command is running")
}

fn leaves_nothing_at_term(context: &mut AgentContext) -> CheckOutcome {
    has_signals()?;
    let cwd = context.folder("cwd")?;
    let mut agent = context.launch()?;
    let (_, pids) = long_command(&mut agent, &cwd)?;
    process::signal(agent.pid(), "SIGTERM");
    all_processes_end(&mut agent, &pids, EXIT_TIMEOUT, "SIGTERM while a command is running")
}

/// Starts an agent with a session, if it can open one.
fn idle(context: &mut AgentContext) -> Result<Agent, Finding> {
    let cwd = context.folder("cwd")?;
    let mut agent = context.launch()?;
    agent.new_session(&cwd).ok();
    Ok(agent)
}

fn exits(agent: &mut Agent, sent: &str) -> CheckOutcome {
    let limit = agent.limit(EXIT_TIMEOUT);
    if agent.wait_exit(limit).is_some() {
        return Ok(());
    }
    Err(agent.failure(format!("the agent exits within {limit:.1?}"), "it is still running", sent))
}

fn has_signals() -> CheckOutcome {
    skip_if(process::SIGNALS.is_empty(), "this system has no signals")
}
