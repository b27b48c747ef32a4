//! The content of the logs and traces of `od-host run`.

use serde_json::Value;

use super::collector::{Collector, attribute};
use super::scratch::{Finished, Scratch};

const CALLER: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

/// A machine whose adapter emits these events.
fn machine_emitting(events: &str) -> Scratch {
    let scratch = Scratch::new();
    let file = scratch.path("work").join("events.jsonl");
    std::fs::write(&file, events).expect("a file of events");
    scratch.add_adapter("x", &format!("plays {}", file.display()));
    scratch
}

fn with_tools() -> Scratch {
    machine_emitting(concat!(
        r#"{"type":"session_started","sessionId":"s1","mode":"new","model":"claude-big-1"}"#,
        "\n",
        r#"{"type":"turn_started","turnId":"t1"}"#,
        "\n",
        r#"{"type":"tool_call_started","toolCallId":"c1","name":"shell","kind":"execute","title":"cat hidden"}"#,
        "\n",
        r#"{"type":"tool_call_ready","toolCallId":"c1","input":{"command":"cat hidden"}}"#,
        "\n",
        r#"{"type":"tool_result","toolCallId":"c1","status":"ok","output":"hidden","exitCode":0}"#,
        "\n",
        r#"{"type":"text_delta","messageId":"m1","text":"hidden"}"#,
        "\n",
        r#"{"type":"turn_ended","turnId":"t1","stopReason":"end_turn"}"#,
        "\n",
        r#"{"type":"done","status":"completed","stopReason":"end_turn","evidence":"native_result","sessionId":"s1","#,
        r#""durationMs":1,"totals":{"toolCalls":1,"costUsd":0.5,"usage":{"scope":"run","cumulative":false,"#,
        r#""inputTokens":7,"outputTokens":3,"totalTokens":10,"costUsd":0.5,"provider":"anthropic","source":"cli"}}}"#,
        "\n",
    ))
}

fn run(scratch: &Scratch, arguments: &[&str], variables: &[(&str, &str)]) -> Finished {
    let mut all = vec!["run", "-a", "x", "--output", "quiet"];
    all.extend(arguments);
    all.push("a hidden prompt");
    let mut command = scratch.command(&all);
    command.envs(variables.iter().copied());
    Finished::of(command.output().expect("od-host starts"))
}

#[test]
fn run_is_exported_without_messages() {
    let scratch = with_tools();
    let collector = Collector::start();
    let endpoint = collector.endpoint();
    let variables = [
        ("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint.as_str()),
        ("OTEL_EXPORTER_OTLP_HEADERS", "x-key=value"),
        ("TRACEPARENT", CALLER),
    ];
    run(&scratch, &["-m", "big"], &variables).exits_with(0);
    let received = collector.next();
    assert_eq!(
        (received.path.as_str(), &received.headers["x-key"]),
        ("/v1/traces", &"value".parse().expect("a header"))
    );
    assert_eq!(attribute(&received.resource(), "service.name").as_deref(), Some("od-host"));
    let spans = received.spans();
    let find = |name: &str| {
        let found = spans.iter().find(|span| span.name == name);
        found.unwrap_or_else(|| panic!("no {name} in {spans:#?}"))
    };
    let (root, turn) = (find("invoke_agent x"), find("chat claude-big-1"));
    let tool = find("execute_tool shell");
    assert_eq!(spans.len(), 3);
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    assert_eq!(hex(&root.trace_id), "0af7651916cd43dd8448eb211c80319c");
    assert_eq!(hex(&root.parent_span_id), "b7ad6b7169203331");
    for child in [turn, tool] {
        assert_eq!((&child.parent_span_id, &child.trace_id), (&root.span_id, &root.trace_id));
    }
    for (span, name, value) in [
        (root, "gen_ai.operation.name", "invoke_agent"),
        (root, "gen_ai.agent.name", "x"),
        (root, "gen_ai.provider.name", "anthropic"),
        (root, "gen_ai.request.model", "big"),
        (root, "gen_ai.response.model", "claude-big-1"),
        (root, "gen_ai.conversation.id", "s1"),
        (root, "gen_ai.usage.input_tokens", "7"),
        (root, "gen_ai.usage.output_tokens", "3"),
        (turn, "gen_ai.operation.name", "chat"),
        (tool, "gen_ai.operation.name", "execute_tool"),
        (tool, "gen_ai.tool.name", "shell"),
        (tool, "gen_ai.tool.call.id", "c1"),
        (tool, "gen_ai.tool.type", "function"),
    ] {
        assert_eq!(attribute(&span.attributes, name).as_deref(), Some(value), "{name}");
    }
    assert!(!String::from_utf8_lossy(&received.body).contains("hidden"), "{spans:#?}");
}

#[test]
fn traces_contain_messages_only_on_request() {
    let scratch = with_tools();
    let collector = Collector::start();
    let settings = format!("[telemetry]\notlpEndpoint = \"{}\"\n", collector.endpoint());
    scratch.write_settings(&settings);
    let capture = [("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", "true")];
    run(&scratch, &[], &capture).exits_with(0);
    let spans = collector.next().spans();
    let text_of = |name: &str| {
        spans.iter().find_map(|span| attribute(&span.attributes, name)).expect("an attribute")
    };
    assert!(text_of("gen_ai.input.messages").contains("a hidden prompt"));
    assert!(text_of("gen_ai.output.messages").contains("hidden"));
    assert!(text_of("gen_ai.tool.call.arguments").contains("cat hidden"));
}

#[test]
fn missing_collector_is_reported_once() {
    let scratch = with_tools();
    let free = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let endpoint = format!("http://{}", free.local_addr().expect("an address"));
    drop(free);
    let finished = run(&scratch, &["-v"], &[("OTEL_EXPORTER_OTLP_ENDPOINT", &endpoint)]);
    let finished = finished.exits_with(0);
    let reports = finished.stderr.matches("cannot send traces").count();
    assert_eq!(reports, 1, "{}", finished.stderr);
    assert!(finished.stderr.contains(&endpoint), "{}", finished.stderr);
}

#[test]
fn silent_collector_does_not_block_exit() {
    let scratch = with_tools();
    let silent = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    for scheme in ["http", "https"] {
        let endpoint = format!("{scheme}://{}", silent.local_addr().expect("an address"));
        let finished = run(&scratch, &["-v"], &[("OTEL_EXPORTER_OTLP_ENDPOINT", &endpoint)]);
        let finished = finished.exits_with(0);
        assert!(
            finished.stderr.contains("exits before all runs are traced"),
            "{}",
            finished.stderr
        );
    }
}

#[test]
fn unreadable_collector_certificate_is_reported() {
    let scratch = with_tools();
    let variables = [
        ("OTEL_EXPORTER_OTLP_ENDPOINT", "https://127.0.0.1:9"),
        ("OTEL_EXPORTER_OTLP_CERTIFICATE", "no/such/file.pem"),
    ];
    let finished = run(&scratch, &["-v"], &variables).exits_with(0);
    for expected in ["runs are not traced", "no/such/file.pem", "PEM file"] {
        assert!(finished.stderr.contains(expected), "{expected}: {}", finished.stderr);
    }
}

#[test]
fn json_logs_contain_no_secret() {
    let scratch = machine_emitting(concat!(
        "{\"type\":\"text_delta\",\"messageId\":\"m1\",\"text\":\"hidden\"}\n",
        "{\"type\":\"what\n", // The adapter panics here.
    ));
    let variables = [("OD_LOG_FORMAT", "json"), ("RUST_LOG", "trace"), ("SECRET", "hidden")];
    let finished = run(&scratch, &["--env", "MINE=hidden"], &variables).exits_with(1);
    let mut messages = Vec::new();
    for line in finished.stderr.lines().filter(|line| line.starts_with('{')) {
        assert!(!line.contains("hidden"), "{line}");
        let line: Value = serde_json::from_str(line).expect("a JSON object");
        for member in ["timestamp", "level", "target", "message"] {
            assert!(line[member].is_string(), "no {member} in {line}");
        }
        messages.push(line["message"].as_str().expect("a text").to_owned());
        if line["message"] == "run ended" {
            assert_eq!((&line["agent"], &line["status"]), (&"x".into(), &"failed".into()));
            assert_eq!(line["error_kind"], "plugin_crashed");
            assert!(line["spans"][0]["id"].is_string(), "the run's id in {line}");
        }
    }
    for expected in ["adapter started", "run started", "adapter failed", "run ended"] {
        assert!(messages.iter().any(|message| message == expected), "{expected}: {messages:?}");
    }
}

#[test]
fn trace_file_must_be_writable() {
    let scratch = with_tools();
    let finished = run(&scratch, &["--trace", "no/such/folder/raw.txt"], &[]);
    finished.fails_with(2, "cannot write the trace", "--trace FILE");
    run(&scratch, &["--trace", "raw.txt"], &[]).exits_with(0);
    assert!(scratch.path("work").join("raw.txt").exists());
}
