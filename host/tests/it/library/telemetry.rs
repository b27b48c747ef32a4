//! Metrics of runs with real adapters.

use od_host::Host;
use od_host::service::Client;
use od_protocol::api::FallbackPolicy;

use super::service_runs::service;
use super::stage::{Stage, block_on, collect};

/// Checks that the metrics have each of these lines.
#[track_caller]
fn check_counted(host: &Host, expected: &[&str]) {
    let text = host.metrics_text();
    for line in expected {
        assert!(text.lines().any(|other| other == *line), "{line}\nis missing in\n{text}");
    }
}

#[test]
fn run_metrics_count_events() {
    let stage = Stage::with("x", "good");
    let host = stage.host();
    block_on(async {
        let run = stage.start(&host).await.expect("a run");
        let (events, _) = collect(&run).await;
        assert!(!host.metrics_text().contains("od_adapter_failures"), "nothing failed");
        let count = format!(r#"od_events_total{{agent="x"}} {}"#, events.len());
        let journal = std::fs::metadata(stage.events_file(run.id())).expect("a journal").len();
        check_counted(
            &host,
            &[
                r#"od_runs_started_total{agent="x"} 1"#,
                r#"od_runs_ended_total{agent="x",status="completed",error_kind=""} 1"#,
                r#"od_adapter_starts_total{agent="x"} 1"#,
                "od_runs_running 0",
                r#"od_protocol_violations_total{agent="x"} 0"#,
                &count,
                &format!("od_event_bytes_total {journal}"),
                &format!("od_journal_bytes {journal}"),
            ],
        );
    });
}

#[test]
fn metrics_count_crashes_and_damaged_lines() {
    for (mode, line) in [
        ("crash", r#"od_adapter_failures_total{agent="x",kind="plugin_crashed"} 1"#),
        (
            "crash",
            r#"od_runs_ended_total{agent="x",status="failed",error_kind="plugin_crashed"} 1"#,
        ),
        ("garbage", r#"od_runs_ended_total{agent="x",status="completed",error_kind=""} 1"#),
    ] {
        let stage = Stage::with("x", mode);
        let host = stage.host();
        block_on(async {
            collect(&stage.start(&host).await.expect("a run")).await;
            check_counted(&host, &[line]);
            let broken =
                host.metrics_text().contains(r#"od_protocol_violations_total{agent="x"} 0"#);
            assert_eq!(broken, mode == "crash", "only garbage violates the protocol");
        });
    }
}

#[test]
fn metrics_count_calls_by_method_and_outcome() {
    let stage = Stage::with("x", "good");
    block_on(async {
        let service = service(&stage);
        let client = Client("test".to_owned());
        service.call(&client, "host/info", None).await.expect("an answer");
        service.call(&client, "no/such", None).await.expect_err("no method");
        let text = service.metrics_text().await;
        assert!(
            text.contains(r#"od_api_calls_total{method="host/info",outcome="ok"} 1"#),
            "{text}"
        );
        let unknown = r#"od_api_calls_total{method="other",outcome="method_not_found"} 1"#;
        assert!(text.contains(unknown), "{text}");
    });
}

#[test]
fn metrics_count_crashed_attempt_of_completed_run() {
    let stage = Stage::with("x", "crash");
    stage.add("y", "good");
    let host = stage.host();
    block_on(async {
        let agents = vec!["y".to_owned()];
        let mut request = stage.request("x", "go");
        request.fallback = Some(FallbackPolicy { agents, ..FallbackPolicy::default() });
        collect(&host.start(request).await.expect("a run")).await;
        check_counted(
            &host,
            &[
                r#"od_adapter_failures_total{agent="x",kind="plugin_crashed"} 1"#,
                r#"od_runs_started_total{agent="x"} 1"#,
                r#"od_runs_ended_total{agent="y",status="completed",error_kind=""} 1"#,
            ],
        );
    });
}
