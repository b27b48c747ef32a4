//! Calls and events on stdin and stdout.

use serde_json::{Value, json};

use super::server_process::{StdioProcess, kind, numbers, task};
use crate::cli::scratch::Scratch;

fn started(mode: &str) -> StdioProcess {
    StdioProcess::start(Scratch::with_adapter("x", mode))
}

/// Attaches and reads to the end of the run.
fn collect(host: &mut StdioProcess, run: &Value, from: u64) -> Vec<Value> {
    let subscription = host.call("runs/attach", &json!({"runId": run, "from": from}));
    let subscription = subscription.expect("a subscription");
    assert!(subscription.is_string());
    let mut events: Vec<Value> = Vec::new();
    while events.last().is_none_or(|event| event["event"]["type"] != "done") {
        let message = host.next();
        assert_eq!(message["method"], "runs/event", "{message}");
        assert_eq!(message["params"]["subscription"], subscription);
        let batch = message["params"]["result"]["events"].as_array().cloned();
        events.extend(batch.expect("events"));
    }
    events
}

#[test]
fn run_delivers_its_events() {
    let mut host = started("flood 3000");
    let info = host.call("host/info", &json!({})).expect("info");
    assert_eq!(info["name"], "od-host");
    let task = task(&host.scratch, "go");
    let run = host.call("runs/start", &task).expect("a run")["runId"].clone();
    let events = collect(&mut host, &run, 0);
    assert_eq!(numbers(&events), (0..=3001).collect::<Vec<_>>());
    assert_eq!(collect(&mut host, &run, 2990), events[2990..]);
    let (rest, code) = host.end();
    assert_eq!((rest, code), (Vec::new(), Some(0)));
}

#[test]
fn slow_call_does_not_block_others() {
    let mut host = started("waits");
    let task = task(&host.scratch, "go");
    let run = host.call("runs/start", &task).expect("a run")["runId"].clone();
    host.request(7, "runs/attach", &json!({"runId": run}));
    assert_eq!(host.next()["id"], 7);
    assert_eq!(host.next()["method"], "runs/event");
    host.request(8, "host/info", &json!({}));
    let answer = std::iter::repeat_with(|| host.next()).find(|message| message["id"] == 8);
    assert!(answer.is_some_and(|answer| answer["result"]["pid"].is_number()));
}

#[test]
fn invalid_line_gets_typed_error() {
    let mut host = started("good");
    let lines = [
        ("hello", "parse_error"),
        ("[]", "invalid_request"),
        (r#"{"jsonrpc":"2.0","id":1,"result":{}}"#, "invalid_request"),
        (r#"{"jsonrpc":"2.0","id":1,"method":"runs/nothing"}"#, "method_not_found"),
        (r#"{"jsonrpc":"2.0","id":1,"method":"runs/detach","params":{}}"#, "invalid_params"),
    ];
    for (line, expected) in lines {
        host.send(line);
        assert_eq!(kind(&host.next()["error"]), expected, "{line}");
    }
    host.send(&"x".repeat(17 * 1024 * 1024));
    assert_eq!(kind(&host.next()["error"]), "_od.too_large");
    host.send("");
    host.send(r#"{"jsonrpc":"2.0","method":"host/info"}"#);
    assert!(host.call("host/info", &json!({})).is_ok(), "nothing came for the notification");
}

#[test]
fn detached_client_gets_no_events() {
    let mut host = started("waits");
    let task = task(&host.scratch, "go");
    let run = host.call("runs/start", &task).expect("a run")["runId"].clone();
    let subscription = host.call("runs/attach", &json!({"runId": run})).expect("an id");
    // Reads up to the last event before the run waits.
    while !host.next().to_string().contains("waiting") {}
    assert_eq!(host.call("runs/detach", &json!([subscription])), Ok(json!(true)));
    assert_eq!(host.call("runs/detach", &json!([subscription])), Ok(json!(false)));
    host.call("runs/cancel", &json!({"runId": run})).expect("it is active");
    let events = collect(&mut host, &run, 0);
    assert_eq!(events.last().expect("an end")["event"]["status"], "cancelled");
}

#[test]
fn pending_replies_arrive_before_exit() {
    let mut host = started("good");
    for id in 0..20 {
        host.request(id, "host/info", &json!({}));
    }
    let (answers, code) = host.end();
    let mut ids: Vec<u64> = answers.iter().filter_map(|answer| answer["id"].as_u64()).collect();
    ids.sort_unstable();
    assert_eq!((ids, code), ((0..20).collect(), Some(0)));
}

#[test]
fn end_of_stdin_cancels_runs() {
    let mut host = started("waits");
    let task = task(&host.scratch, "go");
    let run = host.call("runs/start", &task).expect("a run")["runId"].clone();
    host.call("runs/attach", &json!({"runId": run})).expect("an id");
    let (rest, code) = host.end();
    assert_eq!(code, Some(0));
    let last = rest.last().expect("events")["params"]["result"]["events"].clone();
    let last = last.as_array().and_then(|events| events.last()).expect("an end").clone();
    assert_eq!(
        (&last["event"]["type"], &last["event"]["status"]),
        (&json!("done"), &json!("cancelled"))
    );
}
