//! `runs/result` waits as long as it takes: over every face, until its client goes away or the host ends.

use std::io::Write;
use std::sync::Arc;

use jsonrpsee::core::client::ClientT;
use serde_json::{Value, json};

use super::processes::eventually;
use super::stage::{ServeProcess, StdioProcess, kind, task};
use super::websocket::{error_of, object};
use crate::cli::scratch::Scratch;
use crate::library::stage::block_on;

/// A host whose run goes on, and which lives in the same home as another one.
fn owner() -> (ServeProcess, Value) {
    let host = ServeProcess::with_adapter("x", "waits");
    let run_id = host.start_run("go");
    let wanted = json!({"runId": run_id});
    (host, wanted)
}

#[test]
fn over_a_pipe_a_wait_takes_no_place_of_a_call_and_ends_with_the_run() {
    let scratch = Scratch::with_adapter("x", "waits");
    std::fs::write(scratch.path("od/settings.toml"), "[serve]\nmaxSubscriptions = 1\n")
        .expect("settings");
    let mut host = StdioProcess::start(scratch);
    let task = task(&host.scratch, "go");
    let run = host.call("runs/start", &task).expect("a run")["runId"].clone();
    let wanted = json!({"runId": run});
    host.request(7, "runs/result", &wanted);
    host.request(8, "runs/result", &wanted);
    let refused = host.next();
    assert_eq!((&refused["id"], kind(&refused["error"])), (&json!(8), "_od.too_many_calls"));
    host.request(9, "runs/cancel", &wanted);
    let answers = [host.next(), host.next()];
    let result = answers.iter().find(|answer| answer["id"] == 7).expect("an answer");
    assert_eq!(result["result"]["verdict"]["status"], "cancelled", "{answers:?}");
    assert!(host.call("runs/result", &wanted).is_ok(), "the place is free again");
}

#[test]
fn a_host_that_ends_answers_those_who_wait_for_a_run_of_another() {
    let (owner, wanted) = owner();
    // On a pipe calls are taken in order.
    let mut piped = StdioProcess::start(Arc::clone(&owner.scratch));
    piped.request(7, "runs/result", &wanted);
    piped.request(8, "host/shutdown", &json!({}));
    let answers = [piped.next(), piped.next()];
    let waited = answers.iter().find(|answer| answer["id"] == 7).expect("an answer");
    assert_eq!(kind(&waited["error"]), "shutting_down", "{waited}");
    assert_eq!(piped.wait(), Some(0));

    let mut served = ServeProcess::start(Arc::clone(&owner.scratch), &[]);
    let error = block_on(async {
        let client = served.websocket().await;
        let waiting = client.request::<Value, _>("runs/result", object(&wanted));
        let ending = async {
            // What was sent before it is being answered.
            client.request::<Value, _>("host/info", object(&json!({}))).await.expect("info");
            let end = object(&json!({}));
            client.request::<Value, _>("host/shutdown", end).await.expect("an answer");
        };
        let (waited, ()) = tokio::join!(waiting, ending);
        serde_json::to_value(error_of(waited.expect_err("the host has ended"))).expect("JSON")
    });
    assert_eq!(kind(&error), "shutting_down", "{error}");
    assert_eq!(served.wait(), Some(0));
    let state = owner.call("runs/get", wanted).expect("a run")["state"].clone();
    assert_eq!(state, "running", "it is nobody's business but its owner's");
}

#[test]
fn a_host_that_ends_tells_those_who_wait_what_became_of_its_own_runs() {
    let scratch = Scratch::with_adapter("x", "waits");
    let mut host = StdioProcess::start(scratch);
    let task = task(&host.scratch, "go");
    let run = host.call("runs/start", &task).expect("a run")["runId"].clone();
    host.request(7, "runs/result", &json!({"runId": run}));
    host.request(8, "host/shutdown", &json!({}));
    let answers = [host.next(), host.next()];
    let waited = answers.iter().find(|answer| answer["id"] == 7).expect("an answer");
    assert_eq!(waited["result"]["verdict"]["status"], "cancelled", "{waited}");
    assert_eq!(host.wait(), Some(0));
}

/// Begins to wait for a run over HTTP, and goes away.
fn give_up(host: &ServeProcess, wanted: &Value) {
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "runs/result", "params": wanted});
    let body = body.to_string();
    let mut stream = host.stream();
    let request = format!(
        "POST / HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        host.address(),
        host.token,
        body.len()
    );
    stream.write_all(request.as_bytes()).expect("it listens");
    // It has time to begin.
    host.call("host/info", json!({})).expect("info");
}

fn given_up(host: &ServeProcess) -> bool {
    let (_, metrics) = host.get("/metrics", &[]);
    let mut rows = metrics.lines().filter(|row| row.contains("\"runs/result\""));
    rows.any(|row| row.contains("request_cancelled"))
}

#[test]
fn a_client_that_goes_away_ends_its_waiting() {
    let (host, wanted) = owner();
    let over_http = eventually(
        || {
            give_up(&host, &wanted);
            given_up(&host)
        },
        |given_up| *given_up,
    );
    assert!(over_http);

    let (host, wanted) = owner();
    let over_websocket = eventually(
        || {
            block_on(async {
                let client = host.websocket().await;
                let waiting = client.request::<Value, _>("runs/result", object(&wanted));
                let other = client.request::<Value, _>("host/info", object(&json!({})));
                tokio::select! {
                    biased;
                    _ = waiting => panic!("the run goes on"),
                    _ = other => {}
                }
            });
            given_up(&host)
        },
        |given_up| *given_up,
    );
    assert!(over_websocket);
}
