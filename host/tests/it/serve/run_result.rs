//! `runs/result` waits until the run ends, its client disconnects or the host stops.

use std::io::Write;
use std::sync::Arc;

use jsonrpsee::core::client::ClientT;
use serde_json::{Value, json};

use super::processes::eventually;
use super::server_process::{ServeProcess, StdioProcess, kind, task};
use super::websocket::{error_of, object};
use crate::cli::scratch::Scratch;
use crate::library::stage::block_on;

/// A host with an active run; other hosts of the tests share its home.
fn owner() -> (ServeProcess, Value) {
    let host = ServeProcess::with_adapter("x", "waits");
    let run_id = host.start_run("go");
    let wanted = json!({"runId": run_id});
    (host, wanted)
}

#[test]
fn stdio_wait_uses_its_own_slots() {
    let scratch = Scratch::with_adapter("x", "waits");
    scratch.write_settings("[serve]\nmaxSubscriptions = 1\n");
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
    let result = answers.iter().find(|answer| answer["id"] == 7).expect("a reply");
    assert_eq!(result["result"]["verdict"]["status"], "cancelled", "{answers:?}");
    assert!(host.call("runs/result", &wanted).is_ok(), "the slot is free again");
}

#[test]
fn stopping_host_answers_waits_for_foreign_runs() {
    let (owner, wanted) = owner();
    // On stdio calls are accepted in order.
    let mut piped = StdioProcess::start(Arc::clone(&owner.scratch));
    piped.request(7, "runs/result", &wanted);
    piped.request(8, "host/shutdown", &json!({}));
    let answers = [piped.next(), piped.next()];
    let waited = answers.iter().find(|answer| answer["id"] == 7).expect("a reply");
    assert_eq!(kind(&waited["error"]), "shutting_down", "{waited}");
    assert_eq!(piped.wait(), Some(0));

    let mut served = ServeProcess::start(Arc::clone(&owner.scratch), &[]);
    let error = block_on(async {
        let client = served.websocket().await;
        let waiting = client.request::<Value, _>("runs/result", object(&wanted));
        let ending = async {
            // The earlier call is in progress now.
            client.request::<Value, _>("host/info", object(&json!({}))).await.expect("info");
            let end = object(&json!({}));
            client.request::<Value, _>("host/shutdown", end).await.expect("a reply");
        };
        let (waited, ()) = tokio::join!(waiting, ending);
        serde_json::to_value(error_of(waited.expect_err("the host has ended"))).expect("JSON")
    });
    assert_eq!(kind(&error), "shutting_down", "{error}");
    assert_eq!(served.wait(), Some(0));
    let state = owner.call("runs/get", wanted).expect("a run")["state"].clone();
    assert_eq!(state, "running", "only its owner controls it");
}

#[test]
fn stopping_host_returns_results_of_own_runs() {
    let scratch = Scratch::with_adapter("x", "waits");
    let mut host = StdioProcess::start(scratch);
    let task = task(&host.scratch, "go");
    let run = host.call("runs/start", &task).expect("a run")["runId"].clone();
    host.request(7, "runs/result", &json!({"runId": run}));
    host.request(8, "host/shutdown", &json!({}));
    let answers = [host.next(), host.next()];
    let waited = answers.iter().find(|answer| answer["id"] == 7).expect("a reply");
    assert_eq!(waited["result"]["verdict"]["status"], "cancelled", "{waited}");
    assert_eq!(host.wait(), Some(0));
}

/// Waits for a run over HTTP and disconnects.
fn disconnect(host: &ServeProcess, wanted: &Value) {
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
    stream.write_all(request.as_bytes()).expect("the host listens");
    // Gives the call time to start.
    host.call("host/info", json!({})).expect("info");
}

fn was_cancelled(host: &ServeProcess) -> bool {
    let (_, metrics) = host.get("/metrics", &[]);
    let mut rows = metrics.lines().filter(|row| row.contains("\"runs/result\""));
    rows.any(|row| row.contains("request_cancelled"))
}

#[test]
fn lost_client_stops_waiting_for_result() {
    let (host, wanted) = owner();
    let over_http = eventually(
        || {
            disconnect(&host, &wanted);
            was_cancelled(&host)
        },
        |was_cancelled| *was_cancelled,
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
                    _ = waiting => panic!("the run is active"),
                    _ = other => {}
                }
            });
            was_cancelled(&host)
        },
        |was_cancelled| *was_cancelled,
    );
    assert!(over_websocket);
}
