//! Calls over HTTP.

use serde_json::{Value, json};

use super::server_process::{ServeProcess, kind, numbers};

#[test]
fn run_delivers_its_events() {
    let host = ServeProcess::with_adapter("x", "good");
    let info = host.call("host/info", json!({})).expect("info");
    assert_eq!((&info["name"], &info["pid"]), (&json!("od-host"), &json!(host.pid())));

    let run = host.start_run("go");
    let events = host.events(&run, 0);
    assert_eq!(numbers(&events), [0, 1, 2, 3]);
    assert_eq!(events[3]["event"]["type"], "done");
    assert_eq!(events[2]["event"]["text"], "2 bytes: \"quoted\"\n\u{2028}ü");
    let listed = host.call("runs/list", json!({})).expect("a list");
    assert_eq!(listed["runs"][0]["runId"], json!(run));
}

#[test]
fn parameters_may_be_absent_or_null() {
    let host = ServeProcess::with_adapter("x", "good");
    for call in [
        r#"{"jsonrpc":"2.0","id":"a","method":"host/info"}"#,
        r#"{"jsonrpc":"2.0","id":"a","method":"host/info","params":null}"#,
        r#"  {"jsonrpc":"2.0","id":"a","method":"host/info","params":{"_meta":{"x":1}}}"#,
    ] {
        let (status, answer) = host.post(call);
        assert_eq!((status, &answer["id"]), (200, &json!("a")), "{answer}");
        assert_eq!(answer["result"]["api"], 1);
    }
}

#[test]
fn method_errors_have_code_kind_and_hint() {
    let host = ServeProcess::with_adapter("x", "good");
    let refused = |method: &str, params: Value| {
        let error = host.call(method, params).expect_err(method);
        assert!(error["data"]["hint"].is_string(), "{error}");
        (error["code"].as_i64(), kind(&error).to_owned())
    };
    assert_eq!(refused("runs/nothing", json!({})), (Some(-32601), "method_not_found".to_owned()));
    assert_eq!(refused("runs/get", json!({})), (Some(-32602), "invalid_params".to_owned()));
    let unknown = refused("runs/get", json!({"runId": "nope"}));
    assert_eq!(unknown, (Some(1040), "run_unknown".to_owned()));
    let attach = refused("runs/attach", json!({"runId": "nope"}));
    assert_eq!(attach, (Some(-32600), "invalid_request".to_owned()));
    let outside = json!({"agent": "x", "task": {"cwd": "/", "prompt": {"text": "go"}}});
    assert_eq!(refused("runs/start", outside).1, "_od.path_not_allowed");
}

#[test]
fn unknown_word_or_member_is_refused_with_path() {
    let host = ServeProcess::with_adapter("x", "good");
    let refused = |method: &str, params: Value| {
        let error = host.call(method, params).expect_err(method);
        assert!(error["data"]["hint"].is_string(), "{error}");
        (kind(&error).to_owned(), error["data"]["which"].as_str().unwrap_or_default().to_owned())
    };
    let start = |member: &str, value: Value| {
        let mut params = host.task("go");
        params[member] = value;
        refused("runs/start", params)
    };
    let session = |value: Value| {
        let mut params = host.task("go");
        params["task"]["session"] = value;
        refused("runs/start", params)
    };
    let invalid = |which: &str| ("invalid_params".to_owned(), which.to_owned());
    assert_eq!(refused("runs/list", json!({"state": "banana"})), invalid("state"));
    assert_eq!(refused("usage/summary", json!({"by": "banana"})), invalid("by"));
    let answer = json!({"runId": "r", "approvalId": "a", "outcome": "allow"});
    assert_eq!(refused("runs/respond", answer), invalid("outcome"));
    assert_eq!(session(json!({"mode": "resum"})), invalid("task.session.mode"));
    assert_eq!(start("retry", json!({"on": ["banana"]})), invalid("retry.on[0]"));
    assert_eq!(start("retries", json!(3)), invalid("retries"));
    let unknown_agent = ("_od.agent_unknown".to_owned(), "fallback.agents".to_owned());
    assert_eq!(start("fallback", json!({"agents": ["x", "nope"]})), unknown_agent);
    let skill = json!({"agent": "x", "skills": [{"name": "s", "requires": ["teleport"]}]});
    assert_eq!(refused("agents/features", skill), invalid("skills[0].requires"));
    assert_eq!(refused("runs/list", json!([5])), invalid(""));
    let runs = host.call("runs/list", json!({})).expect("a list");
    assert_eq!(runs["runs"], json!([]), "no run was started");
}

#[test]
fn errors_have_retryable_and_which() {
    let host = ServeProcess::with_adapter("x", "ignores_cancel");
    let run = host.start_run("go");
    let about = |method: &str, params: Value| {
        let error = host.call(method, params).expect_err(method);
        let data = &error["data"];
        (kind(&error).to_owned(), data["retryable"].clone(), data["which"].clone())
    };
    let late = about("runs/result", json!({"runId": run, "waitMs": 1}));
    assert_eq!(late, ("timeout".to_owned(), json!(true), json!("wait")));
    let active = about("runs/delete", json!({"runId": run}));
    assert_eq!(active, ("_od.run_active".to_owned(), json!(true), Value::Null));
    let lacking = about("agents/quota", json!({"agent": "x"}));
    assert_eq!(lacking, ("capability_unsupported".to_owned(), json!(false), json!("quota")));
}

#[test]
fn invalid_body_gets_typed_error_and_status() {
    let host = ServeProcess::with_adapter("x", "good");
    let refused = |body: &str| {
        let (status, answer) = host.post(body);
        (status, kind(&answer["error"]).to_owned())
    };
    assert_eq!(refused("hello"), (400, "parse_error".to_owned()));
    assert_eq!(refused(""), (400, "parse_error".to_owned()));
    assert_eq!(refused("[]"), (400, "invalid_request".to_owned()));
    assert_eq!(refused(r#"{"id":1,"method":"host/info"}"#), (400, "invalid_request".to_owned()));
    let notification = r#"{"jsonrpc":"2.0","method":"host/info"}"#;
    assert_eq!(refused(notification), (400, "invalid_request".to_owned()));
    let large = " ".repeat(17 * 1024 * 1024);
    assert_eq!(refused(&large), (413, "_od.too_large".to_owned()));
}

#[test]
fn unknown_endpoint_gets_right_status() {
    let host = ServeProcess::with_adapter("x", "good");
    for (path, expected) in [("/", 405), ("/nothing", 404), ("/runs/nope/events", 404)] {
        let (status, text) = host.get(path, &[]);
        assert_eq!(status, expected, "{path}: {text}");
        let answer: Value = serde_json::from_str(&text).expect("JSON");
        assert!(answer["error"]["data"]["hint"].is_string(), "{text}");
    }
    let (status, text) = host.get("/health", &[]);
    assert_eq!((status, text.as_str()), (200, r#"{"status":"ok"}"#));
}

#[test]
fn discover_describes_every_method() {
    let host = ServeProcess::with_adapter("x", "good");
    let document = host.call("rpc.discover", json!({})).expect("a document");
    let methods = document["methods"].as_array().expect("methods");
    let names: Vec<&str> = methods.iter().filter_map(|method| method["name"].as_str()).collect();
    for method in od_protocol::api::METHODS {
        assert!(names.contains(&method.name), "{} is not described", method.name);
    }
}

#[test]
fn every_method_is_implemented() {
    let host = ServeProcess::with_adapter("x", "good");
    let ended = od_protocol::api::SHUTDOWN_HOST.name;
    for method in od_protocol::api::METHODS.iter().filter(|method| method.name != ended) {
        if let Err(error) = host.call(method.name, json!({})) {
            assert_ne!(kind(&error), "method_not_found", "{}", method.name);
        }
    }
}

#[test]
fn metrics_need_token_and_count_refusals() {
    let host = ServeProcess::with_adapter("x", "good");
    let request = |header: &str| {
        let address = host.address();
        host.raw(&format!(
            "GET /metrics HTTP/1.1\r\nHost: {address}\r\n{header}Connection: close\r\n\r\n"
        ))
    };
    assert!(request("").starts_with("HTTP/1.1 401 "));
    host.call("host/info", json!({})).expect("info");
    let (status, text) = host.get("/metrics", &[]);
    assert_eq!(status, 200);
    for line in ["od_api_refused_total{reason=\"token\"} 1", "od_clients{face=\"http\"}"] {
        assert!(text.contains(line), "no {line} in\n{text}");
    }
    assert!(text.lines().any(|line| {
        line.starts_with("od_api_calls_total") && line.contains("host/info") && line.ends_with(" 1")
    }));
}
