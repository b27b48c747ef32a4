//! Every metric has the right labels, and the README lists exactly these metrics.

use std::collections::BTreeSet;
use std::time::Duration;

use od_protocol::ErrorKind;

use super::*;
use crate::usage::TokenUsage;

const README: &str = include_str!("../../../README.md");

fn done() -> Done {
    serde_json::from_value(serde_json::json!({
        "status": "failed", "stopReason": "error", "errorKind": "plugin_crashed",
        "evidence": "watchdog", "durationMs": 1500, "totals": {},
    }))
    .expect("a done event")
}

fn everything_counted_once() -> Metrics {
    let metrics = Metrics::new(1_500);
    metrics.run_started("demo", Duration::from_millis(20));
    metrics.run_ended("demo", &done(), JournalSize { events: 9, bytes: 900 });
    let tokens = TokenUsage {
        input_tokens: 7,
        output_tokens: 5,
        total_tokens: 12,
        cost_usd: Some(0.25),
        ..TokenUsage::default()
    };
    metrics.used(&AttemptUsage { agent: "demo".to_owned(), session_id: None, tokens });
    let adapter = metrics.adapter("demo");
    adapter.started();
    adapter.violation();
    adapter.failed(&ErrorKind::PluginCrashed);
    metrics.detected("demo", Duration::from_millis(30));
    metrics.called("runs/start", "ok", Duration::from_millis(3));
    metrics.refused(Refusal::Token);
    metrics
}

/// The names in the text, with the suffix that the format adds.
fn names(text: &str) -> BTreeSet<String> {
    let types = text.lines().filter_map(|line| line.strip_prefix("# TYPE ")?.split_once(' '));
    let name = |(name, kind): (&str, &str)| match kind {
        "counter" => format!("{name}_total"),
        "info" => format!("{name}_info"),
        _ => name.to_owned(),
    };
    types.map(name).collect()
}

#[test]
fn readme_lists_all_metrics() {
    let metrics = everything_counted_once();
    let _client = metrics.client(Transport::WebSocket);
    let named: BTreeSet<String> = README
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split(['`', '{']).next())
        .filter(|name| name.starts_with("od_") || name.starts_with("process_"))
        .map(str::to_owned)
        .collect();
    let counted = names(&metrics.encode(&Snapshot::default()));
    if cfg!(target_os = "linux") {
        assert_eq!(named, counted);
    } else {
        assert!(counted.is_subset(&named), "{counted:?}");
    }
}

#[test]
fn metrics_have_their_labels() {
    let text =
        everything_counted_once().encode(&Snapshot { running: 3, queued: 2, journal_bytes: 77 });
    for line in [
        r#"od_runs_started_total{agent="demo"} 1"#,
        r#"od_runs_ended_total{agent="demo",status="failed",error_kind="plugin_crashed"} 1"#,
        r#"od_run_duration_seconds_bucket{le="2.0",agent="demo"} 1"#,
        r#"od_events_total{agent="demo"} 9"#,
        "od_event_bytes_total 900",
        r#"od_tokens_total{agent="demo",kind="input"} 7"#,
        r#"od_cost_usd_total{agent="demo"} 0.25"#,
        r#"od_adapter_failures_total{agent="demo",kind="plugin_crashed"} 1"#,
        r#"od_api_calls_total{method="runs/start",outcome="ok"} 1"#,
        r#"od_api_refused_total{reason="token"} 1"#,
        "od_runs_running 3",
        "od_runs_queued 2",
        "od_journal_bytes 77",
        "process_start_time_seconds 1.5",
    ] {
        assert!(text.lines().any(|other| other == line), "{line}\nis missing in\n{text}");
    }
    assert!(text.ends_with("# EOF\n"));
}

#[test]
fn disconnected_client_is_not_counted() {
    let metrics = Metrics::new(0);
    let first = metrics.client(Transport::Stdio);
    let second = metrics.client(Transport::Stdio);
    drop(first);
    let text = metrics.encode(&Snapshot::default());
    assert!(text.contains(r#"od_clients{face="stdio"} 1"#), "{text}");
    drop(second);
    let text = metrics.encode(&Snapshot::default());
    assert!(text.contains(r#"od_clients{face="stdio"} 0"#), "{text}");
}
