//! Expectations and prepared runs that several chapters share. Contains no check.

use std::sync::Arc;
use std::time::Duration;

use od_protocol::adapter::StartRunParams;
use od_protocol::{DoneStatus, ErrorKind};

use crate::adapter_client::{AdapterClient, Answer, RunRecord};
use crate::check::Tier;
use crate::context::{CheckContext, CompletedRun};
use crate::fake_cli::{Invocation, Script, Step};
use crate::outcome::{CheckOutcome, Failure, Finding, shorten};
use crate::prepared_run::PreparedRun;

/// The timeout of a run that prints only a few lines.
pub(super) const SHORT_RUN_TIMEOUT: Duration = Duration::from_secs(12);

/// Returns the plain answer that most checks build on. If it does not arrive, a check with many
/// runs would only repeat that failure slowly.
pub(super) fn plain_answer(context: &mut CheckContext) -> Result<Arc<CompletedRun>, Finding> {
    context.shared_run("text").map_err(|finding| {
        finding.map_failure(|failure| {
            Finding::Blocked(format!("RUN-02: a plain answer does not arrive: {}", failure.got))
        })
    })
}

/// A repetition count or size for each tier.
pub(super) struct PerTier {
    pub(super) brief: usize,
    pub(super) fast: usize,
    pub(super) full: usize,
    pub(super) slow: usize,
}

impl PerTier {
    /// Returns the value for the selected tier.
    pub(super) fn of(&self, context: &CheckContext) -> usize {
        match context.suite.tier {
            Tier::Brief => self.brief,
            Tier::Fast => self.fast,
            Tier::Full => self.full,
            Tier::Slow => self.slow,
        }
    }
}

/// Prepares a scenario whose answer consists of these pieces.
pub(super) fn answer_of(
    context: &mut CheckContext,
    scenario: &str,
    deltas: Vec<String>,
) -> Result<PreparedRun, Finding> {
    let mut prepared = context.prepare(scenario)?;
    prepared.values.set("text", deltas.concat());
    prepared.values.deltas = deltas;
    prepared.script = context.suite.script(scenario, &prepared.values)?;
    Ok(prepared)
}

/// Fails unless the run completed with exactly the text that the agent CLI printed.
pub(super) fn exact_answer(completed_run: &CompletedRun, sent: &str) -> CheckOutcome {
    completed(&completed_run.record, sent)?;
    same_text(&completed_run.record, &completed_run.prepared.values.text("text"), sent)
}

/// Fails unless the whole text of the run equals the expected text.
pub(super) fn same_text(record: &RunRecord, expected: &str, sent: &str) -> CheckOutcome {
    let got = record.text();
    if got == expected {
        return Ok(());
    }
    let at = got.bytes().zip(expected.bytes()).take_while(|(one, other)| one == other).count();
    let got = format!("{} bytes that differ from byte {at} on: {:?}", got.len(), around(&got, at));
    let expected = format!(
        "exactly the {} bytes that were sent, with {:?} there",
        expected.len(),
        around(expected, at)
    );
    Err(record.failure(expected, got, sent))
}

/// Fails unless the run completed.
pub(super) fn completed(record: &RunRecord, sent: &str) -> CheckOutcome {
    let status = record.done().map(|done| done.status);
    if status == Some(DoneStatus::Completed) {
        return Ok(());
    }
    Err(record.failure("`done` with status completed", describe_end(record), sent))
}

/// Fails unless the run failed with one of these kinds.
pub(super) fn failed_with(record: &RunRecord, kinds: &[ErrorKind], sent: &str) -> CheckOutcome {
    let done = record.done();
    let reported = done.as_ref().and_then(|done| done.error_kind.clone());
    let is_failed = done.is_some_and(|done| done.status == DoneStatus::Failed);
    if is_failed && reported.is_some_and(|kind| kinds.contains(&kind)) {
        return Ok(());
    }
    let expected = format!("`done` with status failed and errorKind {}", join_kinds(kinds));
    Err(record.failure(expected, describe_end(record), sent))
}

/// Fails unless the run was refused, or failed before the agent CLI was started, with one of these
/// kinds.
pub(super) fn refused_with(
    adapter: &mut AdapterClient,
    request: &StartRunParams,
    kinds: &[ErrorKind],
    sent: &str,
) -> CheckOutcome {
    let starts = adapter.fake_cli.starts().len();
    match adapter.start_run(request)? {
        Answer::Error(error) if kinds.contains(&error.kind()) => {}
        refused @ Answer::Error(_) => {
            let expected = format!("an error of kind {}", join_kinds(kinds));
            return Err(adapter.failure(expected, refused.summary(), sent));
        }
        Answer::Result(_) => {
            let record = adapter.finish(&request.run_id, SHORT_RUN_TIMEOUT)?;
            failed_with(&record, kinds, sent)?;
        }
    }
    let started = adapter.fake_cli.starts().len() - starts;
    if started > 0 {
        let got = format!("it was started {started} time(s)");
        return Err(Failure::new("the agent CLI is not started", got).sent(sent).into());
    }
    Ok(())
}

/// Fails unless the adapter answers `ping`.
pub(super) fn still_answers(adapter: &mut AdapterClient, sent: &str) -> CheckOutcome {
    match adapter.request("ping", serde_json::json!({})) {
        Ok(Answer::Result(_)) => Ok(()),
        Ok(other) => Err(Failure::new("a response to `ping`", other.summary()).sent(sent).into()),
        Err(finding) => Err(finding.map_failure(|failure| failure.sent(sent).into())),
    }
}

/// Describes how a run ended.
pub(super) fn describe_end(record: &RunRecord) -> String {
    let errors: Vec<String> = record
        .errors()
        .iter()
        .map(|error| format!("{}: {}", error.kind, shorten(&error.message, 200)))
        .collect();
    let done = match record.done() {
        Some(done) => format!("`done` {}", done.status),
        None => "no `done`".to_owned(),
    };
    let events = shorten(&record.summary(), 300);
    format!("{done}, errors {errors:?}, events: {events}{}", record.cli_error)
}

/// Whether exactly this text reached the agent CLI: as an argument, on stdin, in a request or as a
/// variable.
pub(super) fn reached(invocation: &Invocation, text: &str) -> bool {
    let matches = |value: &String| {
        value == text || value.split_once('=').is_some_and(|(_, after)| after == text)
    };
    let quoted = serde_json::Value::from(text).to_string();
    invocation.args.iter().chain(invocation.env.values()).any(matches)
        || invocation.received_text().contains(&quoted)
        || invocation.has_request_part(text)
}

/// Whether exactly this model reached the agent CLI; `provider/model` may arrive as two parts.
pub(super) fn model_reached(invocation: &Invocation, model: &str) -> bool {
    let parts = model.split_once('/');
    reached(invocation, model)
        || parts.is_some_and(|(provider, name)| {
            reached(invocation, provider) && reached(invocation, name)
        })
}

/// Whether this text is part of the arguments, variables or input of the agent CLI.
pub(super) fn received_text(invocation: &Invocation, text: &str) -> bool {
    invocation.args.iter().chain(invocation.env.values()).any(|value| value.contains(text))
        || invocation.received_text().contains(text)
}

/// Returns the first step after the last input that the agent CLI waits for: output from there on
/// needs no answer, so a check may change it.
pub(super) fn after_last_expectation(script: &Script) -> usize {
    let reads_input = |step: &Step| {
        matches!(step, Step::Expect { .. } | Step::ReadAll { .. } | Step::ExpectRequest { .. })
    };
    script.steps.iter().rposition(reads_input).map_or(0, |index| index + 1)
}

/// Returns the positions of the output lines from a step on.
pub(super) fn output_steps(script: &Script, from: usize) -> Vec<usize> {
    let is_output = |index: &usize| matches!(script.steps[*index], Step::Out { .. });
    (from..script.steps.len()).filter(is_output).collect()
}

/// Returns the first output line that contains this text.
pub(super) fn line_with(script: &Script, text: &str) -> Result<usize, Finding> {
    let contains_text =
        |step: &Step| matches!(step, Step::Out { text: line, .. } if line.contains(text));
    script.steps.iter().position(contains_text).ok_or_else(|| {
        Finding::Untestable(format!("no line of the scenario's steps prints {text:?}"))
    })
}

fn join_kinds(kinds: &[ErrorKind]) -> String {
    kinds.iter().map(ErrorKind::to_string).collect::<Vec<_>>().join(" or ")
}

fn around(text: &str, at: usize) -> String {
    let start = (0..=at.min(text.len())).rev().find(|index| text.is_char_boundary(*index));
    shorten(&text[start.unwrap_or(0)..], 60)
}
