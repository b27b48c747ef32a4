//! HS: the handshake and the responses to unexpected messages.

mod refusals;

use std::time::Duration;

use od_protocol::ErrorKind;
use od_protocol::adapter::{INITIALIZE, PING, PingParams};
use serde_json::{Value, json};

use super::AdapterCheck;
use crate::adapter_client::{AdapterClient, Answer};
use crate::check::{Gate, active};
use crate::context::{CheckContext, LaunchOptions, initialize, initialize_params};
use crate::outcome::{CheckOutcome, Failure, Finding, ensure, shorten};

/// The timeout of a response to an unexpected message.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(3);

/// The checks of this chapter.
pub const CHECKS: &[AdapterCheck] = &[
    active(
        "HS-01",
        "`initialize` is answered within 5 s, and stdout is empty before that response",
        "a banner on stdout corrupts the protocol for every reader",
        Gate::NONE,
        initialize_response,
    ),
    active(
        "HS-02",
        "the highest protocol major version that both sides support is selected",
        "with another version, adapter and host misunderstand each other",
        Gate::NONE,
        highest_major,
    ),
    active(
        "HS-03",
        "unknown fields and unknown host capabilities are accepted",
        "a future host must be able to use an adapter of today",
        Gate::NONE,
        unknown_fields,
    ),
    active(
        "HS-04",
        "without a common major version `initialize` fails with unsupported_protocol and the \
         supported versions",
        "the user must know which side to upgrade",
        Gate::NONE,
        no_common_major,
    ),
    active(
        "HS-05",
        "after that refusal the adapter remains usable",
        "a host then tries its older protocol version in the same process",
        Gate::NONE,
        usable_after_refusal,
    ),
    active(
        "HS-06",
        "before `initialize` every request except `ping` fails with not_initialized, and a second \
         `initialize` fails with already_initialized",
        "a call that runs before the configuration is known uses the wrong agent CLI",
        Gate::NONE,
        requests_before_initialize,
    ),
    active(
        "HS-07",
        "an unknown request is answered with -32601, an unknown notification is not answered",
        "hosts probe for the methods an adapter supports",
        Gate::NONE,
        unknown_methods,
    ),
    active(
        "HS-08",
        "a malformed line is answered with -32700 and the adapter continues, invalid parameters \
         with -32602, and ids are returned exactly as sent",
        "one invalid byte must not end a user's run",
        Gate::NONE,
        malformed_input,
    ),
    active(
        "HS-09",
        "a refused `initialize` names the side to upgrade and leaves the adapter uninitialized; every \
         method then fails with not_initialized, until `initialize` succeeds",
        "a method that works without a configuration uses the wrong agent CLI or login",
        Gate::NONE,
        refusals::until_initialized,
    ),
];

fn initialize_response(context: &mut CheckContext) -> CheckOutcome {
    let mut adapter = context.launch_uninitialized()?;
    let params = initialize_value(&adapter);
    let id = adapter.ask(INITIALIZE.name, params);
    let answer = adapter.answer(&id, INITIALIZE.limit())?;
    if let Some(early) = adapter.inbox.others.first() {
        let got = format!("line {} of the transcript precedes it", early.location.line);
        return Err(Failure::new("nothing on stdout before the response to initialize", got)
            .at(early.location.clone())
            .into());
    }
    expect_result(&adapter, answer, "initialize")
}

fn highest_major(context: &mut CheckContext) -> CheckOutcome {
    let max = context.manifest()?["protocol"]["max"].as_u64().unwrap_or(1);
    for (low, high) in [(1, max + 7), (max, max)] {
        let mut adapter = context.launch_uninitialized()?;
        let mut params = initialize_value(&adapter);
        params["protocol"] = json!({"min": low, "max": high});
        let answer = adapter.request(INITIALIZE.name, params)?;
        let got = answer.summary();
        let chosen = match answer {
            Answer::Result(value) => value["protocol"].as_u64(),
            Answer::Error(_) => None,
        };
        if chosen != Some(max) {
            return Err(adapter.failure(
                format!("protocol {max}"),
                got,
                format!("initialize with majors {low} to {high}"),
            ));
        }
    }
    Ok(())
}

fn unknown_fields(context: &mut CheckContext) -> CheckOutcome {
    let mut adapter = context.launch_uninitialized()?;
    let mut params = initialize_value(&adapter);
    params["ofTomorrow"] = json!({"deep": [1, null]});
    params["capabilities"]["ofTomorrow"] = json!({});
    params["host"]["ofTomorrow"] = json!(true);
    params["limits"]["ofTomorrow"] = json!(1);
    params["config"]["ofTomorrow"] = json!("x");
    let answer = adapter.request(INITIALIZE.name, params)?;
    expect_result(&adapter, answer, "initialize with unknown fields everywhere")?;
    for method in ["ping", "adapter/health", "adapter/detect"] {
        let answer = adapter.request(method, json!({"ofTomorrow": {"x": 1}}))?;
        expect_result(&adapter, answer, &format!("{method} with an unknown field"))?;
    }
    Ok(())
}

fn no_common_major(context: &mut CheckContext) -> CheckOutcome {
    let manifest_range = context.manifest()?["protocol"].clone();
    let mut adapter = context.launch_uninitialized()?;
    let error = refuse_majors(&mut adapter)?;
    let supported = error.data.as_ref().and_then(|data| data.supported.clone());
    let fits = supported.as_ref().is_some_and(|range| {
        json!(range.min) == manifest_range["min"] && json!(range.max) == manifest_range["max"]
    });
    if !fits {
        let expected = format!(
            "data.supported with min {} and max {}",
            manifest_range["min"], manifest_range["max"]
        );
        let got = format!("data.supported {supported:?}");
        return Err(adapter.failure(expected, got, "initialize with majors 1000 to 1001"));
    }
    ensure(!error.message.trim().is_empty(), "a message that names the side to upgrade", || {
        "an empty message".to_owned()
    })
}

fn usable_after_refusal(context: &mut CheckContext) -> CheckOutcome {
    let mut adapter = context.launch_uninitialized()?;
    let params = unsupported_majors(&adapter);
    let refusal = adapter.request(INITIALIZE.name, params)?;
    if let Answer::Result(_) = refusal {
        return Err(Finding::Blocked("HS-04: the unsupported majors were accepted".to_owned()));
    }
    adapter.call(&PingParams {})?;
    initialize(&mut adapter, &LaunchOptions::default()).map(drop)
}

fn requests_before_initialize(context: &mut CheckContext) -> CheckOutcome {
    let mut adapter = context.launch_uninitialized()?;
    adapter.call(&PingParams {})?;
    let run = json!({"runId": "r", "cwd": "/", "prompt": {"text": "x"}});
    let calls = [("adapter/health", json!({})), ("adapter/detect", json!({})), ("run/start", run)];
    for (method, params) in calls {
        adapter.refused(method, params, &ErrorKind::NotInitialized)?;
    }
    initialize(&mut adapter, &LaunchOptions::default())?;
    let again = initialize_value(&adapter);
    adapter.refused(INITIALIZE.name, again, &ErrorKind::AlreadyInitialized)?;
    adapter.call(&PingParams {}).map(drop)
}

fn unknown_methods(context: &mut CheckContext) -> CheckOutcome {
    let method = format!("_conformance/{}", context.nonce());
    let mut adapter = context.launch()?;
    adapter.refused(&method, json!({}), &ErrorKind::MethodNotFound)?;
    adapter.refused("no/such_method", json!({}), &ErrorKind::MethodNotFound)?;
    let before = adapter.inbox.others.len();
    adapter.notify(&method, json!({"x": 1}));
    adapter.notify("$/cancelRequest", json!({"id": "unknown request"}));
    adapter.call(&PingParams {})?;
    match adapter.inbox.others.get(before) {
        None => Ok(()),
        Some(line) => {
            let got = shorten(&line.value.to_string(), 300);
            Err(Failure::new("no response to an unknown notification", got)
                .sent(format!("the notification {method}"))
                .at(line.location.clone())
                .into())
        }
    }
}

fn malformed_input(context: &mut CheckContext) -> CheckOutcome {
    let mut adapter = context.launch_uninitialized()?;
    let ids =
        [json!("ä \"quoted\" \u{2028} id"), json!(""), json!(9_007_199_254_740_991_u64), json!(0)];
    for id in ids {
        echoed(&mut adapter, id)?;
    }
    initialize(&mut adapter, &LaunchOptions::default())?;
    for bytes in [&b"{\"jsonrpc\": \"2.0\", \"id\": 1, \"meth\n"[..], b"\xff\xfe{}\n", b"hello\n"] {
        parse_error(&mut adapter, bytes)?;
    }
    adapter.refused("run/cancel", json!({"runId": 5}), &ErrorKind::InvalidParams)?;
    adapter.refused("run/start", json!({"runId": "r"}), &ErrorKind::InvalidParams)?;
    adapter.send_raw(b"\n   \n\r\n");
    let line = json!({"jsonrpc": "2.0", "id": "crlf", "method": "ping", "params": {}});
    adapter.inbox.asked.insert("\"crlf\"".to_owned(), PING.name.to_owned());
    adapter.send_raw(format!("{line}\r\n").as_bytes());
    let answer = adapter.answer("\"crlf\"", PING.limit())?;
    expect_result(&adapter, answer, "ping in a line that ends with CR LF")
}

fn parse_error(adapter: &mut AdapterClient, bytes: &[u8]) -> CheckOutcome {
    let before = adapter.inbox.others.len();
    adapter.send_raw(bytes);
    let limit = adapter.limit(RESPONSE_TIMEOUT);
    adapter.pump(limit, |inbox| inbox.others.len() > before);
    let line = adapter.inbox.others.get(before).cloned();
    let code = line.as_ref().and_then(|line| line.value["error"]["code"].as_i64());
    let has_null_id = line.as_ref().is_some_and(|line| line.value.get("id") == Some(&Value::Null));
    if code == Some(-32700) && has_null_id {
        return Ok(());
    }
    let got = line.map_or_else(
        || if adapter.is_running() { "no response" } else { "the adapter has exited" }.to_owned(),
        |line| shorten(&line.value.to_string(), 300),
    );
    Err(adapter.failure(
        "an error with code -32700 and id null",
        got,
        String::from_utf8_lossy(bytes).trim_end(),
    ))
}

fn echoed(adapter: &mut AdapterClient, id: Value) -> CheckOutcome {
    let shown = format!("ping with the id {id}");
    let key = adapter.ask_with_id(id, PING.name, json!({}));
    match adapter.answer(&key, PING.limit()) {
        Ok(answer) => expect_result(adapter, answer, &shown),
        Err(_) => {
            let got = match adapter.inbox.others.last() {
                Some(line) => shorten(&line.value.to_string(), 300),
                None => "no response".to_owned(),
            };
            Err(adapter.failure(format!("a response with exactly the id {key}"), got, shown))
        }
    }
}

fn initialize_value(adapter: &AdapterClient) -> Value {
    serde_json::to_value(initialize_params(adapter, &LaunchOptions::default())).unwrap_or_default()
}

fn unsupported_majors(adapter: &AdapterClient) -> Value {
    let mut params = initialize_value(adapter);
    params["protocol"] = json!({"min": 1000, "max": 1001});
    params
}

fn refuse_majors(adapter: &mut AdapterClient) -> Result<od_protocol::ErrorObject, Finding> {
    let params = unsupported_majors(adapter);
    let answer = adapter.request(INITIALIZE.name, params)?;
    adapter.expect_error(
        answer,
        &ErrorKind::UnsupportedProtocol,
        "initialize with majors 1000 to 1001",
    )
}

fn expect_result(adapter: &AdapterClient, answer: Answer, sent: &str) -> CheckOutcome {
    match answer {
        Answer::Result(_) => Ok(()),
        error @ Answer::Error(_) => Err(adapter.failure("a result", error.summary(), sent)),
    }
}
