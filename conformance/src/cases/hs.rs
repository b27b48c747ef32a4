//! HS: the handshake, and how a plugin takes what it does not expect.

use std::time::Duration;

use od_protocol::{ErrorKind, INITIALIZE, PING, PingParams};
use serde_json::{Value, json};

use crate::bench::{Bench, CliPath, Setup, initialize, initialize_params};
use crate::case::{Body, Check, Gate, Level, Tier};
use crate::plugin::{Answer, Plugin};
use crate::verdict::{Failure, Finding, Verdict, ensure, shorten};

/// How long an answer to something odd may take.
const ODD_LIMIT: Duration = Duration::from_secs(3);

const fn must(
    id: &'static str,
    sentence: &'static str,
    why: &'static str,
    run: fn(&mut Bench) -> Verdict,
) -> Check {
    let body = Body::Active(run);
    Check { id, level: Level::Must, sentence, why, gate: Gate::NONE, tier: Tier::Fast, body }
}

/// The chapter's checks.
pub const CHECKS: &[Check] = &[
    must(
        "HS-01",
        "`initialize` is answered within 5 s, and nothing is on stdout before that answer",
        "a banner on stdout corrupts the protocol for every reader",
        first_words,
    ),
    must(
        "HS-02",
        "the highest protocol major that both sides speak is chosen",
        "an adapter that picks another one talks past its host",
        highest_major,
    ),
    must(
        "HS-03",
        "unknown fields and unknown host capabilities are accepted",
        "a host of next year must still be able to use an adapter of today",
        unknown_fields,
    ),
    must(
        "HS-04",
        "without a common major `initialize` is refused as unsupported_protocol with what is \
         supported",
        "the person must be told which side to upgrade",
        no_common_major,
    ),
    must(
        "HS-05",
        "after that refusal the adapter is still usable",
        "a host tries its older protocol next, in the same process",
        usable_after_refusal,
    ),
    must(
        "HS-06",
        "before `initialize` everything but `ping` is not_initialized, and a second `initialize` \
         is already_initialized",
        "a call that half works before the configuration is known uses the wrong agent CLI",
        gates,
    ),
    must(
        "HS-07",
        "an unknown request is answered with -32601, an unknown notification with silence",
        "hosts find out what an adapter can do by asking",
        unknown_methods,
    ),
    must(
        "HS-08",
        "a malformed line is answered with -32700 and the adapter goes on, wrong parameters with \
         -32602, and ids come back exactly as they were sent",
        "one bad byte must not cost a person their run",
        malformed_input,
    ),
];

fn first_words(bench: &mut Bench) -> Verdict {
    let mut plugin = silent_plugin(bench)?;
    let params = initialize_value(&plugin);
    let id = plugin.ask(INITIALIZE.name, params);
    let answer = plugin.answer(&id, INITIALIZE.limit())?;
    if let Some(early) = plugin.inbox.others.first() {
        let got = format!("line {} of the transcript comes first", early.place.line);
        return Err(Failure::new("nothing on stdout before the answer to initialize", got)
            .at(early.place.clone())
            .into());
    }
    expect_result(&plugin, answer, "initialize")
}

fn highest_major(bench: &mut Bench) -> Verdict {
    let max = bench.stated()?["protocol"]["max"].as_u64().unwrap_or(1);
    for (low, high) in [(1, max + 7), (max, max)] {
        let mut plugin = silent_plugin(bench)?;
        let mut params = initialize_value(&plugin);
        params["protocol"] = json!({"min": low, "max": high});
        let answer = plugin.request(INITIALIZE.name, params)?;
        let got = answer.summary();
        let chosen = match answer {
            Answer::Result(value) => value["protocol"].as_u64(),
            Answer::Error(_) => None,
        };
        if chosen != Some(max) {
            return Err(Failure::new(format!("protocol {max}"), got)
                .sent(format!("initialize with majors {low} to {high}"))
                .at(plugin.place())
                .into());
        }
    }
    Ok(())
}

fn unknown_fields(bench: &mut Bench) -> Verdict {
    let mut plugin = silent_plugin(bench)?;
    let mut params = initialize_value(&plugin);
    params["ofTomorrow"] = json!({"deep": [1, null]});
    params["capabilities"]["ofTomorrow"] = json!({});
    params["host"]["ofTomorrow"] = json!(true);
    params["limits"]["ofTomorrow"] = json!(1);
    params["config"]["ofTomorrow"] = json!("x");
    let answer = plugin.request(INITIALIZE.name, params)?;
    expect_result(&plugin, answer, "initialize with unknown fields everywhere")?;
    for method in ["ping", "adapter/health", "adapter/detect"] {
        let answer = plugin.request(method, json!({"ofTomorrow": {"x": 1}}))?;
        expect_result(&plugin, answer, &format!("{method} with an unknown field"))?;
    }
    Ok(())
}

fn no_common_major(bench: &mut Bench) -> Verdict {
    let stated = bench.stated()?["protocol"].clone();
    let mut plugin = silent_plugin(bench)?;
    let error = refuse_majors(&mut plugin)?;
    let supported = error.data.as_ref().and_then(|data| data.supported.clone());
    let fits = supported.as_ref().is_some_and(|range| {
        json!(range.min) == stated["min"] && json!(range.max) == stated["max"]
    });
    if !fits {
        let expected =
            format!("data.supported with min {} and max {}", stated["min"], stated["max"]);
        let got = format!("data.supported {supported:?}");
        return Err(Failure::new(expected, got)
            .sent("initialize with majors 1000 to 1001")
            .at(plugin.place())
            .into());
    }
    ensure(!error.message.trim().is_empty(), "a text that names the side to upgrade", || {
        "an empty message".to_owned()
    })
}

fn usable_after_refusal(bench: &mut Bench) -> Verdict {
    let mut plugin = silent_plugin(bench)?;
    let params = majors_of_tomorrow(&plugin);
    let refusal = plugin.request(INITIALIZE.name, params)?;
    if let Answer::Result(_) = refusal {
        return Err(Finding::Blocked("HS-04: the impossible majors were accepted".to_owned()));
    }
    plugin.call(&PingParams {})?;
    initialize(&mut plugin, &CliPath::StandIn).map(drop)
}

fn gates(bench: &mut Bench) -> Verdict {
    let mut plugin = silent_plugin(bench)?;
    plugin.call(&PingParams {})?;
    let run = json!({"runId": "r", "cwd": "/", "prompt": {"text": "x"}});
    let calls = [("adapter/health", json!({})), ("adapter/detect", json!({})), ("run/start", run)];
    for (method, params) in calls {
        plugin.refused(method, params, &ErrorKind::NotInitialized)?;
    }
    initialize(&mut plugin, &CliPath::StandIn)?;
    let again = initialize_value(&plugin);
    plugin.refused(INITIALIZE.name, again, &ErrorKind::AlreadyInitialized)?;
    plugin.call(&PingParams {}).map(drop)
}

fn unknown_methods(bench: &mut Bench) -> Verdict {
    let word = format!("_conformance/{}", bench.nonce());
    let mut plugin = bench.launch(&Setup::default())?;
    plugin.refused(&word, json!({}), &ErrorKind::MethodNotFound)?;
    plugin.refused("no/such_method", json!({}), &ErrorKind::MethodNotFound)?;
    let before = plugin.inbox.others.len();
    plugin.notify(&word, json!({"x": 1}));
    plugin.notify("$/cancelRequest", json!({"id": "never asked"}));
    plugin.call(&PingParams {})?;
    match plugin.inbox.others.get(before) {
        None => Ok(()),
        Some(line) => {
            let got = shorten(&line.value.to_string(), 300);
            Err(Failure::new("silence after an unknown notification", got)
                .sent(format!("the notification {word}"))
                .at(line.place.clone())
                .into())
        }
    }
}

fn malformed_input(bench: &mut Bench) -> Verdict {
    let mut plugin = silent_plugin(bench)?;
    let ids =
        [json!("ä \"quoted\" \u{2028} id"), json!(""), json!(9_007_199_254_740_991_u64), json!(0)];
    for id in ids {
        echoed(&mut plugin, id)?;
    }
    initialize(&mut plugin, &CliPath::StandIn)?;
    for bytes in [&b"{\"jsonrpc\": \"2.0\", \"id\": 1, \"meth\n"[..], b"\xff\xfe{}\n", b"hello\n"] {
        parse_error(&mut plugin, bytes)?;
    }
    plugin.refused("run/cancel", json!({"runId": 5}), &ErrorKind::InvalidParams)?;
    plugin.refused("run/start", json!({"runId": "r"}), &ErrorKind::InvalidParams)?;
    plugin.send_raw(b"\n   \n\r\n");
    let line = json!({"jsonrpc": "2.0", "id": "crlf", "method": "ping", "params": {}});
    plugin.inbox.asked.insert("\"crlf\"".to_owned(), PING.name.to_owned());
    plugin.send_raw(format!("{line}\r\n").as_bytes());
    let answer = plugin.answer("\"crlf\"", PING.limit())?;
    expect_result(&plugin, answer, "ping in a line that ends with CR LF")
}

fn parse_error(plugin: &mut Plugin, bytes: &[u8]) -> Verdict {
    let before = plugin.inbox.others.len();
    plugin.send_raw(bytes);
    let limit = plugin.limit(ODD_LIMIT);
    plugin.pump(limit, |inbox| inbox.others.len() > before);
    let line = plugin.inbox.others.get(before).cloned();
    let code = line.as_ref().and_then(|line| line.value["error"]["code"].as_i64());
    let has_null_id = line.as_ref().is_some_and(|line| line.value.get("id") == Some(&Value::Null));
    if code == Some(-32700) && has_null_id {
        return Ok(());
    }
    let got = line.map_or_else(
        || if plugin.is_running() { "no answer" } else { "the plugin has exited" }.to_owned(),
        |line| shorten(&line.value.to_string(), 300),
    );
    Err(Failure::new("an error with code -32700 and id null", got)
        .sent(String::from_utf8_lossy(bytes).trim_end())
        .at(plugin.place())
        .into())
}

fn echoed(plugin: &mut Plugin, id: Value) -> Verdict {
    let shown = format!("ping with the id {id}");
    let key = plugin.ask_with_id(id, PING.name, json!({}));
    match plugin.answer(&key, PING.limit()) {
        Ok(answer) => expect_result(plugin, answer, &shown),
        Err(_) => {
            let got = match plugin.inbox.others.last() {
                Some(line) => shorten(&line.value.to_string(), 300),
                None => "no answer".to_owned(),
            };
            Err(Failure::new(format!("an answer with exactly the id {key}"), got)
                .sent(shown)
                .at(plugin.place())
                .into())
        }
    }
}

fn silent_plugin(bench: &mut Bench) -> Result<Plugin, Finding> {
    bench.launch(&Setup { initialize: false, ..Setup::default() })
}

fn initialize_value(plugin: &Plugin) -> Value {
    serde_json::to_value(initialize_params(plugin, &CliPath::StandIn)).unwrap_or_default()
}

fn majors_of_tomorrow(plugin: &Plugin) -> Value {
    let mut params = initialize_value(plugin);
    params["protocol"] = json!({"min": 1000, "max": 1001});
    params
}

fn refuse_majors(plugin: &mut Plugin) -> Result<od_protocol::ErrorObject, Finding> {
    let params = majors_of_tomorrow(plugin);
    let answer = plugin.request(INITIALIZE.name, params)?;
    plugin.expect_error(
        answer,
        &ErrorKind::UnsupportedProtocol,
        "initialize with majors 1000 to 1001",
    )
}

fn expect_result(plugin: &Plugin, answer: Answer, sent: &str) -> Verdict {
    match answer {
        Answer::Result(_) => Ok(()),
        error @ Answer::Error(_) => {
            Err(Failure::new("a result", error.summary()).sent(sent).at(plugin.place()).into())
        }
    }
}
