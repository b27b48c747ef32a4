//! The policy of a run: APR-03 and APR-04, which `approvals` lists.

use od_protocol::{ApprovalCategory, ErrorKind, NetworkMode, Policy};

use super::cli_input::CliInput;
use super::expectations::{SHORT_RUN_TIMEOUT, completed, received_text};
use crate::adapter_client::{AdapterClient, Answer};
use crate::context::{CheckContext, execute_on};
use crate::outcome::{CheckOutcome, Finding};
use crate::prepared_run::PreparedRun;

pub(super) fn policy_reaches_cli(context: &mut CheckContext) -> CheckOutcome {
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

pub(super) fn policy_is_strict(context: &mut CheckContext) -> CheckOutcome {
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
