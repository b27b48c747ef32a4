//! Answers to approvals, and what a request shows: APR-07 to APR-10, which `approvals` lists.

use std::collections::BTreeSet;

use od_protocol::{ApprovalCategory, ApprovalOutcome, ApprovalRequested, ErrorKind};
use serde_json::{Value, json};

use super::expectations::{SHORT_RUN_TIMEOUT, completed};
use super::pending_approval::{Bound, PendingApproval, known_approval};
use crate::adapter_client::{AdapterClient, Answer, RunRecord};
use crate::context::CheckContext;
use crate::outcome::{CheckOutcome, Finding, shorten};

/// Edits the input of a call.
pub(super) fn edited_input(context: &mut CheckContext) -> CheckOutcome {
    let mut adapter = context.launch()?;
    let approval = known_approval(context, &mut adapter)?;
    if !context.suite.declares("approvals.editInput") {
        return refuses_edit(context, &mut adapter);
    }
    let prepared = context.prepare("approval")?;
    let pending = PendingApproval::begin(&mut adapter, &prepared)?;
    let mark = format!("edited{}", context.nonce());
    let input = edited(&pending.requested()?, &mark);
    let sent = format!("run/respond with allow_once and updatedInput {input}");
    let members = json!({"outcome": "allow_once", "updatedInput": input});
    pending.respond_accepted(&mut adapter, members, &sent)?;
    let record = adapter.finish(&pending.run_id, SHORT_RUN_TIMEOUT)?;
    completed(&record, &sent)?;
    let start = adapter.fake_cli.starts().into_iter().nth(pending.index).unwrap_or_default();
    if !start.received_text().contains(&mark) {
        let expected = format!("the agent CLI receives {mark:?}");
        let got = format!("it received {:?}", pending.received(&adapter));
        return Err(record.failure(expected, got, &sent));
    }
    let prepared = context.prepare("approval")?;
    let pending = PendingApproval::begin(&mut adapter, &prepared)?;
    let sent = "run/respond with reject_once and updatedInput";
    let input = edited(&pending.requested()?, &mark);
    let answer = pending
        .respond_with(&mut adapter, json!({"outcome": "reject_once", "updatedInput": input}))?;
    if let Answer::Error(_) = answer {
        // A refusal is not an approval either.
        adapter.cancel(&pending.run_id)?;
    }
    pending.ends_without_approval(&mut adapter, &approval, sent).map(drop)
}

/// The input of the call with another text in place of each of its texts.
fn edited(requested: &ApprovalRequested, mark: &str) -> Value {
    let edited = |value: &Value| match value {
        Value::String(_) => Value::from(mark),
        other => other.clone(),
    };
    let members = requested.input.as_ref().and_then(Value::as_object);
    let mut input: serde_json::Map<String, Value> =
        members.into_iter().flatten().map(|(name, value)| (name.clone(), edited(value))).collect();
    if !input.values().any(|value| value == mark) {
        input.insert("command".to_owned(), mark.into());
    }
    Value::Object(input)
}

fn refuses_edit(context: &mut CheckContext, adapter: &mut AdapterClient) -> CheckOutcome {
    let prepared = context.prepare("approval")?;
    let pending = PendingApproval::begin(adapter, &prepared)?;
    let sent = "run/respond with updatedInput; approvals.editInput is not declared";
    let members = json!({"outcome": "allow_once", "updatedInput": {"command": context.nonce()}});
    let answer = pending.respond_with(adapter, members)?;
    let error = adapter.expect_error(answer, &ErrorKind::CapabilityUnsupported, sent)?;
    let which = error.data.and_then(|data| data.which).unwrap_or_default();
    let expected = "data.which names approvals.editInput";
    adapter.ensure(which.starts_with("approvals"), expected, format!("{which:?}"), sent)?;
    pending.still_waits(adapter, sent)?;
    pending.respond_accepted(adapter, json!({"outcome": "allow_once"}), sent)?;
    completed(&adapter.finish(&pending.run_id, SHORT_RUN_TIMEOUT)?, sent)
}

/// Answers with ids of other runs and approvals.
pub(super) fn foreign_answers(context: &mut CheckContext) -> CheckOutcome {
    let mut adapter = context.launch()?;
    let approval = known_approval(context, &mut adapter)?;
    let finished = adapter.inbox.runs.keys().next().cloned().unwrap_or_default();
    let first = PendingApproval::begin(&mut adapter, &context.prepare("approval")?)?;
    let nonce = context.nonce();
    let mut foreign = vec![
        json!({"runId": format!("run-{nonce}")}),
        json!({"runId": finished}),
        json!({"runId": ""}),
        json!({"approvalId": format!("approval-{nonce}")}),
        json!({"approvalId": format!("{}-{nonce}", first.approval_id)}),
        json!({"approvalId": ""}),
    ];
    let second = second_request(context, &mut adapter)?;
    if let Some(second) = second.as_ref().filter(|it| it.approval_id != first.approval_id) {
        foreign.push(json!({"runId": second.run_id}));
        foreign.push(json!({"approvalId": second.approval_id}));
    }
    for mut members in foreign {
        let mut kinds = vec![ErrorKind::ApprovalUnknown, ErrorKind::RunUnknown];
        if members["runId"] == "" || members["approvalId"] == "" {
            kinds.push(ErrorKind::InvalidParams);
        }
        members["outcome"] = "allow_once".into();
        let sent = format!("run/respond of the run {} with {members}", first.run_id);
        let answer = first.respond_with(&mut adapter, members)?;
        let is_refused = matches!(&answer, Answer::Error(error) if kinds.contains(&error.kind()));
        let expected = "approval_unknown or run_unknown";
        adapter.ensure(is_refused, expected, answer.summary(), sent)?;
    }
    let sent = "answers with the ids of other runs and approvals";
    first.still_waits(&mut adapter, sent)?;
    if let Some(second) = &second {
        second.still_waits(&mut adapter, sent)?;
    }
    finishes_apart(&mut adapter, &first, second.as_ref(), &approval)
}

/// Starts a second run that waits for an approval; `None` if the adapter supports only one run.
fn second_request(
    context: &mut CheckContext,
    adapter: &mut AdapterClient,
) -> Result<Option<PendingApproval>, Finding> {
    let prepared = context.prepare("approval")?;
    let index = adapter.fake_cli.starts().len();
    match adapter.try_begin(&prepared)? {
        Answer::Error(error) if error.kind() == ErrorKind::TooManyRuns => Ok(None),
        refused @ Answer::Error(_) => {
            let expected = "the run is accepted, or refused with too_many_runs";
            let sent = "run/start while another run waits for an approval";
            Err(adapter.failure(expected, refused.summary(), sent))
        }
        Answer::Result(_) => PendingApproval::wait(adapter, prepared.run_id(), index).map(Some),
    }
}

/// Approves the first request and rejects the second: each answer reaches only its own agent CLI.
fn finishes_apart(
    adapter: &mut AdapterClient,
    first: &PendingApproval,
    second: Option<&PendingApproval>,
    approval: &Bound,
) -> CheckOutcome {
    let sent = "run/respond with allow_once and the right ids";
    first.respond_accepted(adapter, json!({"outcome": "allow_once"}), sent)?;
    let record = adapter.finish(&first.run_id, SHORT_RUN_TIMEOUT)?;
    completed(&record, sent)?;
    let received = first.received(adapter);
    if received != *approval {
        let expected = format!("the agent CLI receives {approval:?}");
        return Err(record.failure(expected, format!("{received:?}"), sent));
    }
    let Some(second) = second else { return Ok(()) };
    second.still_waits(adapter, "run/respond with allow_once for another run")?;
    let sent = "run/respond with reject_once after the approval of another run";
    second.respond_accepted(adapter, json!({"outcome": "reject_once"}), sent)?;
    second.ends_without_approval(adapter, approval, sent).map(drop)
}

/// Compares the values of `approval_resolved`.
pub(super) fn resolution_values(context: &mut CheckContext) -> CheckOutcome {
    let mut adapter = context.launch()?;
    let approval = known_approval(context, &mut adapter)?;
    let answers = [
        ("allow_once", Value::Null),
        ("allow_once", "policy".into()),
        ("reject_once", Value::Null),
        ("reject_once", "policy".into()),
        ("allow_always", "user".into()),
        ("reject_always", Value::Null),
    ];
    for (outcome, by) in answers {
        resolves_as(context, &mut adapter, outcome, &by, &approval)?;
    }
    let pending = PendingApproval::begin(&mut adapter, &context.prepare("approval")?)?;
    adapter.cancel(&pending.run_id)?;
    let sent = "run/cancel during the approval request";
    let record = pending.ends_without_approval(&mut adapter, &approval, sent)?;
    resolved_by(&pending, &record, "cancel", sent)
}

fn resolves_as(
    context: &mut CheckContext,
    adapter: &mut AdapterClient,
    outcome: &str,
    by: &Value,
    approval: &Bound,
) -> CheckOutcome {
    let pending = PendingApproval::begin(adapter, &context.prepare("approval")?)?;
    let mut members = json!({"outcome": outcome});
    if !by.is_null() {
        members["by"] = by.clone();
    }
    let sent = format!("run/respond with {members}");
    pending.respond_accepted(adapter, members, &sent)?;
    let record = adapter.finish(&pending.run_id, SHORT_RUN_TIMEOUT)?;
    let expected = as_offered(&pending.requested()?, outcome);
    let resolved = pending.resolved(&record);
    if resolved != [expected] {
        let expected = format!("`approval_resolved` once, with {expected}");
        return Err(record.failure(expected, format!("{resolved:?}"), &sent));
    }
    resolved_by(&pending, &record, by.as_str().unwrap_or("user"), &sent)?;
    let received = pending.received(adapter);
    let must_equal = expected == ApprovalOutcome::AllowOnce;
    if must_equal && received != *approval || !expected.is_allowed() && received == *approval {
        let word = if must_equal { "exactly" } else { "anything but" };
        let expected = format!("the agent CLI receives {word} {approval:?}");
        return Err(record.failure(expected, format!("{received:?}"), &sent));
    }
    Ok(())
}

/// The outcome as the agent CLI offers it: without `always` it counts once.
fn as_offered(requested: &ApprovalRequested, outcome: &str) -> ApprovalOutcome {
    match ApprovalOutcome::from_wire(outcome) {
        given if requested.options.iter().any(|option| option.kind == given) => given,
        ApprovalOutcome::AllowAlways => ApprovalOutcome::AllowOnce,
        ApprovalOutcome::RejectAlways => ApprovalOutcome::RejectOnce,
        given => given,
    }
}

fn resolved_by(
    pending: &PendingApproval,
    record: &RunRecord,
    by: &str,
    sent: &str,
) -> CheckOutcome {
    let got: Vec<String> =
        pending.resolutions(record).iter().map(|resolved| resolved.by.to_string()).collect();
    record.ensure(got == [by], format!("resolved by {by}"), format!("by {got:?}"), sent)
}

/// Checks the content of a request.
pub(super) fn request_content(context: &mut CheckContext) -> CheckOutcome {
    let mut adapter = context.launch()?;
    let prepared = context.prepare("approval")?;
    let pending = PendingApproval::begin(&mut adapter, &prepared)?;
    let requested = pending.requested()?;
    let at_request = adapter.run(&pending.run_id);
    pending.respond_accepted(&mut adapter, json!({"outcome": "reject_once"}), "reject_once")?;
    let record = adapter.finish(&pending.run_id, SHORT_RUN_TIMEOUT)?;
    let sent = "run/start; the agent CLI requests an approval for a command";
    let shown = shorten(&pending.event.value.to_string(), 400);
    let fail = |expected: &str| Err(record.failure(expected, shown.clone(), sent));
    let summary = requested.summary.trim();
    if summary.is_empty() || summary.contains('\n') {
        return fail("a summary of one line that is not empty");
    }
    let pack = context.suite.pack()?;
    let command = prepared.values.text("tool_command");
    let mark = command.rsplit(' ').next().unwrap_or_default();
    let is_command = pack.prints_value("approval", "tool_command");
    if is_command && !summary.contains(mark) {
        return fail(&format!("a summary that shows the command {command:?}"));
    }
    let input = requested.input.as_ref().map(Value::to_string);
    if is_command && input.is_some_and(|input| !input.contains(mark)) {
        return fail(&format!("an input that contains the command {command:?}"));
    }
    let categories = [ApprovalCategory::Execute, ApprovalCategory::Other];
    if is_command && !categories.contains(&requested.category) {
        return fail("the category execute, since a command is requested");
    }
    let ids: BTreeSet<&str> = requested.options.iter().map(|option| option.id.as_str()).collect();
    if ids.len() != requested.options.len() || ids.contains("") {
        return fail("options whose ids are unique and not empty");
    }
    let (allowing, rejecting): (Vec<_>, Vec<_>) =
        requested.options.iter().partition(|option| option.kind.is_allowed());
    if allowing.is_empty() || rejecting.is_empty() {
        return fail("an option that allows and an option that rejects");
    }
    if requested.approval_id.is_empty() || requested.deadline_ms == Some(0) {
        return fail("an approvalId that is not empty, and a deadlineMs above 0 or null");
    }
    names_open_call(&requested, &at_request, &record, sent)
}

/// Fails if `toolCallId` is not a call of this run, or one that had already ended.
fn names_open_call(
    requested: &ApprovalRequested,
    at_request: &RunRecord,
    record: &RunRecord,
    sent: &str,
) -> CheckOutcome {
    let Some(id) = requested.tool_call_id.as_deref() else { return Ok(()) };
    let names = |record: &RunRecord, name: &str| {
        record.of_type(name).any(|received| received.value["toolCallId"] == id)
    };
    let is_open = names(record, "tool_call_started") && !names(at_request, "tool_result");
    let expected = format!("toolCallId {id:?} is an open call of the run");
    record.ensure(is_open, expected, record.summary(), sent)
}
