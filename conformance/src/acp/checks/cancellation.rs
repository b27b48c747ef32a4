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
use crate::acp::inbox::Inbox;
use crate::check::{Gate, active};
use crate::outcome::CheckOutcome;

/// The timeout for a cancelled turn to end.
const CANCEL_TIMEOUT: Duration = Duration::from_secs(10);

/// How long the turn of another session is observed after a cancel.
const OTHER_TURN_WAIT: Duration = Duration::from_secs(3);

pub(super) const CHECKS: &[AgentCheck] = &[
    active(
        "ACP-CAN-01",
        "ends a turn that is cancelled while text is streaming with the stop reason cancelled, \
         within 10 s",
        "users rely on the stop button",
        Gate::MODEL,
        cancels_text,
    )
    .cites(
        "Prompt Turn",
        "Agents MUST catch these errors and return the semantically meaningful `cancelled` \
         stop reason, so that Clients can reliably confirm the cancellation.",
    ),
    active(
        "ACP-CAN-02",
        "ends a command that is running when the turn is cancelled, with all its processes",
        "a command that continues after a stop changes files without the user's knowledge",
        Gate::MODEL,
        cancels_command,
    )
    .should()
    .cites(
        "Prompt Turn",
        "When the Agent receives this notification, it SHOULD stop all language model \
         requests and all tool call invocations as soon as possible.",
    ),
    active(
        "ACP-CAN-03",
        "accepts the next prompt of a session after a cancel",
        "users stop an agent to give it better instructions",
        Gate::MODEL,
        accepts_next_prompt,
    )
    .cites(
        "Prompt Turn",
        "Once a prompt turn completes, the Client may send another `session/prompt` to \
         continue the conversation, building on the context established in previous turns.",
    ),
    active(
        "ACP-CAN-04",
        "does not answer a cancel of an idle or unknown session, and continues",
        "a cancel can cross the end of the turn in transit",
        Gate::NONE,
        ignores_idle_cancel,
    )
    .cites("Overview", "Notifications never receive responses (success or error)"),
    active(
        "ACP-CAN-05",
        "cancels the turn of a session that is closed",
        "a closed window must not leave a running agent",
        Gate { model: true, ..Gate::capability("sessionCapabilities.close") },
        close_cancels,
    )
    .cites(
        "Session Setup",
        "The Agent MUST cancel any ongoing work for that session as if `session/cancel` had \
         been called, then free the resources associated with the session.",
    ),
    active(
        "ACP-CAN-06",
        "cancels only the turn of the named session",
        "stopping one conversation must not lose the work of another",
        Gate::MODEL,
        cancels_one_session,
    )
    .cites("Schema", "The ID of the session to cancel operations for."),
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

fn cancels_one_session(context: &mut AgentContext) -> CheckOutcome {
    let (first, second) = (context.session()?.0, context.session()?.0);
    let agent = context.agent()?;
    let cancelled = agent.begin_streaming(&first);
    let other = agent.begin(&second, "please SCN:slow");
    agent.cancel(&first);
    let turn = agent.finish_within(&cancelled, Policy::Cancelled, CANCEL_TIMEOUT)?;
    ends_with(agent, &turn, "cancelled")?;
    // More text proves that the other turn continues; an agent that does not stream sends none.
    let (before, limit) = (other.text_chunks(&agent.inbox), agent.limit(OTHER_TURN_WAIT));
    let has_ended = |inbox: &Inbox| inbox.answers.contains_key(&other.key);
    agent.pump(limit, |inbox| has_ended(inbox) || other.text_chunks(inbox) > before);
    let is_open = !has_ended(&agent.inbox);
    agent.cancel(&second);
    let turn = agent.finish_within(&other, Policy::Cancelled, CANCEL_TIMEOUT)?;
    agent.ensure(is_open, "the turn of the other session continues", turn.summary(), &turn.sent)
}
