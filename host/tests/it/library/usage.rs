//! The usage ledger: when runs are recorded, what survives, and what is counted.

use std::time::Duration;

use jiff::tz::TimeZone;
use od_host::doctor::CheckStatus;
use od_host::queue::{QueueLimits, RunQueue};
use od_host::service::Client;
use od_host::usage::summarize;
use od_host::{Host, RunRequest};
use od_protocol::api::{
    FallbackPolicy, RetryPolicy, SummarizeUsageParams, UsageGroup, UsageSummary,
};
use od_protocol::{DoneStatus, Usage};
use serde_json::{Value, json};

use super::service_runs::service_on;
use super::stage::{Stage, block_on};

/// The mode of an adapter that emits these events.
fn emitting(events: &Value) -> String {
    format!("emits {events}")
}

fn usage_event(scope: &str, model: &str, input: u64, cost: Option<f64>) -> Value {
    json!({
        "type": "usage", "scope": scope, "cumulative": scope != "turn", "source": "cli", "model": model,
        "inputTokens": input, "outputTokens": 0, "totalTokens": input, "costUsd": cost,
    })
}

/// The same with the provider that the adapter reports.
fn with_provider(provider: &str, mut usage: Value) -> Value {
    usage["provider"] = json!(provider);
    usage
}

fn session(mode: &str) -> Value {
    json!({"type": "session_started", "sessionId": "s1", "mode": mode})
}

fn run(stage: &Stage, host: &Host) -> String {
    block_on(async {
        let run = stage.start(host).await.expect("a run");
        assert_eq!(run.wait().await.status, DoneStatus::Completed);
        run.id().to_owned()
    })
}

fn by(host: &Host, by: UsageGroup) -> UsageSummary {
    let params = SummarizeUsageParams { by: Some(by), ..SummarizeUsageParams::default() };
    host.usage(&params).expect("a summary")
}

/// Groups, runs and tokens.
fn figures(summary: &UsageSummary) -> Vec<(&str, u64, u64)> {
    summary.rows.iter().map(|row| (row.group.as_str(), row.runs, row.total_tokens)).collect()
}

/// The only file of the ledger.
fn file(stage: &Stage) -> std::path::PathBuf {
    let entries = std::fs::read_dir(stage.home().usage()).expect("a ledger");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("a file").path()).collect();
    assert_eq!(paths.len(), 1, "{paths:?}");
    paths.remove(0)
}

/// A row of a ledger that was written earlier.
fn row(run: &str, ended_at: &str, tokens: u64) -> String {
    let ended_at: jiff::Timestamp = ended_at.parse().expect("a time");
    let row = json!({
        "v": 1, "runId": run, "attempt": 1, "agent": "x", "endedAt": ended_at.as_millisecond(),
        "spent": {"inputTokens": tokens, "outputTokens": 0, "totalTokens": tokens, "costUsd": null},
        "source": "cli", "durationMs": 1, "status": "completed", "aLaterMember": [1],
    });
    format!("{row}\n")
}

fn write_month(stage: &Stage, month: &str, text: &str) {
    std::fs::create_dir_all(stage.home().usage()).expect("a folder");
    std::fs::write(stage.home().usage().join(month), text).expect("a ledger");
}

#[test]
fn removed_run_stays_in_ledger() {
    let events = json!([
        session("new"),
        with_provider("acme", usage_event("turn", "big", 10, Some(0.25))),
        usage_event("turn", "other/small", 20, Some(0.0)),
        usage_event("run", "big", 30, Some(0.25)),
    ]);
    let stage = Stage::with("x", &emitting(&events));
    let host = stage.host();
    let run_id = run(&stage, &host);
    std::fs::remove_dir_all(stage.home().run(&run_id)).expect("the run is removed");

    let summary = by(&host, UsageGroup::Provider);
    assert_eq!(figures(&summary), [("", 1, 20), ("acme", 1, 10)]);
    assert_eq!((summary.total.runs, summary.total.total_tokens), (1, 30));
    assert_eq!((summary.total.cost_usd, summary.total.runs_without_cost), (Some(0.25), 0));
    assert_eq!(figures(&by(&host, UsageGroup::Agent)), [("x", 1, 30)]);
    assert_eq!(figures(&by(&host, UsageGroup::Credential)), [("", 1, 30)]);
}

#[test]
fn api_returns_same_summary() {
    let stage = Stage::with("x", &emitting(&json!([usage_event("run", "m", 5, None)])));
    let host = stage.host();
    run(&stage, &host);
    let json = |value: Value| serde_json::value::to_raw_value(&value).expect("JSON");
    let client = Client("test".to_owned());
    block_on(async {
        let service = service_on(&stage, host.clone());
        let params = json(json!({"by": "model"}));
        let answer = service.call(&client, "usage/summary", Some(&params)).await;
        let summary: UsageSummary =
            serde_json::from_str(answer.expect("a summary").get()).expect("a summary");
        assert_eq!(summary, by(&host, UsageGroup::Model));
        assert_eq!(summary.rows[0].runs_without_cost, 1);
        let backwards = json(json!({"since": 5, "until": 5}));
        let refused = service.call(&client, "usage/summary", Some(&backwards)).await;
        assert!(refused.is_err_and(|error| error.hint().is_some()));
    });
}

#[test]
fn resumed_session_counts_once() {
    let mode_of =
        |mode, input| emitting(&json!([session(mode), usage_event("session", "m", input, None)]));
    let stage = Stage::with("x", &mode_of("new", 100));
    let host = stage.host();
    run(&stage, &host);
    for (mode, input) in [("resume", 160), ("resume", 200)] {
        stage.add("x", &mode_of(mode, input));
        run(&stage, &host);
    }
    let summary = by(&host, UsageGroup::Model);
    assert_eq!((summary.total.runs, summary.total.input_tokens), (3, 200));
}

/// The tokens and cost of each attempt in the result of a run, and of the whole run.
fn figures_of_result(host: &Host, run_id: &str) -> (Vec<(String, u64)>, u64, Option<f64>) {
    let result = block_on(host.result(run_id, None)).expect("a result");
    let tokens = |usage: &Option<Usage>| usage.as_ref().map_or(0, |usage| usage.total_tokens);
    let attempts = result.attempts.iter();
    let attempts = attempts.map(|attempt| (attempt.agent.clone(), tokens(&attempt.usage)));
    (attempts.collect(), tokens(&result.usage), result.cost_usd)
}

#[test]
fn result_ledger_and_metrics_agree_after_fallback() {
    let stage = Stage::with("x", "fails rate_limited");
    stage.add("y", "repeats");
    let host = stage.host();
    let (run_id, done) = block_on(async {
        let retry =
            RetryPolicy { max_attempts: Some(2), backoff_ms: Some(1), ..Default::default() };
        let fallback = FallbackPolicy { agents: vec!["y".to_owned()], ..Default::default() };
        let request =
            RunRequest { retry: Some(retry), fallback: Some(fallback), ..stage.request("x", "go") };
        let run = host.start(request).await.expect("a run");
        (run.id().to_owned(), run.wait().await)
    });
    assert_eq!(done.totals.usage.map(|usage| usage.total_tokens), Some(17));

    let (attempts, total, cost) = figures_of_result(&host, &run_id);
    let expected = [("x", 5), ("x", 5), ("y", 7)].map(|(agent, used)| (agent.to_owned(), used));
    assert_eq!((attempts, total, cost), (expected.into(), 17, Some(0.75)));

    let summary = by(&host, UsageGroup::Agent);
    assert_eq!(figures(&summary), [("x", 1, 10), ("y", 1, 7)]);
    let costs: Vec<Option<f64>> = summary.rows.iter().map(|row| row.cost_usd).collect();
    assert_eq!((costs, summary.total.cost_usd), (vec![Some(0.5), Some(0.25)], Some(0.75)));

    let metrics = host.metrics_text();
    for line in [
        r#"od_tokens_total{agent="x",kind="input"} 10"#,
        r#"od_tokens_total{agent="y",kind="input"} 7"#,
        r#"od_cost_usd_total{agent="x"} 0.5"#,
        r#"od_cost_usd_total{agent="y"} 0.25"#,
    ] {
        assert!(metrics.lines().any(|other| other == line), "{line}\nis missing in\n{metrics}");
    }
}

#[test]
fn result_excludes_later_runs_of_session() {
    let mode_of =
        |mode, input| emitting(&json!([session(mode), usage_event("session", "m", input, None)]));
    let stage = Stage::with("x", &mode_of("new", 100));
    let host = stage.host();
    let mut runs = vec![run(&stage, &host)];
    for input in [160, 200] {
        stage.add("x", &mode_of("resume", input));
        runs.push(run(&stage, &host));
    }
    let used: Vec<u64> = runs.iter().map(|run| figures_of_result(&host, run).1).collect();
    assert_eq!(used, [100, 60, 40]);
    let metrics = host.metrics_text();
    let line = r#"od_tokens_total{agent="x",kind="input"} 200"#;
    assert!(metrics.lines().any(|other| other == line), "{metrics}");
}

#[test]
fn orphaned_run_counts_once() {
    let stage = Stage::with("x", &emitting(&json!([usage_event("turn", "m", 7, None)])));
    let host = stage.host();
    let run_id = run(&stage, &host);
    std::fs::remove_dir_all(stage.home().usage()).expect("a ledger");
    let journal = std::fs::read_to_string(stage.events_file(&run_id)).expect("a journal");
    let (before_done, _) = journal.trim_end().rsplit_once('\n').expect("several events");
    for _ in 0..2 {
        std::fs::write(stage.events_file(&run_id), format!("{before_done}\n")).expect("a journal");
        let path = stage.home().run(&run_id).join("run.json");
        let mut record: Value =
            serde_json::from_slice(&std::fs::read(&path).expect("a record")).expect("JSON");
        record["status"] = json!("running");
        std::fs::write(&path, record.to_string()).expect("a record");
        assert_eq!(host.runs().expect("the runs").len(), 1);
    }
    let ledger = std::fs::read_to_string(file(&stage)).expect("a ledger");
    assert_eq!(ledger.lines().count(), 2, "recorded twice:\n{ledger}");
    assert_eq!(figures(&by(&host, UsageGroup::Agent)), [("x", 1, 7)]);
}

#[test]
fn run_cancelled_in_queue_is_not_recorded() {
    let stage = Stage::with("x", "good");
    let host = stage.host();
    block_on(async {
        // A closed gate: no run may work, so this one waits until it is cancelled.
        let queue = RunQueue::new(QueueLimits {
            runs: 0,
            runs_per_agent: 0,
            agents: Default::default(),
            queued: 1,
        });
        let request = stage.request("x", "go");
        let run = host.start_queued(request, &queue, None).await.expect("a run");
        assert!(run.cancel(Duration::ZERO));
        assert_eq!(run.wait().await.status, DoneStatus::Cancelled);
    });
    assert_eq!(by(&host, UsageGroup::Agent).total.runs, 0);
}

#[test]
fn incomplete_line_is_removed_and_damage_reported() {
    let stage = Stage::with("x", &emitting(&json!([usage_event("run", "m", 5, None)])));
    let host = stage.host();
    run(&stage, &host);
    let path = file(&stage);
    let whole = std::fs::read_to_string(&path).expect("a ledger");
    std::fs::write(&path, format!("{whole}{}", &whole[..40])).expect("half a row");
    assert_eq!(
        (by(&host, UsageGroup::Agent).unread_lines, by(&host, UsageGroup::Agent).total.runs),
        (0, 1)
    );
    run(&stage, &host);
    let healed = std::fs::read_to_string(&path).expect("a ledger");
    assert!(healed.starts_with(&whole) && healed.lines().count() == 2, "{healed}");

    let later = whole.replace("\"v\":1", "\"v\":2");
    std::fs::write(&path, format!("garbage\n{healed}{later}")).expect("damage");
    let summary = by(&host, UsageGroup::Agent);
    assert_eq!((summary.unread_lines, summary.total.runs), (2, 2));
    let checks = block_on(host.doctor());
    let check = checks.iter().find(|check| check.name == "usage.damaged").expect("a finding");
    assert_eq!(check.status, CheckStatus::Warn);
    assert!(check.found.starts_with("2 of 4 lines of "), "{}", check.found);
}

#[test]
fn unwritable_ledger_does_not_fail_run() {
    let stage = Stage::with("x", "good");
    let host = stage.host();
    std::fs::write(stage.home().usage(), "in the way").expect("a file");
    run(&stage, &host);
    let error = host.usage(&SummarizeUsageParams::default()).expect_err("it cannot be read");
    assert!(error.message.contains("usage") && error.hint.is_some(), "{error:?}");
}

#[test]
fn only_months_of_period_are_read() {
    let stage = Stage::new();
    let rows = [row("a", "2026-10-31T23:30:00Z", 1), row("b", "2026-10-01T00:00:00Z", 2)];
    write_month(&stage, "2026-10.jsonl", &rows.concat());
    write_month(&stage, "2026-11.jsonl", &row("c", "2026-11-02T12:00:00Z", 4));
    // Opening it fails: it is a folder.
    std::fs::create_dir(stage.home().usage().join("2020-01.jsonl")).expect("a folder");
    std::fs::write(stage.home().usage().join("notes.txt"), "mine").expect("a file");
    let time = |text: &str| {
        let time: jiff::Timestamp = text.parse().expect("a time");
        Some(u64::try_from(time.as_millisecond()).expect("our days"))
    };
    let tokens = |since, until| {
        let params = SummarizeUsageParams { by: None, since, until };
        summarize(&stage.home(), &params, &TimeZone::UTC).map(|summary| summary.total.total_tokens)
    };
    assert_eq!(tokens(time("2026-10-01T00:00:00Z"), None), Ok(7));
    assert_eq!(tokens(time("2026-10-01T00:00:01Z"), time("2026-11-01T00:00:00Z")), Ok(1));
    assert_eq!(tokens(time("2026-11-01T00:00:00Z"), None), Ok(4));
    assert!(tokens(None, None).is_err(), "the folder is opened");
}

#[test]
fn days_follow_time_zone() {
    let stage = Stage::new();
    let rows = [row("a", "2026-10-31T23:30:00Z", 1), row("b", "2026-10-30T10:00:00Z", 2)];
    write_month(&stage, "2026-10.jsonl", &rows.concat());
    let days = |hours| {
        let zone = TimeZone::fixed(jiff::tz::offset(hours));
        let params = SummarizeUsageParams { by: Some(UsageGroup::Day), ..Default::default() };
        let summary = summarize(&stage.home(), &params, &zone).expect("a summary");
        summary.rows.into_iter().map(|row| row.group).collect::<Vec<_>>()
    };
    assert_eq!(days(0), ["2026-10-30", "2026-10-31"]);
    assert_eq!(days(1), ["2026-10-30", "2026-11-01"]);
}

#[cfg(unix)]
#[test]
fn ledger_is_private() {
    use std::os::unix::fs::PermissionsExt;
    let stage = Stage::with("x", "good");
    run(&stage, &stage.host());
    let mode = |path: &std::path::Path| {
        std::fs::metadata(path).expect("it exists").permissions().mode() & 0o777
    };
    assert_eq!((mode(&stage.home().usage()), mode(&file(&stage))), (0o700, 0o600));
}
