//! Events over HTTP.

use serde_json::json;

use super::stage::{ServeProcess, kind, numbers};

#[test]
fn events_come_from_any_number_and_what_was_seen_wins() {
    let host = ServeProcess::with_adapter("x", "flood 100");
    let run = host.start_run("go");
    assert_eq!(numbers(&host.events(&run, 0)), (0..=101).collect::<Vec<_>>());
    assert_eq!(numbers(&host.events(&run, 99)), [99, 100, 101]);
    let path = format!("/runs/{run}/events?from=3");
    let (_, text) = host.get(&path, &[("Last-Event-ID", "99")]);
    let ids: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("id: ")).collect();
    assert_eq!(ids, ["100", "101"]);
    // A browser asks again until it is told that nothing more comes.
    for seen in ["101", "102"] {
        assert_eq!(host.get(&path, &[("Last-Event-ID", seen)]), (204, String::new()));
    }
    assert_eq!(host.get(&format!("/runs/{run}/events?from=102"), &[]), (200, String::new()));
}

#[test]
fn the_bytes_are_those_of_the_journal() {
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
fn an_event_comes_while_the_run_goes_on() {
    let host = ServeProcess::with_adapter("x", "waits");
    let run = host.start_run("go");
    let mut lines = host.watch(&run);
    assert!(lines.any(|line| line.contains("\"waiting\"")), "the agent's words");

    host.call("runs/cancel", json!({"runId": run})).expect("it goes on");
    assert!(lines.any(|line| line.contains("\"cancelled\"")), "its end, and then the stream's");
    assert_eq!(lines.filter(|line| line.starts_with("data:")).count(), 0);
}

#[test]
fn a_client_that_does_not_read_holds_nothing_up_and_loses_nothing() {
    let host = ServeProcess::with_adapter("x", "flood 100000");
    let run = host.start_run("go");
    let slow = host.watch(&run);
    assert_eq!(host.events(&run, 0).len(), 100_002, "another client, meanwhile");
    let ids = slow.filter_map(|line| line.strip_prefix("id: ")?.parse::<u64>().ok());
    assert!(ids.eq(0..=100_001), "every event, in order");
}

#[test]
fn the_answer_says_what_it_is() {
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
fn a_number_that_is_none_is_refused() {
    let host = ServeProcess::with_adapter("x", "good");
    let run = host.start_run("go");
    let (status, text) = host.get(&format!("/runs/{run}/events?from=x"), &[]);
    let answer: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!((status, kind(&answer["error"])), (400, "invalid_params"));
}

#[test]
fn whoever_has_seen_done_may_remove_the_run() {
    let host = ServeProcess::with_adapter("x", "good");
    let run = host.start_run("go");
    host.events(&run, 0);
    let answer = host.call("runs/delete", json!({"runId": run}));
    assert_eq!(answer, Ok(json!({"deleted": true})));
}
