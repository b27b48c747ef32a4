//! ACP-CAN: cancelling a turn.

use std::time::Duration;

use serde_json::json;

use super::AgentCheck;
use super::expectations::{
    all_processes_end, ends_with, has_text, long_command, no_response_since,
};
use crate::acp::agent::{RESPONSE_TIMEOUT, START_TIMEOUT, summary};
use crate::acp::client::Policy;
use crate::acp::context::AgentContext;
use crate::check::{Gate, active};
use crate::outcome::CheckOutcome;

/// The timeout for a cancelled turn to end.
const CANCEL_TIMEOUT: Duration = Duration::from_secs(10);

pub(super) const CHECKS: &[AgentCheck] = &[
    active(
        "ACP-CAN-01",
        "ends a turn that is cancelled while text is streaming with the stop reason cancelled, \
         within 10 s",
        "users rely on the stop button",
        Gate::MODEL,
        cancels_text,
    ),
    active(
        "ACP-CAN-02",
        "ends a command that is running when the turn is cancelled, with all its processes",
        "a command that continues after a stop changes files without the user's knowledge",
        Gate::MODEL,
        cancels_command,
    ),
    active(
        "ACP-CAN-03",
        "accepts the next prompt of a session after a cancel",
        "users stop an agent to give it better instructions",
        Gate::MODEL,
        accepts_next_prompt,
    ),
    active(
        "ACP-CAN-04",
        "does not answer a cancel of an idle or unknown session, and continues",
        "a cancel can cross the end of the turn in transit",
        Gate::NONE,
        ignores_idle_cancel,
    ),
    active(
        "ACP-CAN-05",
        "cancels the turn of a session that is closed",
        "a closed window must not leave a running agent",
        Gate { model: true, ..Gate::capability("sessionCapabilities.close") },
        close_cancels,
    ),
];

fn cancels_text(context: &mut AgentContext) -> CheckOutcome {
    let (session, _) = context.session()?;
    let agent = context.agent()?;
    let open = agent.begin_streaming(&session);
    agent.cancel(&session);
    let turn = agent.finish_within(&open, Policy::Cancelled, CANCEL_TIMEOUT)?;
    ends_with(agent, &turn, "cancelled")
}

fn cancels_command(context: &mut AgentContext) -> CheckOutcome {
    let cwd = context.folder("cwd")?;
    let mut agent = context.launch()?;
    let (open, pids) = long_command(&mut agent, &cwd)?;
    agent.cancel(open.session());
    let turn = agent.finish_within(&open, Policy::Cancelled, CANCEL_TIMEOUT)?;
    ends_with(&agent, &turn, "cancelled")?;
    all_processes_end(&mut agent, &pids, Duration::from_secs(3), "session/cancel")
}

fn accepts_next_prompt(context: &mut AgentContext) -> CheckOutcome {
    let nonce = context.nonce();
    let (session, _) = context.session()?;
    let agent = context.agent()?;
    let open = agent.begin_streaming(&session);
    agent.cancel(&session);
    agent.finish_within(&open, Policy::Cancelled, CANCEL_TIMEOUT)?;
    let turn =
        agent.run_turn(&session, &format!("now SCN:plain TEXT=<{nonce}>"), Policy::Reject)?;
    has_text(agent, &turn, &nonce)
}

fn ignores_idle_cancel(context: &mut AgentContext) -> CheckOutcome {
    let (session, _) = context.session()?;
    let agent = context.agent()?;
    let before = agent.inbox.others.len();
    for session in [session.as_str(), session.as_str(), "conformance-no-such-session"] {
        agent.cancel(session);
    }
    agent.request("conformance/barrier", json!({}), RESPONSE_TIMEOUT)?.ok();
    no_response_since(agent, before, "session/cancel of an idle session")
}

fn close_cancels(context: &mut AgentContext) -> CheckOutcome {
    let (session, _) = context.session()?;
    let agent = context.agent()?;
    let open = agent.begin_streaming(&session);
    let reply = agent.request("session/close", json!({"sessionId": session}), START_TIMEOUT)?;
    agent.ensure(reply.is_ok(), "a result", summary(&reply), "session/close during a turn")?;
    let turn = agent.finish_within(&open, Policy::Cancelled, CANCEL_TIMEOUT)?;
    ends_with(agent, &turn, "cancelled")
}
