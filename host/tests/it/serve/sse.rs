//! Events over HTTP.

use serde_json::json;

use super::server_process::{ServeProcess, kind, numbers};

#[test]
fn last_event_id_overrides_from() {
    let host = ServeProcess::with_adapter("x", "flood 100");
    let run = host.start_run("go");
    assert_eq!(numbers(&host.events(&run, 0)), (0..=101).collect::<Vec<_>>());
    assert_eq!(numbers(&host.events(&run, 99)), [99, 100, 101]);
    let path = format!("/runs/{run}/events?from=3");
    let (_, text) = host.get(&path, &[("Last-Event-ID", "99")]);
    let ids: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("id: ")).collect();
    assert_eq!(ids, ["100", "101"]);
    // A browser reconnects until it gets 204.
    for seen in ["101", "102"] {
        assert_eq!(host.get(&path, &[("Last-Event-ID", seen)]), (204, String::new()));
    }
    assert_eq!(host.get(&format!("/runs/{run}/events?from=102"), &[]), (200, String::new()));
}

#[test]
fn sse_bytes_equal_journal() {
    let host = ServeProcess::with_adapter("x", "other_order");
    let run = host.start_run("go");
    let (_, text) = host.get(&format!("/runs/{run}/events"), &[]);
    let journal = host.scratch.path("od/runs").join(&run).join("events.jsonl");
    let journal = std::fs::read_to_string(journal).expect("a journal");
    let data: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("data: ")).collect();
    assert_eq!(data, journal.lines().collect::<Vec<_>>());
    let types: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("event: ")).collect();
    assert_eq!(types, ["run_started", "text_delta", "done"]);
}

#[test]
fn sse_streams_events_of_active_run() {
    let host = ServeProcess::with_adapter("x", "waits");
    let run = host.start_run("go");
    let mut lines = host.follow(&run);
    assert!(lines.any(|line| line.contains("\"waiting\"")), "the agent's text");

    host.call("runs/cancel", json!({"runId": run})).expect("it is active");
    assert!(lines.any(|line| line.contains("\"cancelled\"")), "the end of the run and the stream");
    assert_eq!(lines.filter(|line| line.starts_with("data:")).count(), 0);
}

#[test]
fn slow_sse_client_loses_nothing() {
    let host = ServeProcess::with_adapter("x", "flood 100000");
    let run = host.start_run("go");
    let slow = host.follow(&run);
    assert_eq!(host.events(&run, 0).len(), 100_002, "another client at the same time");
    let ids = slow.filter_map(|line| line.strip_prefix("id: ")?.parse::<u64>().ok());
    assert!(ids.eq(0..=100_001), "every event, in order");
}

#[test]
fn sse_response_has_right_headers() {
    let host = ServeProcess::with_adapter("x", "good");
    let run = host.start_run("go");
    let answer = host.raw(&format!(
        "GET /runs/{run}/events HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\n\
         Connection: close\r\n\r\n",
        host.address(),
        host.token
    ));
    for header in ["content-type: text/event-stream\r\n", "cache-control: no-store\r\n"] {
        assert!(answer.contains(header), "{answer}");
    }
}

#[test]
fn invalid_from_is_refused() {
    let host = ServeProcess::with_adapter("x", "good");
    let run = host.start_run("go");
    let (status, text) = host.get(&format!("/runs/{run}/events?from=x"), &[]);
    let answer: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!((status, kind(&answer["error"])), (400, "invalid_params"));
}

#[test]
fn run_can_be_deleted_after_done() {
    let host = ServeProcess::with_adapter("x", "good");
    let run = host.start_run("go");
    host.events(&run, 0);
    let answer = host.call("runs/delete", json!({"runId": run}));
    assert_eq!(answer, Ok(json!({"deleted": true})));
}
