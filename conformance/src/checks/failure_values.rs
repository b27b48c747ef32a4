//! The content of errors and of failed runs: ERR-07 to ERR-09 and ERR-11, which `errors` lists.

use std::path::PathBuf;

use od_protocol::adapter::METHODS;
use od_protocol::{DoneStatus, ErrorEvent, ErrorKind, ErrorObject};
use serde_json::json;

use super::cancellation::prepare_hanging;
use super::capabilities::{OPTIONS, with_members};
use super::expectations::{
    SHORT_RUN_TIMEOUT, describe_end, failed_with, line_with, output_steps, plain_answer, same_text,
};
use crate::adapter_client::{AdapterClient, Answer, RunRecord};
use crate::context::{CheckContext, CliPath, LaunchOptions};
use crate::fake_cli::{Outlet, Script, Step};
use crate::outcome::{CheckOutcome, Failure, Finding, shorten, skip_if};
use crate::prepared_run::PreparedRun;
use crate::script_variants::cut_after;

/// The time limit of the run that times out, in milliseconds.
const TOTAL_MS: u64 = 500;

/// The kinds that no repetition can help.
const PERMANENT: &[ErrorKind] = &[
    ErrorKind::AuthMissing,
    ErrorKind::AuthExpired,
    ErrorKind::AuthWrongAccount,
    ErrorKind::ModelUnknown,
    ErrorKind::ContextExceeded,
    ErrorKind::CliNotFound,
    ErrorKind::ConfigInvalid,
];

/// The kinds whose errors have a hint.
const WITH_HINT: &[ErrorKind] = &[
    ErrorKind::AuthMissing,
    ErrorKind::AuthExpired,
    ErrorKind::AuthWrongAccount,
    ErrorKind::CliNotFound,
];

/// An unknown model is reported as such.
pub(super) fn unknown_model(context: &mut CheckContext) -> CheckOutcome {
    let is_missing = !context.suite.has_scenario("model_unknown");
    skip_if(is_missing, "the pack has no scenario model_unknown")?;
    let prepared = context.prepare("model_unknown")?;
    let sent = "run/start of the scenario model_unknown";
    let mut adapter = context.launch()?;
    match adapter.try_begin(&prepared)? {
        Answer::Error(error) if error.kind() == ErrorKind::ModelUnknown => Ok(()),
        refused @ Answer::Error(_) => {
            Err(adapter.failure("an error of kind model_unknown", refused.summary(), sent))
        }
        Answer::Result(_) => {
            let record = adapter.finish(prepared.run_id(), SHORT_RUN_TIMEOUT)?;
            failed_with(&record, &[ErrorKind::ModelUnknown], sent)
        }
    }
}

/// The kinds, hints and flags of errors.
pub(super) fn flags_and_hints(context: &mut CheckContext) -> CheckOutcome {
    let scenarios = ["auth_fail_run", "context_exceeded", "model_unknown", "rate_limit"];
    for scenario in scenarios {
        if context.suite.has_scenario(scenario) {
            let completed_run = match context.shared_run(scenario) {
                Ok(completed_run) => completed_run,
                // The run is refused, which the checks of that error evaluate.
                Err(Finding::Fail(_)) => continue,
                Err(other) => return Err(other),
            };
            let sent = format!("run/start of the scenario {scenario}");
            let is_rate = scenario == "rate_limit" && !names_quota(&completed_run.prepared);
            let kind = is_rate.then_some(ErrorKind::RateLimited);
            fatal_error(&completed_run.record, kind, &sent)?;
        }
    }
    for (error, sent) in refusals(context)? {
        let event = ErrorEvent {
            hint: error.hint().map(str::to_owned),
            retryable: error.data.as_ref().is_some_and(|data| data.retryable),
            ..ErrorEvent::fatal(error.kind(), error.message.clone())
        };
        if let Some((expected, got)) = wrong_flag(&event) {
            return Err(Failure::new(expected, got).sent(sent).into());
        }
    }
    time_limit_has_name(context)?;
    capabilities_have_names(context)
}

/// Whether the agent CLI reports an exhausted quota rather than a rate.
fn names_quota(prepared: &PreparedRun) -> bool {
    let names = |step: &Step| match step {
        Step::Out { text, .. } | Step::Err { text } | Step::Reply { body: text, .. } => {
            let text = text.to_lowercase();
            ["quota", "usage"].iter().any(|word| text.contains(word))
        }
        _ => false,
    };
    prepared.script.steps.iter().any(names)
}

/// Checks the fatal error of a run.
fn fatal_error(record: &RunRecord, kind: Option<ErrorKind>, sent: &str) -> CheckOutcome {
    if let Some(kind) = kind {
        failed_with(record, &[kind], sent)?;
    }
    for error in record.errors() {
        if let Some((expected, got)) = wrong_flag(&error) {
            return Err(record.failure(expected, got, sent));
        }
    }
    Ok(())
}

/// Returns what is wrong with an error: the expectation and the value.
fn wrong_flag(error: &ErrorEvent) -> Option<(String, String)> {
    let shown = format!("{error:?}");
    let kind = &error.kind;
    if error.message.trim().is_empty() {
        return Some(("a message that is not empty".to_owned(), shown));
    }
    let has_hint = error.hint.as_ref().is_some_and(|hint| !hint.trim().is_empty());
    if WITH_HINT.contains(kind) && !has_hint {
        return Some((format!("a hint, since the kind is {kind}"), shown));
    }
    if PERMANENT.contains(kind) && error.retryable {
        return Some((format!("retryable false, since the kind is {kind}"), shown));
    }
    if *kind == ErrorKind::RateLimited && !error.retryable {
        return Some((format!("retryable true, since the kind is {kind}"), shown));
    }
    None
}

/// Errors of the adapter itself: a missing CLI, a missing folder, an unknown method.
fn refusals(context: &mut CheckContext) -> Result<Vec<(ErrorObject, String)>, Finding> {
    let mut errors = Vec::new();
    let missing = context.folder("empty")?.join("no-such-program");
    let options =
        LaunchOptions { cli_path: CliPath::At(missing.clone()), ..LaunchOptions::default() };
    let mut request = context.prepare("text")?.request;
    let sent = format!("run/start with config.cliPath {}", missing.display());
    let answer = context.launch_with(&options)?.start_run(&request)?;
    errors.extend(error_of(answer).map(|error| (error, sent)));
    let mut adapter = context.launch()?;
    request.cwd = PathBuf::from(&request.cwd).join("missing").to_string_lossy().into_owned();
    request.run_id = format!("run-{}", context.nonce());
    let answer = adapter.start_run(&request)?;
    errors
        .extend(error_of(answer).map(|error| (error, "run/start in a missing folder".to_owned())));
    let unknown = [
        ("no/such/method", json!({})),
        ("run/start", json!({"runId": 7})),
        ("run/cancel", json!({"runId": 7})),
    ];
    for (method, params) in unknown {
        let sent = format!("{method} {params}");
        errors.extend(error_of(adapter.request(method, params)?).map(|error| (error, sent)));
    }
    Ok(errors)
}

fn error_of(answer: Answer) -> Option<ErrorObject> {
    match answer {
        Answer::Error(error) => Some(error),
        Answer::Result(_) => None,
    }
}

fn time_limit_has_name(context: &mut CheckContext) -> CheckOutcome {
    let mut prepared = prepare_hanging(context, &[])?;
    prepared.request.timeouts.total_ms = Some(TOTAL_MS);
    let sent = format!("run/start with timeouts.totalMs {TOTAL_MS}; the agent CLI hangs");
    let mut adapter = context.launch()?;
    let record = adapter.complete_run(&prepared, SHORT_RUN_TIMEOUT)?;
    let error = record.errors().into_iter().find(|error| error.kind == ErrorKind::Timeout);
    let which = error.as_ref().and_then(|error| error.data.as_ref()?.get("which").cloned());
    let expected = "an error of kind timeout with data.which total";
    record.ensure(which == Some(json!("total")), expected, format!("{error:?}"), sent)
}

/// Fails unless `capability_unsupported` names the capability of every undeclared option and method.
fn capabilities_have_names(context: &mut CheckContext) -> CheckOutcome {
    let cwd = context.folder("cwd")?.to_string_lossy().into_owned();
    let mut adapter = context.launch()?;
    for (capability, members) in OPTIONS {
        if context.suite.declares(capability) {
            continue;
        }
        let request = with_members(&context.nonce(), &cwd, members)?;
        let answer = adapter.start_run(&request)?;
        names_capability(&adapter, capability, "run/start", &answer)?;
    }
    let params = json!({
        "id": "conformance", "runId": "conformance", "text": "hello",
        "approvalId": "conformance", "outcome": "reject_once",
    });
    for method in METHODS {
        let Some(gate) = method.gate.filter(|gate| !context.suite.declares(gate)) else { continue };
        let answer = adapter.request(method.name, params.clone())?;
        names_capability(&adapter, gate, method.name, &answer)?;
    }
    Ok(())
}

fn names_capability(
    adapter: &AdapterClient,
    capability: &str,
    method: &str,
    answer: &Answer,
) -> CheckOutcome {
    let sent = format!("{method}; {capability} is not declared");
    let data = match answer {
        Answer::Error(error) if error.kind() == ErrorKind::CapabilityUnsupported => &error.data,
        // CAP-02 reports it.
        _ => return Ok(()),
    };
    let which = data.as_ref().and_then(|data| data.which.clone()).unwrap_or_default();
    let names = which.split('.').next() == Some(capability);
    adapter.ensure(names, format!("data.which {capability:?}"), format!("{which:?}"), sent)
}

/// The style of messages.
pub(super) fn message_style(context: &mut CheckContext) -> CheckOutcome {
    for (error, sent) in refusals(context)? {
        let message = error.message;
        let is_capital = |word: &str| {
            let mut letters = word.chars();
            letters.next().is_some_and(char::is_uppercase)
                && letters.next().is_some_and(char::is_lowercase)
        };
        if message.ends_with('.') || is_capital(&message) {
            let expected = "a message in lowercase without a final dot";
            let failure = Failure::new(expected, format!("{message:?}"));
            return Err(failure.sent(sent).into());
        }
    }
    Ok(())
}

/// The text of failed runs.
pub(super) fn text_before_failure(context: &mut CheckContext) -> CheckOutcome {
    plain_answer(context)?;
    let mut adapter = context.launch()?;
    let prepared = context.prepare("text")?;
    let lines = match delta_lines(&prepared) {
        Some(lines) if context.suite.declares("textDeltas") => lines,
        _ => {
            let reason = "the text of the scenario does not arrive in lines of its own";
            return Err(Finding::Skip(reason.to_owned()));
        }
    };
    let crash = [Step::Err { text: "panic: out of memory".to_owned() }, Step::Exit { code: 1 }];
    for pieces in [1, 2, lines.len()] {
        let sent =
            format!("run/start; the agent CLI printed {pieces} texts and exited with code 1");
        let script = until_line(&prepared.script, lines[pieces - 1], &crash);
        fails_with_text(context, &mut adapter, &prepared, script, pieces, &sent)?;
    }
    let before_last = output_steps(&prepared.script, 0).len().saturating_sub(1);
    let script = cut_after(&prepared.script, before_last, &crash);
    let sent = "run/start; the agent CLI exited with code 1 before its final message";
    fails_with_text(context, &mut adapter, &prepared, script, lines.len(), sent)?;
    native_failure_after_text(context, &mut adapter, &prepared, &lines)?;
    exit_code_after_end(context, &mut adapter)
}

/// The steps that print the pieces of the text, if each has a line of its own and in order.
fn delta_lines(prepared: &PreparedRun) -> Option<Vec<usize>> {
    let find = |delta: &String| line_with(&prepared.script, delta.trim_end()).ok();
    let lines: Vec<usize> = prepared.values.deltas.iter().map(find).collect::<Option<_>>()?;
    lines.windows(2).all(|pair| pair[0] < pair[1]).then_some(lines)
}

fn until_line(script: &Script, line: usize, ending: &[Step]) -> Script {
    let kept = script.steps[..=line].iter().chain(ending).cloned();
    Script { steps: kept.collect(), ..script.clone() }
}

/// Runs the script; the run must fail and keep exactly the first texts.
fn fails_with_text(
    context: &mut CheckContext,
    adapter: &mut AdapterClient,
    prepared: &PreparedRun,
    script: Script,
    pieces: usize,
    sent: &str,
) -> CheckOutcome {
    let mut prepared = PreparedRun { script, ..prepared.clone() };
    prepared.request.run_id = format!("run-{}", context.nonce());
    let record = adapter.complete_run(&prepared, SHORT_RUN_TIMEOUT)?;
    let status = record.done().map(|done| done.status);
    if status != Some(DoneStatus::Failed) {
        return Err(record.failure("`done` with status failed", describe_end(&record), sent));
    }
    same_text(&record, &prepared.values.deltas[..pieces].concat(), sent)?;
    let count =
        |names: &[&str]| names.iter().map(|name| record.of_type(name).count()).sum::<usize>();
    let is_closed = count(&["message_started"]) == count(&["message_stopped", "message_discarded"]);
    record.ensure(is_closed, "every message is stopped", record.summary(), sent)
}

/// Lets the agent CLI report a failure in its own format after some text.
fn native_failure_after_text(
    context: &mut CheckContext,
    adapter: &mut AdapterClient,
    prepared: &PreparedRun,
    lines: &[usize],
) -> CheckOutcome {
    let scenarios = ["context_exceeded", "auth_fail_run"];
    let Some(scenario) = scenarios.into_iter().find(|name| context.suite.has_scenario(name)) else {
        return Ok(());
    };
    if context.prepare(scenario)?.needs_own_process {
        return Ok(());
    }
    let failing = context.suite.script(scenario, &prepared.values)?;
    let at = lines[1];
    let Some(ending) = new_steps(&prepared.script, at, &failing) else { return Ok(()) };
    let script = until_line(&prepared.script, at, &ending);
    let sent = format!("run/start; the agent CLI printed 2 texts, then the failure of {scenario}");
    let mut prepared = PreparedRun { script, ..prepared.clone() };
    prepared.request.run_id = format!("run-{}", context.nonce());
    let record = adapter.complete_run(&prepared, SHORT_RUN_TIMEOUT)?;
    let status = record.done().map(|done| done.status);
    let expected = "`done` with status failed";
    record.ensure(status == Some(DoneStatus::Failed), expected, describe_end(&record), &sent)?;
    let (start, got) = (prepared.values.deltas[..2].concat(), record.text());
    let expected = format!("a text that begins with {start:?}");
    record.ensure(got.starts_with(&start), expected, shorten(&got, 200), &sent)
}

/// The steps after the input of a failing script that the other script has not run; `None` if they
/// need a value that it does not bind.
fn new_steps(script: &Script, at: usize, failing: &Script) -> Option<Vec<Step>> {
    let from = super::expectations::after_last_expectation(failing);
    let known = &script.steps[..=at];
    let is_new = |step: &&Step| !known.contains(step) && !matches!(step, Step::Through { .. });
    let steps: Vec<Step> = failing.steps[from..].iter().filter(is_new).cloned().collect();
    let expected = |script: &Script| -> Vec<Step> {
        let is_expected =
            |step: &&Step| matches!(step, Step::Expect { .. } | Step::ExpectRequest { .. });
        script.steps.iter().filter(is_expected).cloned().collect()
    };
    let has_output = steps.iter().any(|step| matches!(step, Step::Out { .. }));
    let serves = script
        .steps
        .iter()
        .any(|step| matches!(step, Step::Through { outlet } if *outlet != Outlet::Stdout));
    (has_output && !serves && expected(script) == expected(failing)).then_some(steps)
}

/// A non-zero exit code after the final message: either status is right if the text is complete.
fn exit_code_after_end(context: &mut CheckContext, adapter: &mut AdapterClient) -> CheckOutcome {
    let mut prepared = context.prepare("text")?;
    prepared.script.exit_after_last_step();
    prepared.script.steps.retain(|step| !matches!(step, Step::Exit { .. }));
    prepared.script.steps.push(Step::Exit { code: 7 });
    let sent = "run/start; the agent CLI exited with code 7 after its final message";
    let record = adapter.complete_run(&prepared, SHORT_RUN_TIMEOUT)?;
    let status = record.done().map(|done| done.status);
    let is_ended = matches!(status, Some(DoneStatus::Completed | DoneStatus::Failed));
    record.ensure(is_ended, "completed or failed", describe_end(&record), sent)?;
    same_text(&record, &prepared.values.text("text"), sent)
}
