//! RL: rate limits of the provider.

use std::time::Duration;

use od_protocol::{ErrorKind, Event, RateLimited};

use super::AdapterCheck;
use super::expectations::{completed, failed_with};
use crate::adapter_client::RunRecord;
use crate::check::{Gate, active};
use crate::context::{CheckContext, execute_on};
use crate::fake_cli::Step;
use crate::outcome::{CheckOutcome, Failure};
use crate::prepared_run::PreparedRun;

/// The checks of this chapter.
pub const CHECKS: &[AdapterCheck] = &[
    active(
        "RL-01",
        "an agent CLI that retries a rate limit forever is stopped within 3 s of its first report, \
         and the run fails with rate_limited",
        "a run that waits silently for hours looks like a hang; the host can wait instead",
        Gate::cli_scenario("retry_forever"),
        endless_retry,
    ),
    active(
        "RL-02",
        "a rate limit is an error of that kind, with retryAfterMs or resetsAt if the agent CLI \
         reports it",
        "a host schedules the next attempt with these values",
        Gate::cli_scenario("rate_limit"),
        limit_with_time,
    ),
    active(
        "RL-03",
        "text about rate limits in a prompt, an answer or a tool's output changes nothing",
        "users work on rate limiters; only the agent CLI's own signals count",
        Gate::cli_scenario("text"),
        rate_limit_text_is_ignored,
    ),
    active(
        "RL-04",
        "`rate_limited` precedes the error and has the values of the agent CLI in milliseconds, and \
         `retry` counts from 1",
        "a host that reads seconds as milliseconds repeats a thousand times too early",
        Gate::cli_scenario("rate_limit"),
        limit_values,
    ),
];

/// The timeout from the first report of a retry to the end of the run.
const STOP_TIMEOUT: Duration = Duration::from_secs(3);

/// How far a derived time may be from the reported one, in milliseconds.
const DERIVED_TOLERANCE_MS: u64 = 60_000;

/// The kinds of an exhausted limit.
const KINDS: &[ErrorKind] = &[ErrorKind::RateLimited, ErrorKind::QuotaExhausted];

const RATE_LIMIT_TEXT: &str =
    "Error 429: rate limit exceeded, rate_limit_error, too many requests, retry after 3600 s ";

fn endless_retry(context: &mut CheckContext) -> CheckOutcome {
    let sent = "run/start; the agent CLI reports retries forever";
    let prepared = context.prepare("retry_forever")?;
    let mut adapter = context.launch()?;
    adapter.begin(&prepared)?;
    let wanted = "`retry` or `rate_limited`";
    let first_report =
        adapter.wait_event(prepared.run_id(), Duration::from_secs(5), wanted, |received| {
            matches!(received.type_name(), "retry" | "rate_limited")
        })?;
    if !adapter.wait_done(prepared.run_id(), STOP_TIMEOUT) {
        let got = format!("the run continues: {}", adapter.run(prepared.run_id()).summary());
        let expected =
            format!("`done` within {STOP_TIMEOUT:?} of the first `{}`", first_report.type_name());
        return Err(Failure::new(expected, got).sent(sent).at(first_report.location).into());
    }
    failed_with(&adapter.run(prepared.run_id()), KINDS, sent)
}

fn limit_with_time(context: &mut CheckContext) -> CheckOutcome {
    let sent = "run/start; the provider rejects the request and the agent CLI stops";
    let completed_run = context.shared_run("rate_limit")?;
    let record = &completed_run.record;
    failed_with(record, KINDS, sent)?;
    let limits: Vec<RateLimited> = record
        .of_type("rate_limited")
        .filter_map(|received| match received.event()? {
            Event::RateLimited(limited) => Some(limited),
            _ => None,
        })
        .collect();
    let prepared = &completed_run.prepared;
    let wait = printed(prepared, "retry_after_ms");
    let missing = match (wait, printed(prepared, "resets_at").map(|at| at * 1000)) {
        (Some(after), _) if !limits.iter().any(|limits| limits.retry_after_ms == wait) => {
            format!("retryAfterMs {after}")
        }
        (_, Some(at)) if !limits.iter().any(|limits| limits.resets_at == Some(at)) => {
            format!("resetsAt {at}")
        }
        _ => return Ok(()),
    };
    let expected = format!("`rate_limited` with {missing}");
    Err(record.failure(expected, format!("{limits:?}"), sent))
}

/// Returns a number if the steps of the run print it.
fn printed(prepared: &PreparedRun, name: &str) -> Option<u64> {
    let number = prepared.values.number(name)?;
    let text = number.to_string();
    let has_number = |step: &Step| match step {
        Step::Out { text: line, .. } | Step::Err { text: line } => line.contains(&text),
        _ => false,
    };
    prepared.script.steps.iter().any(has_number).then_some(number)
}

fn rate_limit_text_is_ignored(context: &mut CheckContext) -> CheckOutcome {
    let has_tools = context.suite.has_scenario("tool_ok");
    let scenarios: &[&str] = if has_tools { &["text", "tool_ok"] } else { &["text"] };
    let mut adapter = context.launch()?;
    for scenario in scenarios {
        let mut prepared = context.prepare(scenario)?;
        let deltas = vec![RATE_LIMIT_TEXT.to_owned(); prepared.values.deltas.len()];
        prepared.values.set("text", deltas.concat());
        prepared.values.set("tool_output", RATE_LIMIT_TEXT);
        prepared.values.deltas = deltas;
        prepared.request.prompt.text =
            format!("{} {RATE_LIMIT_TEXT}", prepared.request.prompt.text);
        prepared.script = context.suite.script(scenario, &prepared.values)?;
        let sent = format!(
            "run/start of {scenario} with {RATE_LIMIT_TEXT:?} in prompt, answer and output"
        );
        let completed_run = execute_on(&mut adapter, prepared)?;
        completed(&completed_run.record, &sent)?;
        no_limit(&completed_run.record, &sent)?;
    }
    Ok(())
}

fn no_limit(record: &RunRecord, sent: &str) -> CheckOutcome {
    match record.position("rate_limited").or_else(|| record.position("retry")) {
        Some(_) => Err(record.failure("no `rate_limited` and no `retry`", record.summary(), sent)),
        None => Ok(()),
    }
}

fn limit_values(context: &mut CheckContext) -> CheckOutcome {
    let sent = "run/start; the provider rejects the request and the agent CLI stops";
    let completed_run = context.shared_run("rate_limit")?;
    let (record, prepared) = (&completed_run.record, &completed_run.prepared);
    let wait = printed(prepared, "retry_after_ms");
    let until = printed(prepared, "resets_at").map(|at| at * 1000);
    for received in record.of_type("rate_limited") {
        let Some(Event::RateLimited(limited)) = received.event() else { continue };
        let wrong = wrong_time(limited.retry_after_ms, wait, limited.resets_at, until, received.ts);
        if let Some(expected) = wrong {
            return Err(record.failure(expected, format!("{limited:?}"), sent));
        }
        if limited.window.is_some_and(|window| window.is_empty()) {
            return Err(record.failure("a window with a name, or none", "an empty window", sent));
        }
    }
    let (event, error) = (record.position("rate_limited"), record.position("error"));
    let is_first = event.zip(error).is_none_or(|(event, error)| event < error);
    record.ensure(is_first, "`rate_limited` before `error`", record.summary(), sent)?;
    counts_from_one(record, sent)?;
    if context.suite.has_scenario("retry_forever") {
        let prepared = context.prepare("retry_forever")?;
        let mut adapter = context.launch()?;
        adapter.begin(&prepared)?;
        // RL-01 reports a run that does not end.
        adapter.wait_done(prepared.run_id(), STOP_TIMEOUT * 2);
        counts_from_one(&adapter.run(prepared.run_id()), "run/start; the agent CLI retries")?;
    }
    Ok(())
}

/// Returns the expectation that a time of a rate limit does not meet. A time that was derived from
/// the other one may differ by some seconds.
fn wrong_time(
    after: Option<u64>,
    wait: Option<u64>,
    resets_at: Option<u64>,
    until: Option<u64>,
    ts: u64,
) -> Option<String> {
    let is_near = |one: u64, other: u64| one.abs_diff(other) <= DERIVED_TOLERANCE_MS;
    if let (Some(after), Some(wait)) = (after, wait)
        && after != wait
    {
        return Some(format!("retryAfterMs {wait}"));
    }
    if let (Some(at), Some(until)) = (resets_at, until)
        && at != until
    {
        return Some(format!("resetsAt {until} (milliseconds)"));
    }
    match (after, wait, resets_at, until) {
        (Some(after), None, _, Some(until)) if !is_near(ts + after, until) => {
            Some(format!("retryAfterMs until {until}, or none"))
        }
        (_, Some(wait), Some(at), None) if !is_near(ts + wait, at) => {
            Some(format!("resetsAt {} (in {wait} ms), or none", ts + wait))
        }
        _ => None,
    }
}

fn counts_from_one(record: &RunRecord, sent: &str) -> CheckOutcome {
    let attempts: Vec<u64> =
        record.of_type("retry").filter_map(|received| received.value["attempt"].as_u64()).collect();
    let is_counted = attempts.iter().zip(1..).all(|(attempt, number)| *attempt == number);
    record.ensure(is_counted, "`retry` with attempt 1, 2, …", format!("{attempts:?}"), sent)
}
