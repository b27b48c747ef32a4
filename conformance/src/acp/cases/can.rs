//! ACP-CAN: cancelling a turn.

use std::time::Duration;

use serde_json::json;

use super::evidence::{all_gone, ended, long_command};
use super::must;
use crate::acp::agent::{ANSWER_LIMIT, Agent, START_LIMIT, summary};
use crate::acp::bench::AgentBench;
use crate::acp::client::Policy;
use crate::acp::turn::Open;
use crate::case::{Check, Gate};
use crate::verdict::{Finding, Verdict};

/// How soon a cancelled turn must end.
const CANCEL_LIMIT: Duration = Duration::from_secs(10);

pub(super) const CHECKS: &[Check] = &[
    must(
        "ACP-CAN-01",
        "ends a turn that is cancelled in the middle of the text with the stop reason cancelled, within 10 s",
        "stop is the one button that must work",
        Gate::MODEL,
        cancels_text,
    ),
    must(
        "ACP-CAN-02",
        "ends a command that runs when the turn is cancelled, with all its processes",
        "a command that goes on after stop changes files behind the user's back",
        Gate::MODEL,
        cancels_command,
    ),
    must(
        "ACP-CAN-03",
        "takes the next prompt of a session after a cancel",
        "users stop an agent to tell it something better",
        Gate::MODEL,
        goes_on,
    ),
    must(
        "ACP-CAN-04",
        "says nothing to a cancel of a session that does not work or does not exist, and goes on",
        "a cancel may cross the end of the turn on its way",
        Gate::NONE,
        ignores_idle_cancel,
    ),
    must(
        "ACP-CAN-05",
        "cancels the turn of a session that is closed",
        "a closed window must not leave an agent at work",
        Gate { model: true, ..Gate::capability("sessionCapabilities.close") },
        close_cancels,
    ),
];

/// Begins a turn that speaks for a minute, and waits for the first words.
fn speaking(agent: &mut Agent, session: &str) -> Result<Open, Finding> {
    let open = agent.begin(session, "please SCN:slow");
    // An agent that does not stream is another check's business.
    agent.wait_text(&open).ok();
    Ok(open)
}

fn cancels_text(bench: &mut AgentBench) -> Verdict {
    let (session, _) = bench.session()?;
    let agent = bench.agent()?;
    let open = speaking(agent, &session)?;
    agent.notify("session/cancel", json!({"sessionId": session}));
    let turn = agent.finish_within(&open, Policy::Cancelled, CANCEL_LIMIT)?;
    ended(agent, &turn, "cancelled")
}

fn cancels_command(bench: &mut AgentBench) -> Verdict {
    let cwd = bench.folder("cwd")?;
    let mut agent = bench.launch()?;
    let (open, pids) = long_command(&mut agent, &cwd)?;
    agent.notify("session/cancel", json!({"sessionId": open.session()}));
    let turn = agent.finish_within(&open, Policy::Cancelled, CANCEL_LIMIT)?;
    ended(&agent, &turn, "cancelled")?;
    all_gone(&mut agent, &pids, Duration::from_secs(3), "session/cancel")
}

fn goes_on(bench: &mut AgentBench) -> Verdict {
    let nonce = bench.nonce();
    let (session, _) = bench.session()?;
    let agent = bench.agent()?;
    let open = speaking(agent, &session)?;
    agent.notify("session/cancel", json!({"sessionId": session}));
    agent.finish_within(&open, Policy::Cancelled, CANCEL_LIMIT)?;
    let turn = agent.play(&session, &format!("now SCN:plain TEXT=<{nonce}>"), Policy::Reject)?;
    if turn.text().trim() == nonce {
        return Ok(());
    }
    Err(agent.wrong(&format!("the text {nonce:?}"), &turn.summary(), &turn.sent))
}

fn ignores_idle_cancel(bench: &mut AgentBench) -> Verdict {
    let (session, _) = bench.session()?;
    let agent = bench.agent()?;
    let before = agent.inbox.others.len();
    for session in [session.as_str(), session.as_str(), "conformance-no-such-session"] {
        agent.notify("session/cancel", json!({"sessionId": session}));
    }
    agent.request("conformance/barrier", json!({}), ANSWER_LIMIT)?.ok();
    let said = agent.inbox.others[before..].iter().find(|line| line.value.get("id").is_some());
    match said.map(|line| line.value.to_string()) {
        None => Ok(()),
        Some(got) => Err(agent.wrong("silence", &got, "session/cancel of an idle session")),
    }
}

fn close_cancels(bench: &mut AgentBench) -> Verdict {
    let (session, _) = bench.session()?;
    let agent = bench.agent()?;
    let open = speaking(agent, &session)?;
    let reply = agent.request("session/close", json!({"sessionId": session}), START_LIMIT)?;
    if reply.is_err() {
        return Err(agent.wrong("a result", &summary(&reply), "session/close during a turn"));
    }
    let turn = agent.finish_within(&open, Policy::Cancelled, CANCEL_LIMIT)?;
    ended(agent, &turn, "cancelled")
}
