//! What several chapters expect of a run, and the plays they make it of. No check lives here.

use std::sync::Arc;
use std::time::Duration;

use od_protocol::{DoneStatus, ErrorKind, StartRunParams};

use crate::bench::Bench;
use crate::case::Tier;
use crate::play::{Performance, Play};
use crate::plugin::{Answer, Plugin, RunRecord};
use crate::stand_in::{Invocation, Script, Step};
use crate::verdict::{Failure, Finding, Verdict, shorten};

/// How long a run may take that only prints a few lines.
pub(super) const RUN_LIMIT: Duration = Duration::from_secs(12);

/// The plain answer that most checks build upon. When it does not come through, a check that needs
/// many runs would only repeat that, slowly.
pub(super) fn plain_answer(bench: &mut Bench) -> Result<Arc<Performance>, Finding> {
    bench.shared_run("text").map_err(|finding| match finding {
        Finding::Fail(failure) => Finding::Blocked(format!(
            "RUN-02: a plain answer does not come through: {}",
            failure.got
        )),
        other => other,
    })
}

/// How often, or how much, in each tier.
pub(super) struct Amount {
    pub(super) brief: usize,
    pub(super) fast: usize,
    pub(super) full: usize,
    pub(super) slow: usize,
}

impl Amount {
    /// What this judgement takes the time for.
    pub(super) fn of(&self, bench: &Bench) -> usize {
        match bench.suite.tier {
            Tier::Brief => self.brief,
            Tier::Fast => self.fast,
            Tier::Full => self.full,
            Tier::Slow => self.slow,
        }
    }
}

/// A scenario whose answer consists of these pieces.
pub(super) fn answer_of(
    bench: &mut Bench,
    scenario: &str,
    deltas: Vec<String>,
) -> Result<Play, Finding> {
    let mut play = bench.prepare(scenario)?;
    play.values.set("text", deltas.concat());
    play.values.deltas = deltas;
    let Some(pack) = &bench.suite.pack else {
        return Err(Finding::Skip("there is no fixture pack".to_owned()));
    };
    play.script =
        pack.script(scenario, &play.values).map_err(|error| Finding::Suite(error.to_string()))?;
    Ok(play)
}

/// The run completed and said exactly what the agent CLI printed.
pub(super) fn exact_answer(performance: &Performance, sent: &str) -> Verdict {
    completed(&performance.record, sent)?;
    same_text(&performance.record, &performance.play.values.text("text"), sent)
}

/// All text of the run is exactly this.
pub(super) fn same_text(record: &RunRecord, expected: &str, sent: &str) -> Verdict {
    let got = record.text();
    if got == expected {
        return Ok(());
    }
    let at = got.bytes().zip(expected.bytes()).take_while(|(one, other)| one == other).count();
    let got = format!("{} bytes that differ from byte {at} on: {:?}", got.len(), around(&got, at));
    let expected = format!(
        "exactly the {} bytes that were sent, there {:?}",
        expected.len(),
        around(expected, at)
    );
    Err(failure(record, expected, got, sent))
}

/// The run says that it completed.
pub(super) fn completed(record: &RunRecord, sent: &str) -> Verdict {
    let status = record.done().map(|done| done.status);
    if status == Some(DoneStatus::Completed) {
        return Ok(());
    }
    Err(failure(record, "`done` with status completed", ending(record), sent))
}

/// The run says that it failed, for one of these reasons.
pub(super) fn failed_with(record: &RunRecord, kinds: &[ErrorKind], sent: &str) -> Verdict {
    let done = record.done();
    let told = done.as_ref().and_then(|done| done.error_kind.clone());
    let is_failed = done.is_some_and(|done| done.status == DoneStatus::Failed);
    if is_failed && told.is_some_and(|told| kinds.contains(&told)) {
        return Ok(());
    }
    let expected = format!("`done` with status failed and errorKind {}", words(kinds));
    Err(failure(record, expected, ending(record), sent))
}

/// The run was refused, or failed before the agent CLI was started, for one of these reasons.
pub(super) fn refused_with(
    plugin: &mut Plugin,
    request: &StartRunParams,
    kinds: &[ErrorKind],
    sent: &str,
) -> Verdict {
    let starts = plugin.stand_in.starts().len();
    match plugin.start_run(request)? {
        Answer::Error(error) if kinds.contains(&error.kind()) => {}
        refused @ Answer::Error(_) => {
            let expected = format!("an error of kind {}", words(kinds));
            return Err(Failure::new(expected, refused.summary())
                .sent(sent)
                .at(plugin.place())
                .into());
        }
        Answer::Result(_) => {
            let record = plugin.finish(&request.run_id, RUN_LIMIT)?;
            failed_with(&record, kinds, sent)?;
        }
    }
    let started = plugin.stand_in.starts().len() - starts;
    if started > 0 {
        let got = format!("it was started {started} time(s)");
        return Err(Failure::new("the agent CLI is not started", got).sent(sent).into());
    }
    Ok(())
}

/// The plugin is alive and answers.
pub(super) fn still_answers(plugin: &mut Plugin, sent: &str) -> Verdict {
    match plugin.request("ping", serde_json::json!({})) {
        Ok(Answer::Result(_)) => Ok(()),
        Ok(other) => Err(Failure::new("an answer to `ping`", other.summary()).sent(sent).into()),
        Err(Finding::Fail(failure)) => Err(Finding::Fail(Box::new(failure.sent(sent)))),
        Err(other) => Err(other),
    }
}

/// A failure that points at the end of a run.
pub(super) fn failure(
    record: &RunRecord,
    expected: impl Into<String>,
    got: impl Into<String>,
    sent: &str,
) -> Finding {
    let failure = Failure::new(expected, got).sent(sent);
    match record.last_place() {
        Some(place) => failure.at(place).into(),
        None => failure.into(),
    }
}

/// How a run ended, in words.
pub(super) fn ending(record: &RunRecord) -> String {
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
    format!("{done}, errors {errors:?}, events: {events}{}", record.complaint)
}

/// Whether exactly this word reached the agent CLI: as an argument, on stdin, in a
/// request or as a variable.
pub(super) fn reached(invocation: &Invocation, word: &str) -> bool {
    let is_it = |value: &String| {
        value == word || value.split_once('=').is_some_and(|(_, after)| after == word)
    };
    let quoted = serde_json::Value::from(word).to_string();
    invocation.args.iter().chain(invocation.env.values()).any(is_it)
        || invocation.heard().contains(&quoted)
        || invocation.was_asked_for(word)
}

/// Whether exactly this model reached the agent CLI; `provider/model` may arrive as its two parts.
pub(super) fn model_reached(invocation: &Invocation, model: &str) -> bool {
    let parts = model.split_once('/');
    reached(invocation, model)
        || parts.is_some_and(|(provider, name)| {
            reached(invocation, provider) && reached(invocation, name)
        })
}

/// Whether this word is part of anything that the agent CLI was told.
pub(super) fn told(invocation: &Invocation, word: &str) -> bool {
    invocation.args.iter().chain(invocation.env.values()).any(|value| value.contains(word))
        || invocation.heard().contains(word)
}

/// The steps after the agent CLI has been told everything it waits for: what it says there needs
/// no answer, so it may be changed at will.
pub(super) fn after_last_question(script: &Script) -> usize {
    let asks = |step: &Step| {
        matches!(step, Step::Expect { .. } | Step::ReadAll { .. } | Step::ExpectRequest { .. })
    };
    script.steps.iter().rposition(asks).map_or(0, |index| index + 1)
}

/// The positions of the output lines from a step on.
pub(super) fn output_steps(script: &Script, from: usize) -> Vec<usize> {
    let is_output = |index: &usize| matches!(script.steps[*index], Step::Out { .. });
    (from..script.steps.len()).filter(is_output).collect()
}

/// The first output line that has this text in it.
pub(super) fn line_with(script: &Script, text: &str) -> Result<usize, Finding> {
    let has_it = |step: &Step| matches!(step, Step::Out { text: line, .. } if line.contains(text));
    script.steps.iter().position(has_it).ok_or_else(|| {
        Finding::Untestable(format!("no line of the scenario's steps prints {text:?}"))
    })
}

fn words(kinds: &[ErrorKind]) -> String {
    kinds.iter().map(ErrorKind::to_string).collect::<Vec<_>>().join(" or ")
}

fn around(text: &str, at: usize) -> String {
    let start = (0..=at.min(text.len())).rev().find(|index| text.is_char_boundary(*index));
    shorten(&text[start.unwrap_or(0)..], 60)
}
