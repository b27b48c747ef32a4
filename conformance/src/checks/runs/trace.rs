//! `tracePath`.

use std::path::{Path, PathBuf};

use od_protocol::ErrorKind;
use od_protocol::adapter::CancelRunParams;

use crate::adapter_client::{AdapterClient, Answer};
use crate::checks::cancellation::{STOP_TIMEOUT, prepare_hanging, start_and_wait_for_output};
use crate::checks::expectations::{SHORT_RUN_TIMEOUT, completed, plain_answer, still_answers};
use crate::context::CheckContext;
use crate::fake_cli::pattern::fill;
use crate::fake_cli::{Outlet, Script, Step};
use crate::outcome::{CheckOutcome, shorten};
use crate::prepared_run::PreparedRun;

pub(super) fn complete_or_refused(context: &mut CheckContext) -> CheckOutcome {
    plain_answer(context)?;
    let mut adapter = context.launch()?;
    let folder = context.folder("trace")?;
    let mut prepared = context.prepare("text")?;
    let trace = set_trace(&mut prepared, folder.join("completed.log"));
    let sent = "run/start with tracePath";
    if let refused @ Answer::Error(_) = adapter.try_begin(&prepared)? {
        return refused_before_start(&adapter, &refused, sent);
    }
    completed(&adapter.finish(prepared.run_id(), SHORT_RUN_TIMEOUT)?, sent)?;
    contains_output(&adapter, &prepared.script, &trace, sent)?;
    failed_run(context, &mut adapter, &folder)?;
    cancelled_run(context, &mut adapter, &folder)?;
    missing_folder(context, &mut adapter, &folder)
}

fn set_trace(prepared: &mut PreparedRun, file: PathBuf) -> PathBuf {
    prepared.request.trace_path = Some(file.to_string_lossy().into_owned());
    file
}

fn refused_before_start(adapter: &AdapterClient, refused: &Answer, sent: &str) -> CheckOutcome {
    let is_typed = matches!(
        refused,
        Answer::Error(error) if error.kind() == ErrorKind::CapabilityUnsupported
    );
    let expected = "the run is accepted, or refused as capability_unsupported";
    adapter.ensure(is_typed, expected, refused.summary(), sent)?;
    let starts = adapter.fake_cli.starts().len();
    adapter.ensure(starts == 0, "a refusal before the agent CLI is started", "it was started", sent)
}

fn failed_run(
    context: &mut CheckContext,
    adapter: &mut AdapterClient,
    folder: &Path,
) -> CheckOutcome {
    let mut prepared = prepare_hanging(context, &[])?;
    prepared.script.steps.retain(|step| *step != Step::Hang);
    prepared.script.steps.push(Step::Exit { code: 9 });
    let trace = set_trace(&mut prepared, folder.join("failed.log"));
    adapter.complete_run(&prepared, SHORT_RUN_TIMEOUT)?;
    let sent = "run/start with tracePath; the agent CLI crashed";
    contains_output(adapter, &prepared.script, &trace, sent)
}

fn cancelled_run(
    context: &mut CheckContext,
    adapter: &mut AdapterClient,
    folder: &Path,
) -> CheckOutcome {
    let mut prepared = prepare_hanging(context, &[])?;
    let trace = set_trace(&mut prepared, folder.join("cancelled.log"));
    start_and_wait_for_output(context, adapter, &prepared)?;
    let run_id = prepared.run_id().to_owned();
    adapter.call(&CancelRunParams { run_id, grace_ms: Some(300), reason: None })?;
    adapter.finish(prepared.run_id(), STOP_TIMEOUT)?;
    let sent = "run/start with tracePath, then run/cancel";
    contains_output(adapter, &prepared.script, &trace, sent)
}

/// A trace that cannot be written: the run is refused with a kind, or it works without the trace.
fn missing_folder(
    context: &mut CheckContext,
    adapter: &mut AdapterClient,
    folder: &Path,
) -> CheckOutcome {
    let mut prepared = context.prepare("text")?;
    set_trace(&mut prepared, folder.join("missing").join("folder").join("trace.log"));
    let sent = "run/start with a tracePath in a missing folder";
    match adapter.try_begin(&prepared)? {
        Answer::Result(_) => drop(adapter.finish(prepared.run_id(), SHORT_RUN_TIMEOUT)?),
        Answer::Error(error) if error.kind() != ErrorKind::Internal => {}
        refused @ Answer::Error(_) => {
            let expected = "an error with a kind, or a run without a trace";
            return Err(adapter.failure(expected, refused.summary(), sent));
        }
    }
    still_answers(adapter, sent)
}

/// Fails unless the trace contains every printed line in order. What a server sends is not on its
/// stdout, so its trace need only exist.
fn contains_output(
    adapter: &AdapterClient,
    script: &Script,
    trace: &Path,
    sent: &str,
) -> CheckOutcome {
    let got = std::fs::read(trace).unwrap_or_default();
    let got = String::from_utf8_lossy(&got).into_owned();
    let is_server = script.steps.iter().any(|step| matches!(step, Step::Listen { .. }));
    if is_server {
        return adapter.ensure(!got.is_empty(), "a trace", "it is empty or missing", sent);
    }
    let invocation = adapter.fake_cli.starts().into_iter().next_back();
    let bound = invocation.map(|invocation| invocation.bound).unwrap_or_default();
    let mut lines = got.lines();
    for line in printed(script) {
        let line = fill(&line, &bound);
        if !lines.any(|traced| traced == line) {
            let expected = format!("the line {:?} in the trace, in order", shorten(&line, 200));
            let got = format!("{} bytes: {:?}", got.len(), shorten(&got, 300));
            return Err(adapter.failure(expected, got, sent));
        }
    }
    Ok(())
}

/// Returns the lines that a script prints on stdout.
fn printed(script: &Script) -> Vec<String> {
    let mut is_stdout = true;
    let mut lines = Vec::new();
    for step in &script.steps {
        match step {
            Step::Through { outlet } => is_stdout = *outlet == Outlet::Stdout,
            Step::Out { text, .. } if is_stdout => lines.push(text.clone()),
            _ => {}
        }
    }
    lines
}
