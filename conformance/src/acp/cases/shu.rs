//! ACP-SHU: signs of life, and the end of the process with everything it started.

use std::time::Duration;

use serde_json::json;

use super::evidence::{all_gone, long_command};
use super::{must, should};
use crate::acp::agent::{ANSWER_LIMIT, Agent};
use crate::acp::bench::AgentBench;
use crate::acp::client::Policy;
use crate::case::{Check, Gate};
use crate::process;
use crate::verdict::{Finding, Verdict};

/// How soon an agent must be gone.
const EXIT_LIMIT: Duration = Duration::from_secs(5);

pub(super) const CHECKS: &[Check] = &[
    must(
        "ACP-SHU-01",
        "answers other requests while a turn is open",
        "a client cannot open a second conversation in an agent that is deaf while it works",
        Gate::MODEL,
        answers_in_a_turn,
    ),
    should(
        "ACP-SHU-02",
        "ends within 5 s when its stdin ends",
        "an editor that crashed leaves no other sign; agents that stay eat the memory",
        Gate::NONE,
        ends_at_eof,
    ),
    must(
        "ACP-SHU-03",
        "ends within 5 s at SIGTERM and leaves no process",
        "it is how clients end agents",
        Gate::NONE,
        ends_at_term,
    ),
    should(
        "ACP-SHU-04",
        "leaves no process when its stdin ends while a command runs",
        "a command that outlives its agent is found days later",
        Gate::MODEL,
        leaves_nothing_at_eof,
    ),
    must(
        "ACP-SHU-05",
        "leaves no process at SIGTERM while a command runs",
        "a command that outlives its agent is found days later",
        Gate::MODEL,
        leaves_nothing_at_term,
    ),
];

fn answers_in_a_turn(bench: &mut AgentBench) -> Verdict {
    let (session, _) = bench.session()?;
    let agent = bench.agent()?;
    let open = agent.begin(&session, "please SCN:slow");
    agent.wait_text(&open).ok();
    let outcome = agent.request("conformance/alive", json!({}), ANSWER_LIMIT);
    agent.notify("session/cancel", json!({"sessionId": session}));
    agent.finish(&open, Policy::Cancelled).ok();
    outcome.map(drop)
}

fn ends_at_eof(bench: &mut AgentBench) -> Verdict {
    let mut agent = idle(bench)?;
    agent.close_stdin();
    gone(&mut agent, "the end of stdin")
}

fn ends_at_term(bench: &mut AgentBench) -> Verdict {
    has_signals()?;
    let mut agent = idle(bench)?;
    let below: Vec<u32> = agent.processes().into_iter().map(|it| it.pid).collect();
    process::signal(agent.pid(), "SIGTERM");
    gone(&mut agent, "SIGTERM")?;
    all_gone(&mut agent, &below, EXIT_LIMIT, "SIGTERM")
}

fn leaves_nothing_at_eof(bench: &mut AgentBench) -> Verdict {
    let cwd = bench.folder("cwd")?;
    let mut agent = bench.launch()?;
    let (_, pids) = long_command(&mut agent, &cwd)?;
    agent.close_stdin();
    all_gone(&mut agent, &pids, EXIT_LIMIT, "the end of stdin while a command runs")
}

fn leaves_nothing_at_term(bench: &mut AgentBench) -> Verdict {
    has_signals()?;
    let cwd = bench.folder("cwd")?;
    let mut agent = bench.launch()?;
    let (_, pids) = long_command(&mut agent, &cwd)?;
    process::signal(agent.pid(), "SIGTERM");
    all_gone(&mut agent, &pids, EXIT_LIMIT, "SIGTERM while a command runs")
}

/// An agent with a session, where it gives one.
fn idle(bench: &mut AgentBench) -> Result<Agent, Finding> {
    let cwd = bench.folder("cwd")?;
    let mut agent = bench.launch()?;
    agent.new_session(&cwd).ok();
    Ok(agent)
}

fn gone(agent: &mut Agent, sent: &str) -> Verdict {
    let limit = agent.limit(EXIT_LIMIT);
    if agent.wait_exit(limit).is_some() {
        return Ok(());
    }
    Err(agent.wrong(&format!("it ends within {limit:.1?}"), "it is still running", sent))
}

fn has_signals() -> Verdict {
    if process::SIGNALS.is_empty() {
        return Err(Finding::Skip("this system has no signals".to_owned()));
    }
    Ok(())
}
