//! APR: approvals. The agent CLI waits for the answer, and only an explicit approval counts.

use std::collections::BTreeMap;
use std::time::Duration;

use od_protocol::adapter::RESPOND_RUN;
use od_protocol::{ApprovalCategory, ApprovalOutcome, ErrorKind, Event, NetworkMode, Policy};
use serde_json::{Value, json};

use super::AdapterCheck;
use super::cli_input::CliInput;
use super::expectations::{SHORT_RUN_TIMEOUT, completed, received_text};
use crate::adapter_client::{AdapterClient, Answer, RunRecord};
use crate::check::{Gate, active};
use crate::context::{CheckContext, execute_on};
use crate::outcome::{CheckOutcome, Finding};
use crate::prepared_run::PreparedRun;

/// The checks of this chapter.
pub const CHECKS: &[AdapterCheck] = &[
    active(
        "APR-01",
        "when the agent CLI requests an approval, it waits until `run/respond`; then it receives \
         the approval and continues",
        "an adapter must never approve a request by itself",
        Gate::cli_scenario("approval").with_capability("approvals"),
        waits_for_answer,
    ),
    active(
        "APR-02",
        "a denial, an unknown outcome, a cancellation and a timeout never approve, and each \
         approval is resolved exactly once",
        "every answer that is not an explicit approval is a denial",
        Gate::cli_scenario("approval").with_capability("approvals"),
        never_approves,
    ),
    active(
        "APR-03",
        "a command that the policy denies is passed to the agent CLI as denied, even if the policy \
         also allows it",
        "the host cannot refuse a command for which the agent CLI requests no approval",
        Gate::cli_scenario("text").with_capability("policy"),
        policy_reaches_cli,
    ),
    active(
        "APR-04",
        "a policy is passed on in its strictest form: a command that is both allowed and denied is \
         never passed on as allowed, and a closed network is passed on or the run is refused",
        "a looser policy lets an agent do what its host has forbidden",
        Gate::cli_scenario("text").with_capability("policy"),
        policy_is_strict,
    ),
];

/// How long the agent CLI must make no progress without an answer.
const NO_PROGRESS_WINDOW: Duration = Duration::from_millis(300);

/// The total timeout of the run whose approval stays unanswered, in milliseconds.
const TOTAL_MS: u64 = 800;

/// The placeholders that were bound after the approval request: what the agent CLI received.
type Bound = BTreeMap<String, Value>;

/// A run whose agent CLI has requested an approval.
struct PendingApproval {
    run_id: String,
    approval_id: String,
    /// The index of its invocation of the fake CLI.
    index: usize,
    /// The placeholders that were bound before the request.
    bound: Bound,
}

impl PendingApproval {
    /// Starts the scenario and waits for the approval request.
    fn begin(adapter: &mut AdapterClient, prepared: &PreparedRun) -> Result<Self, Finding> {
        let index = adapter.fake_cli.starts().len();
        adapter.begin(prepared)?;
        let run_id = prepared.run_id().to_owned();
        let received =
            adapter.wait_event(&run_id, SHORT_RUN_TIMEOUT, "`approval_requested`", |received| {
                received.type_name() == "approval_requested"
            })?;
        let approval_id = received.value["approvalId"].as_str().unwrap_or_default().to_owned();
        let bound = bound(adapter, index);
        Ok(Self { run_id, approval_id, index, bound })
    }

    /// Returns what the agent CLI received since the request.
    fn received(&self, adapter: &AdapterClient) -> Bound {
        let now = bound(adapter, self.index);
        now.into_iter().filter(|(name, _)| !self.bound.contains_key(name)).collect()
    }

    fn respond(&self, adapter: &mut AdapterClient, outcome: &str) -> Result<Answer, Finding> {
        let params = json!({
            "runId": self.run_id, "approvalId": self.approval_id, "outcome": outcome,
        });
        adapter.request(RESPOND_RUN.name, params)
    }

    /// Returns every resolution of the approval.
    fn resolved(&self, record: &RunRecord) -> Vec<ApprovalOutcome> {
        record
            .of_type("approval_resolved")
            .filter_map(|received| match received.event()? {
                Event::ApprovalResolved(resolved) => Some(resolved),
                _ => None,
            })
            .filter(|resolved| resolved.approval_id == self.approval_id)
            .map(|resolved| resolved.outcome)
            .collect()
    }
}

fn bound(adapter: &AdapterClient, index: usize) -> Bound {
    adapter.fake_cli.starts().into_iter().nth(index).unwrap_or_default().bound
}

/// Approves, and returns what the agent CLI receives then.
fn approved(context: &mut CheckContext, adapter: &mut AdapterClient) -> Result<Bound, Finding> {
    let prepared = context.prepare("approval")?;
    let sent =
        "run/start; the agent CLI requests an approval; 300 ms later run/respond with allow_once";
    let pending = PendingApproval::begin(adapter, &prepared)?;
    adapter.listen(NO_PROGRESS_WINDOW);
    let early = adapter.run(&pending.run_id);
    let received_early = pending.received(adapter);
    let continued = ["approval_resolved", "tool_result", "done"];
    if !received_early.is_empty() || continued.iter().any(|name| early.position(name).is_some()) {
        let got = format!("it received {received_early:?}; events: {}", early.summary());
        return Err(early.failure("no progress until `run/respond`", got, sent));
    }
    let answer = pending.respond(adapter, "allow_once")?;
    if let Answer::Error(_) = &answer {
        return Err(adapter.failure("run/respond is accepted", answer.summary(), sent));
    }
    let record = adapter.finish(&pending.run_id, SHORT_RUN_TIMEOUT)?;
    completed(&record, sent)?;
    let resolved = pending.resolved(&record);
    if resolved != [ApprovalOutcome::AllowOnce] {
        let expected = "`approval_resolved` once, with allow_once";
        return Err(record.failure(expected, format!("{resolved:?}"), sent));
    }
    Ok(pending.received(adapter))
}

fn waits_for_answer(context: &mut CheckContext) -> CheckOutcome {
    let mut adapter = context.launch()?;
    approved(context, &mut adapter).map(drop)
}

fn never_approves(context: &mut CheckContext) -> CheckOutcome {
    let mut adapter = context.launch()?;
    let approval = approved(context, &mut adapter).map_err(|finding| {
        finding.map_failure(|failure| Finding::Blocked(format!("APR-01: {}", failure.got)))
    })?;
    if approval.is_empty() {
        return Err(Finding::Untestable(
            "the step that waits for the answer must bind its content, for example with {{?allow}}"
                .to_owned(),
        ));
    }
    for outcome in ["reject_once", "allow_everything_of_a_later_version", ""] {
        denied(context, &mut adapter, outcome, &approval)?;
    }
    let prepared = context.prepare("approval")?;
    let pending = PendingApproval::begin(&mut adapter, &prepared)?;
    adapter.cancel(&pending.run_id)?;
    ends_without_approval(
        &mut adapter,
        &pending,
        &approval,
        "run/cancel during the approval request",
    )?;
    let mut prepared = context.prepare("approval")?;
    prepared.request.timeouts.total_ms = Some(TOTAL_MS);
    let pending = PendingApproval::begin(&mut adapter, &prepared)?;
    let sent = format!("no answer, timeouts.totalMs is {TOTAL_MS}");
    ends_without_approval(&mut adapter, &pending, &approval, &sent)
}

/// Sends an answer that is not an approval; a second answer must be refused.
fn denied(
    context: &mut CheckContext,
    adapter: &mut AdapterClient,
    outcome: &str,
    approval: &Bound,
) -> CheckOutcome {
    let prepared = context.prepare("approval")?;
    let pending = PendingApproval::begin(adapter, &prepared)?;
    let sent = format!("run/respond with outcome {outcome:?}");
    if let Answer::Error(_) = pending.respond(adapter, outcome)? {
        // A refused outcome is not an approval either, but the request stays open.
        adapter.cancel(&pending.run_id)?;
    } else {
        let again = pending.respond(adapter, "allow_once")?;
        let kinds = [ErrorKind::ApprovalUnknown, ErrorKind::RunUnknown];
        let is_refused = matches!(&again, Answer::Error(error) if kinds.contains(&error.kind()));
        if !is_refused {
            let expected = "approval_unknown, since the approval is already resolved";
            let sent = format!("{sent}, then with allow_once");
            return Err(adapter.failure(expected, again.summary(), sent));
        }
    }
    ends_without_approval(adapter, &pending, approval, &sent)
}

/// Fails unless the run ends without approval and the approval is resolved once with a denial.
fn ends_without_approval(
    adapter: &mut AdapterClient,
    pending: &PendingApproval,
    approval: &Bound,
    sent: &str,
) -> CheckOutcome {
    let record = adapter.finish(&pending.run_id, SHORT_RUN_TIMEOUT)?;
    let received = pending.received(adapter);
    if received == *approval {
        let expected = format!("anything but {approval:?}, which means approved");
        return Err(record.failure(expected, format!("the agent CLI received {received:?}"), sent));
    }
    let resolved = pending.resolved(&record);
    match resolved.as_slice() {
        [outcome] if !outcome.is_allowed() => Ok(()),
        _ => {
            let expected = "`approval_resolved` once, with a denial";
            Err(record.failure(expected, format!("{resolved:?}"), sent))
        }
    }
}

fn policy_reaches_cli(context: &mut CheckContext) -> CheckOutcome {
    let mut adapter = context.launch()?;
    let (allowed, denied) = (context.nonce(), context.nonce());
    let mut prepared = context.prepare("text")?;
    prepared.request.policy = Some(Policy {
        shell_allow: vec![allowed, denied.clone()],
        shell_deny: vec![denied.clone()],
        ask: vec![ApprovalCategory::Execute],
        network: Some(NetworkMode::None),
    });
    let sent = format!("run/start with a policy that allows and denies the command {denied}");
    let completed_run = execute_on(&mut adapter, prepared)?;
    let invocation = completed_run.invocation.unwrap_or_default();
    if received_text(&invocation, &denied) {
        return completed(&completed_run.record, &sent);
    }
    let expected = format!("{denied} in an argument, an input line or a variable of the agent CLI");
    let got = format!("arguments {:?}", invocation.args);
    Err(completed_run.record.failure(expected, got, &sent))
}

fn policy_is_strict(context: &mut CheckContext) -> CheckOutcome {
    let mut adapter = context.launch()?;
    let prepared = context.prepare("text")?;
    let with = |policy: Policy| {
        let mut prepared = prepared.clone();
        prepared.request.policy = Some(policy);
        prepared
    };
    let command = format!("tool{}", context.nonce());
    let denied = Policy { shell_deny: vec![command.clone()], ..Policy::default() };
    let both = Policy { shell_allow: vec![command.clone()], ..denied.clone() };
    let sent = format!("run/start with a policy that denies the command {command}");
    let once = CliInput::record(context, &mut adapter, &with(denied), &sent)?.count(&command);
    let sent = format!("{sent} and allows it too");
    let twice = CliInput::record(context, &mut adapter, &with(both), &sent)?;
    if twice.count(&command) > once {
        let expected = format!("{command} occurs {once} time(s), as if it were only denied");
        let got = format!("it occurs {} times: {}", twice.count(&command), twice.summary());
        return Err(adapter.failure(expected, got, sent));
    }
    let sent = "run/start with a policy whose network is default, then none";
    let open = Policy { network: Some(NetworkMode::Default), ..Policy::default() };
    let open = CliInput::record(context, &mut adapter, &with(open), sent)?;
    let closed = Policy { network: Some(NetworkMode::None), ..Policy::default() };
    if is_refused(context, &mut adapter, &with(closed.clone()))? {
        return Ok(());
    }
    let closed = CliInput::record(context, &mut adapter, &with(closed), sent)?;
    if closed == open {
        let expected = "the agent CLI receives the closed network, or the run is refused";
        return Err(adapter.failure(
            expected,
            format!("the same input as with an open network: {}", closed.summary()),
            sent,
        ));
    }
    Ok(())
}

/// Whether the adapter refuses a run whose policy it cannot enforce; a run that is accepted is
/// completed.
fn is_refused(
    context: &mut CheckContext,
    adapter: &mut AdapterClient,
    prepared: &PreparedRun,
) -> Result<bool, Finding> {
    let mut prepared = prepared.clone();
    prepared.request.run_id = format!("run-{}", context.nonce());
    let kinds = [ErrorKind::CapabilityUnsupported, ErrorKind::ConfigInvalid];
    match adapter.try_begin(&prepared)? {
        Answer::Error(error) if kinds.contains(&error.kind()) => Ok(true),
        Answer::Error(_) => Ok(false),
        Answer::Result(_) => adapter.finish(prepared.run_id(), SHORT_RUN_TIMEOUT).map(|_| false),
    }
}
