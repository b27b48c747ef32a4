//! Calls and events over a WebSocket.

use jsonrpsee::core::client::{ClientT, Error, Subscription, SubscriptionClientT};
use jsonrpsee::core::params::ObjectParams;
use jsonrpsee::types::ErrorObjectOwned;
use jsonrpsee::ws_client::WsClient;
use od_protocol::api::RunEvents;
use serde_json::{Value, json};

use super::raw_websocket::RawWebSocket;
use super::server_process::{ServeProcess, kind, numbers};
use crate::cli::scratch::Scratch;
use crate::library::stage::block_on;

/// An object as parameters.
pub(crate) fn object(value: &Value) -> ObjectParams {
    let mut params = ObjectParams::new();
    for (name, value) in value.as_object().expect("an object") {
        params.insert(name, value).expect("JSON");
    }
    params
}

/// Attaches to a run.
pub(super) async fn attach(client: &WsClient, run_id: &str, from: u64) -> Subscription<Value> {
    let params = object(&json!({"runId": run_id, "from": from}));
    client.subscribe("runs/attach", params, "runs/detach").await.expect("a subscription")
}

/// Collects all events until `done`.
pub(super) async fn collect(mut subscription: Subscription<Value>) -> Vec<Value> {
    let mut events = Vec::new();
    while let Some(item) = subscription.next().await {
        let item = item.expect("an item");
        let typed: RunEvents = serde_json::from_value(item.clone()).expect("a typed batch");
        assert!(!typed.events.is_empty(), "no empty batch");
        events.extend(item["events"].as_array().cloned().unwrap_or_default());
        if events.last().is_some_and(|event| event["event"]["type"] == "done") {
            break;
        }
    }
    events
}

/// The error object of a failed call.
pub(crate) fn error_of(failure: Error) -> ErrorObjectOwned {
    match failure {
        Error::Call(error) => error,
        other => panic!("no reply: {other}"),
    }
}

#[test]
fn run_delivers_its_events() {
    let host = ServeProcess::with_adapter("x", "flood 5000");
    block_on(async {
        let client = host.websocket().await;
        let info: Value = client.request("host/info", ObjectParams::new()).await.expect("info");
        assert_eq!(info["pid"], json!(host.pid()));
        let started: Value =
            client.request("runs/start", object(&host.task("go"))).await.expect("a run");
        let run = started["runId"].as_str().expect("an id");
        let events = collect(attach(&client, run, 0).await).await;
        assert_eq!(numbers(&events), (0..=5001).collect::<Vec<_>>());
        let later = collect(attach(&client, run, 4990).await).await;
        assert_eq!(later, events[4990..], "the same events from the middle");
        assert_eq!(host.events(run, 0), events, "the same events as over HTTP");
        let nothing =
            attach(&client, run, 5002).await.next().await.expect("a message").expect("an item");
        assert_eq!(nothing, json!({"events": []}), "after the last event there is none");
    });
}

#[test]
fn websocket_errors_equal_http_errors() {
    let host = ServeProcess::with_adapter("x", "good");
    block_on(async {
        let client = host.websocket().await;
        let calls = [
            ("runs/nothing", json!({}), "method_not_found"),
            ("runs/get", json!({}), "invalid_params"),
            ("runs/get", json!({"runId": "nope"}), "run_unknown"),
        ];
        for (method, params, expected) in calls {
            let answer = client.request::<Value, _>(method, object(&params)).await;
            let error = error_of(answer.expect_err(method));
            let error = serde_json::to_value(&error).expect("JSON");
            assert_eq!(kind(&error), expected);
            assert_eq!(error, host.call(method, params).expect_err(method), "as over HTTP");
        }
        for params in [json!({"runId": "nope"}), json!({})] {
            let refused: Result<Subscription<Value>, _> =
                client.subscribe("runs/attach", object(&params), "runs/detach").await;
            let error = serde_json::to_value(error_of(refused.expect_err("no run"))).expect("JSON");
            assert!(["run_unknown", "invalid_params"].contains(&kind(&error)), "{error}");
        }
    });
}

#[test]
fn client_may_detach_and_attach_again() {
    let host = ServeProcess::with_adapter("x", "waits");
    block_on(async {
        let client = host.websocket().await;
        let run = host.start_run("go");
        let mut subscription = attach(&client, &run, 0).await;
        let first = subscription.next().await.expect("events").expect("an item");
        assert_eq!(first["events"][0]["event"]["type"], "run_started");
        subscription.unsubscribe().await.expect("detached");

        let cancel = object(&json!({"runId": run}));
        let cancelled: Value = client.request("runs/cancel", cancel).await.expect("it is active");
        assert_eq!(cancelled["accepted"], true);
        let events = collect(attach(&client, &run, 1).await).await;
        assert_eq!(numbers(&events).first(), Some(&1));
        assert_eq!(events.last().expect("an end")["event"]["status"], "cancelled");
    });
}

#[test]
fn many_websockets_get_every_event() {
    let host = ServeProcess::with_adapter("x", "flood 2000");
    block_on(async {
        let run = host.start_run("go");
        let mut readers = Vec::new();
        for _ in 0..20 {
            let client = host.websocket().await;
            let subscription = attach(&client, &run, 0).await;
            readers.push(tokio::spawn(async move { (collect(subscription).await, client) }));
        }
        for reader in readers {
            let (events, _client) = reader.await.expect("a reader");
            assert_eq!(numbers(&events), (0..=2001).collect::<Vec<_>>());
        }
    });
}

#[test]
fn limits_are_enforced_and_connection_stays_open() {
    let scratch = Scratch::with_adapter("x", "waits");
    let settings = "[serve]\nmaxRequestBytes = 1000\nmaxSubscriptions = 1\n";
    scratch.write_settings(settings);
    let host = ServeProcess::start(scratch, &[]);
    block_on(async {
        let client = host.websocket().await;
        let long = object(&json!({"runId": "x".repeat(2000)}));
        let answer = client.request::<Value, _>("runs/get", long).await;
        let error = serde_json::to_value(error_of(answer.expect_err("too long"))).expect("JSON");
        assert_eq!(kind(&error), "_od.too_large");

        let run = host.start_run("go");
        let first = attach(&client, &run, 0).await;
        let params = object(&json!({"runId": run}));
        let second: Result<Subscription<Value>, _> =
            client.subscribe("runs/attach", params, "runs/detach").await;
        let error = serde_json::to_value(error_of(second.expect_err("one too many")));
        assert_eq!(kind(&error.expect("JSON")), "_od.too_many_calls");
        first.unsubscribe().await.expect("detached");
        // The slot is free shortly after the reply.
        let params = || object(&json!({"runId": run}));
        while client.subscribe::<Value, _>("runs/attach", params(), "runs/detach").await.is_err() {}
    });
}

#[test]
fn lost_client_frees_its_subscriptions() {
    let host = ServeProcess::with_adapter("x", "waits");
    let run = host.start_run("go");
    let gauge = |name: &str| {
        let (_, text) = host.get("/metrics", &[]);
        let line = text.lines().find_map(|line| line.strip_prefix(name).map(str::to_owned));
        line.unwrap_or_else(|| panic!("no {name} in\n{text}"))
    };
    block_on(async {
        let client = host.websocket().await;
        let mut subscription = attach(&client, &run, 0).await;
        assert!(subscription.next().await.is_some());
        assert_eq!(gauge("od_subscribers "), "1");
    });
    // The socket is closed with the runtime.
    let mut gauges = std::iter::repeat_with(|| {
        (gauge("od_subscribers "), gauge("od_clients{face=\"websocket\"} "))
    });
    assert!(gauges.any(|gauges| gauges == ("0".to_owned(), "0".to_owned())));
}

#[test]
fn clients_at_any_start_get_same_events() {
    let host = ServeProcess::with_adapter("x", "flood 4000");
    let run = host.start_run("go");
    let places = [0, 0, 1, 1500, 2999, 4001];
    std::thread::scope(|scope| {
        let watch = |from| {
            let (host, run) = (&host, &run);
            let watched = scope.spawn(move || {
                block_on(async {
                    let client = host.websocket().await;
                    collect(attach(&client, run, from).await).await
                })
            });
            let streamed = scope.spawn(move || host.events(run, from));
            (from, watched, streamed)
        };
        for (from, watched, streamed) in places.map(watch) {
            let watched = watched.join().expect("a client");
            assert_eq!(numbers(&watched), (from..=4001).collect::<Vec<_>>());
            assert!(streamed.join().expect("a client") == watched, "from {from}");
        }
    });
}

#[test]
fn invalid_message_keeps_connection_open() {
    let host = ServeProcess::with_adapter("x", "good");
    let socket = RawWebSocket::open(host.stream(), host.address(), &host.token, 4096);
    let mut socket = socket.expect("a WebSocket");
    for (message, code) in [
        ("hello", Some(-32700)),
        (r#"{"id":1}"#, Some(-32600)),
        (r#"{"jsonrpc":"2.0","id":1,"method":"host/info"}"#, None),
    ] {
        socket.send_text(message).expect("the host listens");
        let reply = socket.next().expect("a message").expect("an open connection");
        let reply: Value = serde_json::from_slice(reply).expect("JSON");
        assert_eq!(reply["error"]["code"].as_i64(), code, "{reply}");
    }
}
