//! TIM: times and durations.

use std::collections::BTreeMap;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use super::AdapterCheck;
use super::expectations::{
    PerTier, SHORT_RUN_TIMEOUT, after_last_expectation, completed, exact_answer, plain_answer,
};
use super::native_output::{first_line_with, mark_of};
use super::usage::{same_numbers, usage_of_run};
use crate::adapter_client::RunRecord;
use crate::check::{Gate, active, invariant};
use crate::context::{CheckContext, LaunchOptions, execute_on};
use crate::fake_cli::Step;
use crate::outcome::{CheckOutcome, Finding};
use crate::prepared_run::PreparedRun;

/// The checks of this chapter.
pub const CHECKS: &[AdapterCheck] = &[
    invariant(
        "TIM-01",
        "`ts` of every event is the time of the event in milliseconds since 1970 (UTC), between \
         `run/start` and its receipt",
        "clients sort, display and join events by this time",
        Gate::NONE,
    ),
    invariant(
        "TIM-02",
        "`durationMs` and `silentMs` are milliseconds and never longer than the run",
        "users see how long a run took, and hosts compare it with limits",
        Gate::NONE,
    ),
    active(
        "TIM-03",
        "`ts` and `durationMs` include a pause of the agent CLI, and no time zone or locale changes \
         a value",
        "users compare runs, and adapters run on the machines of users",
        Gate::cli_scenario("text"),
        pauses_and_locales,
    ),
];

/// How long the agent CLI pauses, and what of it must be visible.
const PAUSE: Duration = Duration::from_millis(1500);
const MIN_VISIBLE_MS: u64 = 1000;
const MIN_DURATION_MS: u64 = 1400;

/// How many seconds of silence produce several heartbeats; 0 skips the probe.
const SILENT_SECONDS: PerTier = PerTier { brief: 5, fast: 0, full: 12, slow: 25 };

/// Time zones and locales with another offset, decimal comma and upper case.
const SETTINGS: &[(&str, &str)] =
    &[("Asia/Kolkata", "de_DE.UTF-8"), ("America/St_Johns", "tr_TR.UTF-8")];

fn pauses_and_locales(context: &mut CheckContext) -> CheckOutcome {
    plain_answer(context)?;
    visible_pause(context)?;
    for (zone, locale) in SETTINGS {
        other_locale(context, zone, locale)?;
    }
    growing_silence(context)
}

fn visible_pause(context: &mut CheckContext) -> CheckOutcome {
    let pause = u64::try_from(PAUSE.as_millis()).unwrap_or(u64::MAX);
    let prepared = waiting_before_second_piece(context, Step::Sleep { ms: pause })?;
    let pieces = prepared.values.deltas.clone();
    let mut adapter = context.launch()?;
    let started_at = Instant::now();
    let completed_run = execute_on(&mut adapter, prepared)?;
    let measured = u64::try_from(started_at.elapsed().as_millis()).unwrap_or(u64::MAX);
    let sent = format!("run/start; the agent CLI paused for {PAUSE:?}");
    exact_answer(&completed_run, &sent)?;
    let record = &completed_run.record;
    let duration = record.done().map(|done| done.duration_ms).unwrap_or_default();
    let expected = format!("durationMs from {MIN_DURATION_MS} to {measured}");
    let is_right = (MIN_DURATION_MS..=measured + 20).contains(&duration);
    record.ensure(is_right, expected, format!("{duration}"), &sent)?;
    let times = match context.suite.declares("textDeltas") {
        true => (time_of_text(record, &pieces[0]), time_of_text(record, &pieces[1])),
        false => (record.events.first().map(|it| it.ts), record.events.last().map(|it| it.ts)),
    };
    let (Some(before), Some(after)) = times else {
        return Err(record.failure("events before and after the pause", record.summary(), sent));
    };
    let expected = format!("ts after the pause at least {MIN_VISIBLE_MS} ms later than before it");
    let is_later = after >= before + MIN_VISIBLE_MS;
    record.ensure(is_later, expected, format!("{before} and {after}"), sent)
}

/// Prepares the plain answer with a step before its second piece.
fn waiting_before_second_piece(
    context: &mut CheckContext,
    step: Step,
) -> Result<PreparedRun, Finding> {
    let mut prepared = context.prepare("text")?;
    let at = first_line_with(&prepared.script, &prepared.values.deltas[1..2]);
    let at = at.filter(|at| *at >= after_last_expectation(&prepared.script));
    let at = at.ok_or_else(|| Finding::Untestable("no line prints the second piece".to_owned()))?;
    prepared.script.steps.insert(at, step);
    Ok(prepared)
}

/// Returns the time of the delta that completes a piece of the answer.
fn time_of_text(record: &RunRecord, piece: &str) -> Option<u64> {
    let (mut text, mark) = (String::new(), mark_of(piece));
    let mut deltas = record.of_type("text_delta");
    let found = deltas.find(|received| {
        text.push_str(received.value["text"].as_str().unwrap_or_default());
        text.contains(&mark)
    });
    found.map(|received| received.ts)
}

/// Every value is the same in another time zone and locale; the invariants check the times.
fn other_locale(context: &mut CheckContext, zone: &str, locale: &str) -> CheckOutcome {
    let variables = [("TZ", zone), ("LANG", locale), ("LC_ALL", locale)];
    let env: BTreeMap<String, String> =
        variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let mut adapter = context.launch_with(&LaunchOptions { env, ..LaunchOptions::default() })?;
    let sent = format!("run/start with TZ={zone} and LC_ALL={locale}");
    let prepared = context.prepare("text")?;
    let requested_ms = now_ms();
    let completed_run = execute_on(&mut adapter, prepared)?;
    exact_answer(&completed_run, &sent)?;
    in_this_run(&completed_run.record, requested_ms, &sent)?;
    if context.suite.has_scenario("usage") && context.suite.declares("usage") {
        let prepared = context.prepare("usage")?;
        let completed_run = execute_on(&mut adapter, prepared)?;
        completed(&completed_run.record, &sent)?;
        let reported = usage_of_run(&completed_run.record, &sent)?;
        same_numbers(context, &completed_run, &reported, &sent)?;
    }
    if context.suite.has_scenario("tool_ok") && context.suite.declares("tools") {
        let prepared = context.prepare("tool_ok")?;
        let plain = context.shared_run("tool_ok")?;
        let completed_run = execute_on(&mut adapter, prepared)?;
        let kinds = |record: &RunRecord| -> Vec<String> {
            record.of_type("tool_call_started").map(|it| it.value["kind"].to_string()).collect()
        };
        let (expected, got) = (kinds(&plain.record), kinds(&completed_run.record));
        let is_same = expected == got;
        let expected = format!("calls of the kinds {expected:?}");
        completed_run.record.ensure(is_same, expected, format!("{got:?}"), &sent)?;
    }
    Ok(())
}

/// Fails if an event has a time outside the run by more than the clock may be adjusted meanwhile.
fn in_this_run(record: &RunRecord, requested_ms: u64, sent: &str) -> CheckOutcome {
    const TOLERANCE_MS: u64 = 2000;
    let possible = requested_ms.saturating_sub(TOLERANCE_MS)..=now_ms() + TOLERANCE_MS;
    let wrong = record.events.iter().find(|received| !possible.contains(&received.ts));
    let expected = format!("ts from {} to {}", possible.start(), possible.end());
    let got = wrong.map(|received| format!("ts {} of a {}", received.ts, received.type_name()));
    record.ensure(wrong.is_none(), expected, got.unwrap_or_default(), sent)
}

fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// The silence that heartbeats state grows, and is not longer than the real one.
fn growing_silence(context: &mut CheckContext) -> CheckOutcome {
    let seconds = SILENT_SECONDS.of(context);
    if seconds == 0 {
        return Ok(());
    }
    let ms = u64::try_from(seconds).unwrap_or_default() * 1000;
    let prepared = waiting_before_second_piece(context, Step::Sleep { ms })?;
    let mut adapter = context.launch()?;
    let limit = SHORT_RUN_TIMEOUT + Duration::from_millis(ms);
    let record = adapter.complete_run(&prepared, limit)?;
    let sent = format!("run/start; the agent CLI was silent for {seconds} s");
    let stated: Vec<u64> =
        record.of_type("heartbeat").filter_map(|it| it.value["silentMs"].as_u64()).collect();
    let grows = stated.windows(2).all(|pair| pair[0] < pair[1]);
    let is_possible = stated.iter().all(|silent| *silent <= ms + 1000);
    let expected = format!("silentMs that grows and is at most about {ms}");
    record.ensure(grows && is_possible, expected, format!("{stated:?}"), sent)
}
