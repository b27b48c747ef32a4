//! Spans of journals with one and several attempts.

use od_protocol::RunEventParams;
use opentelemetry::trace::Status;
use serde_json::{Value, json};

use super::*;

const RUN: &str = "019a8c6e-0000-7000-8000-000000000001";

fn record() -> RunRecord {
    RunRecord {
        agent: "two".to_owned(),
        prompt_preview: "a secret prompt".to_owned(),
        model: Some("big".to_owned()),
        started_at: 1000,
        ..RunRecord::running(RUN)
    }
}

fn done(status: &str, error_kind: Option<&str>) -> Value {
    json!({
        "type": "done", "status": status, "stopReason": "end_turn", "errorKind": error_kind,
        "evidence": "native_result", "durationMs": 9, "totals": {"costUsd": 0.5, "usage": {
            "scope": "run", "cumulative": false, "inputTokens": 10, "outputTokens": 4,
            "cacheReadTokens": 5, "totalTokens": 19, "costUsd": 0.5, "source": "cli",
        }},
    })
}

fn run_started() -> Value {
    json!({"type": "run_started", "cliVersion": "1.2.3", "argv": []})
}

fn tool(id: &str, parent: Option<&str>) -> Value {
    json!({
        "type": "tool_call_started", "toolCallId": id, "name": "shell", "kind": "execute",
        "title": "a secret title", "parentToolCallId": parent,
    })
}

fn usage(scope: &str, input: u64) -> Value {
    json!({
        "type": "usage", "scope": scope, "cumulative": scope == "run", "inputTokens": input,
        "outputTokens": 0, "totalTokens": input, "source": "cli",
    })
}

fn result(id: &str, status: &str) -> Value {
    json!({
        "type": "tool_result", "toolCallId": id, "status": status, "output": "a secret output",
    })
}

fn build(content: Content, events: &[Value]) -> Vec<SpanData> {
    let record = record();
    let mut builder = SpanBuilder::new(&record, content).expect("a sampled trace");
    for (seq, event) in events.iter().enumerate() {
        let envelope = json!({"runId": RUN, "seq": seq, "ts": 1000 + seq * 10, "event": event});
        let params: RunEventParams = serde_json::from_value(envelope).expect("an event");
        if builder.wants(params.event.type_name()) {
            builder.push(params.ts, params.event);
        }
    }
    builder.finish(&|_, _| None)
}

#[track_caller]
fn find<'a>(spans: &'a [SpanData], name: &str) -> &'a SpanData {
    let found = spans.iter().find(|span| span.name == name);
    found.unwrap_or_else(|| panic!("no {name} in {spans:#?}"))
}

fn attribute(span: &SpanData, name: &str) -> Option<String> {
    let found = span.attributes.iter().find(|attribute| attribute.key.as_str() == name);
    found.map(|attribute| attribute.value.to_string())
}

#[test]
fn single_attempt_nests_turns_and_tools() {
    let spans = build(
        Content::Excluded,
        &[
            run_started(),
            json!({"type": "session_started", "sessionId": "s", "mode": "new", "model": "big-1"}),
            json!({"type": "turn_started", "turnId": "t"}),
            tool("outer", None),
            tool("inner", Some("outer")),
            result("inner", "error"),
            result("outer", "ok"),
            json!({"type": "turn_ended", "turnId": "t", "stopReason": "end_turn"}),
            done("completed", None),
        ],
    );
    let root = find(&spans, "invoke_agent two");
    let turn = find(&spans, "chat big-1");
    assert_eq!(spans.len(), 4);
    assert_eq!(root.parent_span_id, SpanId::INVALID);
    assert_eq!(turn.parent_span_id, root.span_context.span_id());
    let [inner, outer] = ["inner", "outer"].map(|id| {
        let call = |span: &&SpanData| attribute(span, attributes::TOOL_CALL).as_deref() == Some(id);
        spans.iter().find(call).expect("a span of the call")
    });
    assert_eq!(inner.parent_span_id, outer.span_context.span_id());
    assert_eq!(outer.parent_span_id, root.span_context.span_id());
    assert_eq!(attribute(inner, attributes::ERROR_TYPE).as_deref(), Some("error"));
    assert!(matches!(inner.status, Status::Error { .. }) && outer.status == Status::Unset);
    for (name, value) in [
        (attributes::CONVERSATION, "s"),
        (attributes::PROVIDER, "_OTHER"),
        (attributes::REQUEST_MODEL, "big"),
        (attributes::RESPONSE_MODEL, "big-1"),
        (attributes::AGENT_VERSION, "1.2.3"),
        (attributes::INPUT_TOKENS, "15"),
        (attributes::CACHE_READ_TOKENS, "5"),
        (attributes::OUTPUT_TOKENS, "4"),
        (attributes::RUN, RUN),
    ] {
        assert_eq!(attribute(root, name).as_deref(), Some(value), "{name}");
    }
    let secret = format!("{spans:?}");
    assert!(!secret.contains("secret"), "content must be excluded: {secret}");
}

#[test]
fn failed_attempt_closes_its_open_spans() {
    let spans = build(
        Content::Excluded,
        &[
            json!({"type": "status", "phase": "queued"}),
            run_started(),
            tool("left", None),
            usage("turn", 20),
            json!({
                "type": "error", "kind": "rate_limited", "message": "m", "fatal": false,
            }),
            json!({
                "type": "agent_switched", "fromAgent": "one", "toAgent": "two", "attempt": 2,
                "errorKind": "rate_limited", "reason": "r", "handover": "prompt",
            }),
            json!({"type": "status", "phase": "waiting"}),
            run_started(),
            usage("run", 3),
            done("failed", Some("auth_missing")),
        ],
    );
    let one = find(&spans, "invoke_agent one");
    let root = spans.last().expect("the run's own span");
    let two = find(&spans, "invoke_agent two");
    let left = find(&spans, "execute_tool shell");
    assert_eq!(attribute(one, attributes::ERROR_TYPE).as_deref(), Some("rate_limited"));
    assert_eq!(attribute(two, attributes::ERROR_TYPE).as_deref(), Some("auth_missing"));
    assert_eq!(attribute(root, attributes::ERROR_TYPE).as_deref(), Some("auth_missing"));
    assert_eq!(attribute(root, attributes::ATTEMPTS).as_deref(), Some("2"));
    for (span, tokens) in [(one, "20"), (two, "3"), (root, "23")] {
        assert_eq!(attribute(span, attributes::INPUT_TOKENS).as_deref(), Some(tokens));
    }
    for attempt in [one, two] {
        assert_eq!(attempt.parent_span_id, root.span_context.span_id());
    }
    assert_eq!(left.parent_span_id, one.span_context.span_id());
    assert_eq!(left.end_time, one.end_time);
    assert!(one.end_time < two.start_time, "the wait belongs to no attempt");
    assert_eq!(
        attribute(one, attributes::REQUEST_MODEL),
        None,
        "the requested model is of another agent"
    );
}

#[test]
fn included_content_has_messages_and_tool_output() {
    let delta = |id: &str, text: &str| json!({"type": "text_delta", "messageId": id, "text": text});
    let spans = build(
        Content::Included,
        &[
            run_started(),
            delta("gone", "forget this"),
            json!({"type": "message_discarded", "messageId": "gone"}),
            delta("m", "hel"),
            delta("m", "lo"),
            tool("c", None),
            json!({"type": "tool_call_ready", "toolCallId": "c", "input": {"command": "ls"}}),
            result("c", "ok"),
            done("completed", None),
        ],
    );
    let root = find(&spans, "invoke_agent two");
    let output = attribute(root, attributes::OUTPUT_MESSAGES).expect("messages");
    assert!(output.contains("hello") && !output.contains("forget"), "{output}");
    assert!(
        attribute(root, attributes::INPUT_MESSAGES).is_some_and(|text| text.contains("prompt"))
    );
    let call = find(&spans, "execute_tool shell");
    assert_eq!(attribute(call, attributes::TOOL_ARGUMENTS).as_deref(), Some(r#"{"command":"ls"}"#));
    assert!(attribute(call, attributes::TOOL_RESULT).is_some_and(|text| text.contains("output")));
}

#[test]
fn long_run_has_bounded_spans() {
    let calls = (0..MAX_SPANS + 10).flat_map(|number| {
        let id = number.to_string();
        [tool(&id, None), result(&id, "ok")]
    });
    let events: Vec<Value> =
        [run_started()].into_iter().chain(calls).chain([done("completed", None)]).collect();
    let spans = build(Content::Excluded, &events);
    assert_eq!(spans.len(), MAX_SPANS + 1);
    assert_eq!(attribute(&spans[MAX_SPANS], attributes::DROPPED_SPANS).as_deref(), Some("10"));
}
