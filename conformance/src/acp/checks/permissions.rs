//! ACP-PRM: permissions. The agent waits for the answer, and only an approval counts.

use std::path::PathBuf;
use std::time::Duration;

use super::AgentCheck;
use super::expectations::{ends_with, prompt, scenario_with_permission, tool_has_run};
use crate::acp::agent::Agent;
use crate::acp::client::Policy;
use crate::acp::context::AgentContext;
use crate::acp::turn::{OpenTurn, Turn};
use crate::check::{Gate, active, invariant};
use crate::outcome::{CheckOutcome, Finding};

/// How long the agent must wait without an answer.
const UNANSWERED_WAIT: Duration = Duration::from_millis(1500);

/// The timeout for a cancelled turn to end.
const CANCEL_TIMEOUT: Duration = Duration::from_secs(10);

pub(super) const CHECKS: &[AgentCheck] = &[
    invariant(
        "ACP-PRM-01",
        "requests permission with a tool call and options that have unique ids, names and known \
         kinds",
        "a client can only offer options it can read",
        Gate::MODEL,
    )
    .cites(
        "Tool Calls",
        "Each permission option provided to the Client contains: [...] Unique identifier for \
         this option [...] Human-readable label to display to the user",
    ),
    active(
        "ACP-PRM-02",
        "does nothing until the permission is granted",
        "a request for permission is useless if the agent does not wait for the answer",
        Gate::MODEL,
        waits_for_answer,
    )
    .cites(
        "Tool Calls",
        "The Agent MAY request permission from the user before executing a tool call by \
         calling the `session/request_permission` method",
    ),
    active(
        "ACP-PRM-03",
        "performs the allowed action and ends the turn",
        "an agent that requests permission and then does nothing is useless",
        Gate::MODEL,
        allowed_is_done,
    )
    .should()
    .cites(
        "Prompt Turn",
        "Once permission is granted (if required), the Agent SHOULD invoke the tool and \
         report a status update marking the tool as `in_progress`",
    ),
    active(
        "ACP-PRM-04",
        "does not perform a rejected action",
        "a rejection must be respected",
        Gate::MODEL,
        rejected_is_not_done,
    )
    .cites("Tool Calls", "`reject_once` - Reject this operation only this time"),
    active(
        "ACP-PRM-05",
        "does not perform an action that was answered with the outcome cancelled",
        "closing the window is not an approval",
        Gate::MODEL,
        cancelled_is_not_done,
    )
    .cites("Tool Calls", "`cancelled` - The prompt turn was cancelled"),
    active(
        "ACP-PRM-06",
        "does not perform an action that was answered with an option it did not offer, or with an \
         error",
        "an invalid answer is not an approval",
        Gate::MODEL,
        invalid_answer_is_not_done,
    )
    .cites(
        "Tool Calls",
        "`selected` with an `optionId` - The ID of the selected permission option",
    ),
    active(
        "ACP-PRM-07",
        "reports a rejected tool call as failed",
        "a call without an end is displayed as running forever",
        Gate::MODEL,
        rejected_is_reported,
    )
    .should()
    .cites(
        "Prompt Turn",
        "If there are no pending tool calls, the turn ends and the Agent MUST respond to the \
         original `session/prompt` request with a `StopReason`",
    ),
    active(
        "ACP-PRM-08",
        "ends the turn as cancelled, without performing the action, when it is cancelled during a \
         permission request",
        "the user stopped the turn because of the request",
        Gate::MODEL,
        cancel_ends_permission_request,
    )
    .cites(
        "Prompt Turn",
        "After all ongoing operations have been successfully aborted and pending updates \
         have been sent, the Agent MUST respond to the original `session/prompt` request with \
         the `cancelled` stop reason.",
    ),
];

/// A turn in a new session that requests a permission.
struct PermissionTurn {
    scenario: &'static str,
    session: String,
    cwd: PathBuf,
}

impl PermissionTurn {
    fn create(context: &mut AgentContext) -> Result<Self, Finding> {
        let scenario = scenario_with_permission(context)?;
        let (session, cwd) = context.session()?;
        Ok(Self { scenario, session, cwd })
    }

    fn prompt(&self) -> String {
        prompt(self.scenario, &self.cwd)
    }

    fn run(&self, agent: &mut Agent, policy: Policy) -> Result<Turn, Finding> {
        let turn = agent.run_turn(&self.session, &self.prompt(), policy)?;
        if turn.permissions.is_empty() {
            return Err(agent.failure("a permission request", turn.summary(), &turn.sent));
        }
        Ok(turn)
    }

    /// Fails if the tool has run.
    fn tool_has_not_run(&self, agent: &Agent, turn: &Turn, answer: &str) -> CheckOutcome {
        if !tool_has_run(self.scenario, &self.cwd, turn) {
            return Ok(());
        }
        let expected = format!("the tool does not run after {answer}");
        Err(agent.failure(expected, format!("it has run; {}", turn.summary()), &turn.sent))
    }

    /// Starts the turn and waits for the permission request.
    fn ask(&self, agent: &mut Agent) -> Result<OpenTurn, Finding> {
        let open = agent.begin(&self.session, &self.prompt());
        if agent.wait_permission(&open) {
            return Ok(open);
        }
        let turn = agent.turn_so_far(&open);
        Err(agent.failure("a permission request", turn.summary(), &turn.sent))
    }
}

fn waits_for_answer(context: &mut AgentContext) -> CheckOutcome {
    let turn_setup = PermissionTurn::create(context)?;
    let agent = context.agent()?;
    let open = turn_setup.ask(agent)?;
    agent.listen(UNANSWERED_WAIT);
    let turn = agent.turn_so_far(&open);
    turn_setup.tool_has_not_run(agent, &turn, "an unanswered permission request")?;
    if agent.inbox.answers.contains_key(&open.key) {
        return Err(agent.failure("the turn stays open", "it ended without an answer", &turn.sent));
    }
    agent.finish(&open, Policy::Reject).map(drop)
}

fn allowed_is_done(context: &mut AgentContext) -> CheckOutcome {
    let turn_setup = PermissionTurn::create(context)?;
    let agent = context.agent()?;
    let turn = turn_setup.run(agent, Policy::Allow)?;
    ends_with(agent, &turn, "end_turn")?;
    if tool_has_run(turn_setup.scenario, &turn_setup.cwd, &turn) {
        return Ok(());
    }
    Err(agent.failure("the tool runs", format!("it has not run; {}", turn.summary()), &turn.sent))
}

fn rejected_is_not_done(context: &mut AgentContext) -> CheckOutcome {
    let turn_setup = PermissionTurn::create(context)?;
    let agent = context.agent()?;
    let turn = turn_setup.run(agent, Policy::Reject)?;
    turn_setup.tool_has_not_run(agent, &turn, "a rejection")
}

fn cancelled_is_not_done(context: &mut AgentContext) -> CheckOutcome {
    let turn_setup = PermissionTurn::create(context)?;
    let agent = context.agent()?;
    let turn = turn_setup.run(agent, Policy::Cancelled)?;
    turn_setup.tool_has_not_run(agent, &turn, "the outcome cancelled")
}

fn invalid_answer_is_not_done(context: &mut AgentContext) -> CheckOutcome {
    for (policy, answer) in
        [(Policy::NotOffered, "an option that was not offered"), (Policy::Error, "an error")]
    {
        let turn_setup = PermissionTurn::create(context)?;
        let agent = context.agent()?;
        let turn = turn_setup.run(agent, policy)?;
        turn_setup.tool_has_not_run(agent, &turn, answer)?;
    }
    Ok(())
}

fn rejected_is_reported(context: &mut AgentContext) -> CheckOutcome {
    let turn_setup = PermissionTurn::create(context)?;
    let agent = context.agent()?;
    let turn = turn_setup.run(agent, Policy::Reject)?;
    if turn.tools().iter().all(|(_, status)| status == "failed") {
        return Ok(());
    }
    Err(agent.failure("the call ends as failed", turn.summary(), &turn.sent))
}

fn cancel_ends_permission_request(context: &mut AgentContext) -> CheckOutcome {
    let turn_setup = PermissionTurn::create(context)?;
    let agent = context.agent()?;
    let open = turn_setup.ask(agent)?;
    agent.cancel(&turn_setup.session);
    let turn = agent.finish_within(&open, Policy::Cancelled, CANCEL_TIMEOUT)?;
    turn_setup.tool_has_not_run(agent, &turn, "session/cancel")?;
    ends_with(agent, &turn, "cancelled")
}
