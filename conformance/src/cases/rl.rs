//! RL: what happens when the provider asks to slow down.

use std::time::Duration;

use od_protocol::{ErrorKind, Event, RateLimited};

use super::expectations::{completed, failed_with, failure};
use crate::bench::{Bench, Setup, perform_on};
use crate::case::{Check, Gate, active};
use crate::play::Play;
use crate::plugin::RunRecord;
use crate::stand_in::Step;
use crate::verdict::{Failure, Finding, Verdict};

/// The chapter's checks.
pub const CHECKS: &[Check] = &[
    active(
        "RL-01",
        "an agent CLI that retries a rate limit for ever is stopped within 3 s of its first sign, \
         and the run fails with rate_limited",
        "a run that waits in silence for hours looks like a hang; a host can wait better",
        Gate::cli_scenario("retry_forever"),
        endless_retry,
    ),
    active(
        "RL-02",
        "a rate limit is an error of that kind, with retryAfterMs or resetsAt where the agent CLI \
         says so",
        "a host schedules the next try by these numbers",
        Gate::cli_scenario("rate_limit"),
        limit_with_time,
    ),
    active(
        "RL-03",
        "the words of a rate limit in a prompt, an answer or a tool's output change nothing",
        "people work on rate limiters; only the agent CLI's own signals count",
        Gate::cli_scenario("text"),
        only_words,
    ),
];

/// From the first sign of a retry to the end of the run.
const STOP_LIMIT: Duration = Duration::from_secs(3);

/// What the end of an allowance may be called.
const KINDS: &[ErrorKind] = &[ErrorKind::RateLimited, ErrorKind::QuotaExhausted];

const WORDS: &str =
    "Error 429: rate limit exceeded, rate_limit_error, too many requests, retry after 3600 s ";

fn endless_retry(bench: &mut Bench) -> Verdict {
    let sent = "run/start; the agent CLI says again and again that it retries";
    let play = bench.prepare("retry_forever")?;
    let mut plugin = bench.launch(&Setup::default())?;
    plugin.begin(&play)?;
    let wanted = "`retry` or `rate_limited`";
    let sign = plugin.wait_event(play.run_id(), Duration::from_secs(5), wanted, |received| {
        matches!(received.type_name(), "retry" | "rate_limited")
    })?;
    if !plugin.wait_done(play.run_id(), STOP_LIMIT) {
        let got = format!("it goes on: {}", plugin.run(play.run_id()).summary());
        let expected = format!("`done` within {STOP_LIMIT:?} of the first `{}`", sign.type_name());
        return Err(Failure::new(expected, got).sent(sent).at(sign.place).into());
    }
    failed_with(&plugin.run(play.run_id()), KINDS, sent)
}

fn limit_with_time(bench: &mut Bench) -> Verdict {
    let sent = "run/start; the provider refuses and the agent CLI gives up";
    let performance = bench.shared_run("rate_limit")?;
    let record = &performance.record;
    failed_with(record, KINDS, sent)?;
    let told: Vec<RateLimited> = record
        .of_type("rate_limited")
        .filter_map(|received| match received.event()? {
            Event::RateLimited(limited) => Some(limited),
            _ => None,
        })
        .collect();
    let play = &performance.play;
    let wait = printed(play, "retry_after_ms");
    let missing = match (wait, printed(play, "resets_at").map(|at| at * 1000)) {
        (Some(after), _) if !told.iter().any(|told| told.retry_after_ms == wait) => {
            format!("retryAfterMs {after}")
        }
        (_, Some(at)) if !told.iter().any(|told| told.resets_at == Some(at)) => {
            format!("resetsAt {at}")
        }
        _ => return Ok(()),
    };
    let expected = format!("`rate_limited` with {missing}");
    Err(failure(record, expected, format!("{told:?}"), sent))
}

/// A number, when the steps of the play print it.
fn printed(play: &Play, name: &str) -> Option<u64> {
    let number = play.values.number(name)?;
    let text = number.to_string();
    let has_it = |step: &Step| match step {
        Step::Out { text: line, .. } | Step::Err { text: line } => line.contains(&text),
        _ => false,
    };
    play.script.steps.iter().any(has_it).then_some(number)
}

fn only_words(bench: &mut Bench) -> Verdict {
    let has_tools = bench.suite.pack.as_ref().is_some_and(|pack| pack.has("tool_ok"));
    let scenarios: &[&str] = if has_tools { &["text", "tool_ok"] } else { &["text"] };
    let mut plugin = bench.launch(&Setup::default())?;
    for scenario in scenarios {
        let mut play = bench.prepare(scenario)?;
        let deltas = vec![WORDS.to_owned(); play.values.deltas.len()];
        play.values.set("text", deltas.concat());
        play.values.set("tool_output", WORDS);
        play.values.deltas = deltas;
        play.request.prompt.text = format!("{} {WORDS}", play.request.prompt.text);
        let Some(pack) = &bench.suite.pack else {
            return Err(Finding::Skip("there is no fixture pack".to_owned()));
        };
        play.script = pack
            .script(scenario, &play.values)
            .map_err(|error| Finding::Suite(error.to_string()))?;
        let sent = format!("run/start of {scenario} with {WORDS:?} in prompt, answer and output");
        let performance = perform_on(&mut plugin, play)?;
        completed(&performance.record, &sent)?;
        no_limit(&performance.record, &sent)?;
    }
    Ok(())
}

fn no_limit(record: &RunRecord, sent: &str) -> Verdict {
    match record.position("rate_limited").or_else(|| record.position("retry")) {
        Some(_) => Err(failure(record, "no `rate_limited` and no `retry`", record.summary(), sent)),
        None => Ok(()),
    }
}
