//! APR: approvals. The agent CLI waits for the answer, and only an explicit approval counts.

use std::time::Duration;

use od_protocol::{ApprovalResolver, DoneStatus, ErrorKind};
use serde_json::json;

use super::AdapterCheck;
use super::approval_answers::{edited_input, foreign_answers, request_content, resolution_values};
use super::expectations::{SHORT_RUN_TIMEOUT, describe_end};
use super::pending_approval::{Bound, PendingApproval, approved, known_approval};
use super::policy::{policy_is_strict, policy_reaches_cli};
use crate::adapter_client::{AdapterClient, Answer};
use crate::check::{Gate, active};
use crate::context::{CheckContext, LaunchOptions};
use crate::outcome::{CheckOutcome, Finding};

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
    active(
        "APR-05",
        "for a host that answers no approvals every request is denied at once and reported with \
         `approval_requested` and `approval_resolved` by policy",
        "a script without a user must neither wait forever nor run what nobody allowed",
        Gate::cli_scenario("approval").with_capability("approvals"),
        denies_without_host,
    ),
    active(
        "APR-06",
        "an approval with `deadlineMs` is denied by `timeout` at that time and not before, even if \
         it is longer than `idleMs`; a later answer is `approval_unknown`",
        "a host shows the time that is left; an approval after it would run unexpectedly",
        Gate::cli_scenario("approval").with_capability("approvals"),
        deadline_denies,
    ),
    active(
        "APR-07",
        "`updatedInput` of an approval reaches the agent CLI where `approvals.editInput` is \
         declared, otherwise it is `capability_unsupported` and the approval stays open; with a \
         rejection it is a rejection",
        "a user who corrects a command must not see the original one run",
        Gate::cli_scenario("approval").with_capability("approvals"),
        edited_input,
    ),
    active(
        "APR-08",
        "an answer with the id of another run or of another approval is refused, nothing reaches \
         the agent CLI, and the approval can still be answered",
        "an approval for one task must never allow a command of another task",
        Gate::cli_scenario("approval").with_capability("approvals"),
        foreign_answers,
    ),
    active(
        "APR-09",
        "`approval_resolved` repeats the outcome and `by` of `run/respond`, by default `user`; an \
         outcome that was not offered counts as its `_once` form; a cancelled run resolves by \
         `cancel`",
        "an audit must show who decided what",
        Gate::cli_scenario("approval").with_capability("approvals"),
        resolution_values,
    ),
    active(
        "APR-10",
        "`approval_requested` describes what would happen in one line, offers an approval and a \
         rejection with unique ids, and refers to an open call of the run",
        "a user can decide only about what the request shows",
        Gate::cli_scenario("approval").with_capability("approvals"),
        request_content,
    ),
];

/// The total timeout of the run whose approval stays unanswered, in milliseconds.
const TOTAL_MS: u64 = 800;

/// How long an adapter may take to deny a request that nobody answers.
const DENIAL_TIMEOUT: Duration = Duration::from_secs(5);

/// Longer deadlines are not waited for.
const MAX_DEADLINE_MS: u64 = 20_000;

/// The share of a deadline that must have passed, in percent: clocks differ a little.
const MIN_DEADLINE_PERCENT: u64 = 90;

fn waits_for_answer(context: &mut CheckContext) -> CheckOutcome {
    let mut adapter = context.launch()?;
    approved(context, &mut adapter).map(drop)
}

fn never_approves(context: &mut CheckContext) -> CheckOutcome {
    let mut adapter = context.launch()?;
    let approval = known_approval(context, &mut adapter)?;
    for outcome in ["reject_once", "allow_everything_of_a_later_version", ""] {
        denied(context, &mut adapter, outcome, &approval)?;
    }
    let prepared = context.prepare("approval")?;
    let pending = PendingApproval::begin(&mut adapter, &prepared)?;
    adapter.cancel(&pending.run_id)?;
    let sent = "run/cancel during the approval request";
    pending.ends_without_approval(&mut adapter, &approval, sent)?;
    let mut prepared = context.prepare("approval")?;
    prepared.request.timeouts.total_ms = Some(TOTAL_MS);
    let pending = PendingApproval::begin(&mut adapter, &prepared)?;
    let sent = format!("no answer, timeouts.totalMs is {TOTAL_MS}");
    pending.ends_without_approval(&mut adapter, &approval, &sent).map(drop)
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
    pending.ends_without_approval(adapter, approval, &sent).map(drop)
}

fn denies_without_host(context: &mut CheckContext) -> CheckOutcome {
    let mut answering = context.launch()?;
    let approval = known_approval(context, &mut answering)?;
    let options = LaunchOptions { answers_approvals: false, ..LaunchOptions::default() };
    let mut adapter = context.launch_with(&options)?;
    let prepared = context.prepare("approval")?;
    let sent = "run/start of a host without the capability approvals; the agent CLI requests one";
    let other_arguments = answering.fake_cli.starts().pop().unwrap_or_default().args;
    let pending = PendingApproval::begin(&mut adapter, &prepared).map_err(|finding| {
        let start = adapter.fake_cli.starts().pop().unwrap_or_default();
        if start.expect_failed.is_some() && start.args != other_arguments {
            let reason = "not evaluated: for such a host the adapter starts the agent CLI in \
                          another way, which the pack does not describe";
            return Finding::Skip(reason.to_owned());
        }
        finding.map_failure(|failure| failure.sent(sent).into())
    })?;
    let limit = context.limit(DENIAL_TIMEOUT);
    let resolved = adapter.wait_event(
        &pending.run_id,
        DENIAL_TIMEOUT,
        "`approval_resolved`, since nobody can answer",
        |received| received.type_name() == "approval_resolved",
    )?;
    let took = resolved.at.saturating_duration_since(pending.event.at);
    adapter.ensure(
        took <= limit,
        format!("a denial within {limit:.1?}"),
        format!("it took {took:.1?}"),
        sent,
    )?;
    let record = pending.ends_without_approval(&mut adapter, &approval, sent)?;
    let by: Vec<ApprovalResolver> =
        pending.resolutions(&record).into_iter().map(|resolved| resolved.by).collect();
    if by != [ApprovalResolver::Policy] {
        return Err(record.failure("`approval_resolved` by policy", format!("by {by:?}"), sent));
    }
    let status = record.done().map(|done| done.status);
    let is_ended = matches!(status, Some(DoneStatus::Completed | DoneStatus::Failed));
    let expected = "the run continues and is completed, or fails with an error kind";
    record.ensure(is_ended, expected, describe_end(&record), sent)
}

fn deadline_denies(context: &mut CheckContext) -> CheckOutcome {
    let mut adapter = context.launch()?;
    let approval = known_approval(context, &mut adapter)?;
    let first = PendingApproval::begin(&mut adapter, &context.prepare("approval")?)?;
    let deadline_ms = first.requested()?.deadline_ms;
    adapter.cancel(&first.run_id)?;
    adapter.finish(&first.run_id, SHORT_RUN_TIMEOUT)?;
    let Some(deadline_ms) = deadline_ms else {
        return Err(Finding::Skip("`approval_requested` announces no deadlineMs".to_owned()));
    };
    if deadline_ms > MAX_DEADLINE_MS {
        return Err(Finding::Skip(format!(
            "not evaluated: deadlineMs is {deadline_ms}, and the suite waits at most \
             {MAX_DEADLINE_MS} ms"
        )));
    }
    let mut prepared = context.prepare("approval")?;
    let idle_ms = (deadline_ms / 3).max(1);
    prepared.request.timeouts.idle_ms = Some(idle_ms);
    let sent = format!("no answer until deadlineMs ({deadline_ms}), timeouts.idleMs is {idle_ms}");
    let pending = PendingApproval::begin(&mut adapter, &prepared)?;
    let limit = Duration::from_millis(deadline_ms) + DENIAL_TIMEOUT;
    let wanted = format!("`approval_resolved` at deadlineMs ({deadline_ms})");
    let resolved = adapter.wait_event(&pending.run_id, limit, &wanted, |received| {
        received.type_name() == "approval_resolved"
    })?;
    let seen = resolved.at.saturating_duration_since(pending.event.at).as_millis();
    let reported = resolved.ts.saturating_sub(pending.event.ts);
    // An event that was read late makes the time seen shorter than the time reported.
    let waited = reported.max(u64::try_from(seen).unwrap_or(u64::MAX));
    adapter.ensure(
        waited * 100 >= deadline_ms * MIN_DEADLINE_PERCENT,
        format!("the approval stays open for {deadline_ms} ms"),
        format!("it was resolved after {waited} ms: {}", resolved.value),
        &sent,
    )?;
    let by = resolved.value["by"].clone();
    adapter.ensure(by == "timeout", "resolved by timeout", format!("by {by}"), &sent)?;
    let late = pending.respond_with(&mut adapter, json!({"outcome": "allow_once"}))?;
    let kinds = [ErrorKind::ApprovalUnknown, ErrorKind::RunUnknown];
    let is_refused = matches!(&late, Answer::Error(error) if kinds.contains(&error.kind()));
    let expected = "approval_unknown, since the deadline has passed";
    adapter.ensure(is_refused, expected, late.summary(), "run/respond after the deadline")?;
    pending.ends_without_approval(&mut adapter, &approval, &sent).map(drop)
}
