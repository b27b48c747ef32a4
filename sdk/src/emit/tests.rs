//! Tests of the emitter: events in, lines out.

use od_protocol::{
    DoneEvidence, MessageDiscarded, MessageStopped, RunEventParams, StopReason, ThinkingDelta,
    ThinkingStopped, ToolResult, ToolStatus,
};
use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::event;

fn emitter() -> Emitter {
    Emitter::new("r\"1", od_protocol::MAX_LINE_BYTES, vec!["hunter2-secret".to_owned()])
}

/// Parses the emitted lines strictly and checks their sequence numbers.
fn events(emitter: &mut Emitter) -> Vec<Event> {
    let text = String::from_utf8(std::mem::take(emitter.lines())).expect("UTF-8");
    let envelopes = text.lines().enumerate().map(|(index, line)| {
        let message: serde_json::Value = serde_json::from_str(line).expect("JSON");
        let envelope: RunEventParams =
            serde_json::from_value(message["params"].clone()).expect("an envelope");
        assert_eq!((envelope.run_id.as_str(), envelope.seq), ("r\"1", index as u64));
        envelope.event
    });
    envelopes.collect()
}

fn types(emitter: &mut Emitter) -> Vec<String> {
    events(emitter).iter().map(|event| event.type_name().to_owned()).collect()
}

fn outcome(status: DoneStatus) -> RunOutcome {
    RunOutcome { status, stop_reason: StopReason::EndTurn, evidence: DoneEvidence::NativeResult }
}

fn tool_result(id: &str) -> Event {
    Event::ToolResult(event::tool_result(id, ToolStatus::Ok, "out"))
}

#[test]
fn usage_gets_provider_of_login() {
    let usage = |provider: Option<&str>| -> Event {
        let usage = json!({
            "type": "usage", "scope": "turn", "cumulative": false, "inputTokens": 1, "outputTokens": 1,
            "totalTokens": 2, "costUsd": null, "source": "cli", "provider": provider,
        });
        serde_json::from_value(usage).expect("an event")
    };
    let mut emitter = emitter().with_provider(Some("acme".to_owned()));
    emitter.event(usage(None));
    emitter.event(usage(Some("other")));
    let providers: Vec<_> = events(&mut emitter)
        .into_iter()
        .filter_map(|event| match event {
            Event::Usage(usage) => usage.provider,
            _ => None,
        })
        .collect();
    assert_eq!(providers, ["acme", "other"]);
}

#[test]
fn missing_starts_added_and_open_items_closed() {
    let mut emitter = emitter();
    emitter.thinking_delta("t1", "hm");
    emitter.text_delta("m1", "a");
    emitter.text_delta("m1", "b");
    emitter.event(tool_result("c1"));
    emitter.event(tool_result("c1"));
    emitter.done(outcome(DoneStatus::Completed), &Exit::default());
    emitter.text_delta("m1", "late");
    emitter.event(tool_result("c2"));
    assert_eq!(
        types(&mut emitter),
        [
            "thinking_started",
            "thinking_delta",
            "message_started",
            "text_delta",
            "text_delta",
            "tool_call_started",
            "tool_call_ready",
            "tool_result",
            "thinking_stopped",
            "message_stopped",
            "done"
        ]
    );
}

#[test]
fn discarded_message_is_not_counted() {
    let mut emitter = emitter();
    emitter.text_delta("m1", "wrong");
    emitter.event(Event::MessageDiscarded(MessageDiscarded { message_id: "m1".to_owned() }));
    emitter.text_delta("m2", "right!");
    emitter.done(outcome(DoneStatus::Completed), &Exit::default());
    let Some(Event::Done(done)) = events(&mut emitter).pop() else { panic!("no done") };
    assert_eq!(done.totals.text_bytes, 6);
}

#[test]
fn resumed_message_is_counted_whole() {
    let mut emitter = emitter();
    for (id, text) in [("m1", "ab"), ("m2", "c"), ("m1", "de"), ("m3", "f")] {
        emitter.text_delta(id, text);
    }
    emitter.event(Event::MessageDiscarded(MessageDiscarded { message_id: "m2".to_owned() }));
    emitter.done(outcome(DoneStatus::Completed), &Exit::default());
    let Some(Event::Done(done)) = events(&mut emitter).pop() else { panic!("no done") };
    assert_eq!(done.totals.text_bytes, 5);
}

#[test]
fn closed_block_restarts_under_another_id() {
    let mut emitter = emitter();
    for (id, text) in [("m1", "ab"), ("m2", "c"), ("m1", "de"), ("m1", "f")] {
        emitter.text_delta(id, text);
    }
    emitter.event(Event::MessageStopped(MessageStopped { message_id: "m1".to_owned() }));
    emitter.event(Event::MessageDiscarded(MessageDiscarded { message_id: "m1".to_owned() }));
    emitter.text_delta("m1", "g");
    emitter.thinking_delta("t1", "hm");
    emitter.event(Event::ThinkingStopped(ThinkingStopped { thinking_id: "t1".to_owned() }));
    emitter.thinking_delta("t1", "hm");
    emitter.done(outcome(DoneStatus::Completed), &Exit::default());
    let mut starts = Vec::new();
    let mut total = 0;
    for event in events(&mut emitter) {
        match event {
            Event::MessageStarted(started) => starts.push(started.message_id),
            Event::ThinkingStarted(started) => starts.push(started.thinking_id),
            Event::Done(done) => total = done.totals.text_bytes,
            _ => {}
        }
    }
    assert_eq!(starts, ["m1", "m2", "m1-2", "m1-3", "t1", "t1-2"]);
    assert_eq!(total, 4);
}

#[test]
fn second_start_does_not_reopen_call() {
    let mut emitter = emitter();
    let start = event::tool_call_started("c1", "Bash", od_protocol::ToolKind::Execute);
    let start = Event::ToolCallStarted(start);
    emitter.event(start.clone());
    emitter.event(tool_result("c1"));
    emitter.event(start);
    emitter.event(tool_result("c1"));
    assert_eq!(types(&mut emitter), ["tool_call_started", "tool_call_ready", "tool_result"]);
}

#[test]
fn text_delta_is_written_like_serde() {
    let (id, text) = ("i\"d\n".to_owned(), "a \"q\" \\ \u{0} ü 漢\n".to_owned());
    let mut by_hand = emitter();
    by_hand.text_delta(&id, &text);
    by_hand.thinking_delta(&id, &text);
    let started = event::tool_call_started(&id, "Bash", od_protocol::ToolKind::Execute);
    by_hand.event(Event::ToolCallStarted(started));
    by_hand.tool_input_delta(&id, &text);
    let lines = String::from_utf8(std::mem::take(by_hand.lines())).expect("UTF-8");
    for event in [
        Event::TextDelta(od_protocol::TextDelta {
            message_id: id.clone(),
            text: text.clone(),
            truncated: None,
        }),
        Event::ThinkingDelta(ThinkingDelta {
            thinking_id: id.clone(),
            text: text.clone(),
            truncated: None,
        }),
        Event::ToolInputDelta(od_protocol::ToolInputDelta { tool_call_id: id, text }),
    ] {
        let expected = format!(",\"event\":{}}}}}\n", serde_json::to_string(&event).expect("JSON"));
        assert!(lines.contains(&expected), "{expected} is not in {lines}");
    }
}

#[test]
fn status_agrees_with_errors() {
    let mut completed = emitter();
    completed.event(Event::Error(ErrorEvent::fatal(ErrorKind::RateLimited, "slow down")));
    completed.done(outcome(DoneStatus::Completed), &Exit::default());
    let Some(Event::Done(done)) = events(&mut completed).pop() else { panic!("no done") };
    assert_eq!((done.status, done.error_kind), (DoneStatus::Failed, Some(ErrorKind::RateLimited)));

    let mut failed = emitter();
    failed.done(outcome(DoneStatus::Failed), &Exit::default());
    assert_eq!(types(&mut failed), ["error", "done"]);
}

#[test]
fn secrets_in_errors_are_redacted() {
    let mut emitter = emitter();
    let message = "key hunter2-secret and sk-made-up-for-this-test-0 refused";
    emitter.event(Event::Error(ErrorEvent::fatal(ErrorKind::AuthExpired, message)));
    let Some(Event::Error(error)) = events(&mut emitter).pop() else { panic!("no error") };
    assert_eq!(error.message, "key [redacted] and [redacted] refused");
}

#[test]
fn long_text_split_and_long_output_cut() {
    let mut emitter = Emitter::new("r\"1", 1_000, Vec::new());
    let text = "ä\u{1}\"\n".repeat(400);
    emitter.text_delta("m", &text);
    let Event::ToolResult(result) = tool_result("c") else { unreachable!("made above") };
    emitter.event(Event::ToolResult(ToolResult { output: json!("x".repeat(5_000)), ..result }));
    assert!(emitter.lines().split(|byte| *byte == b'\n').all(|line| line.len() <= 1_000));
    let mut joined = String::new();
    for event in events(&mut emitter) {
        match event {
            Event::TextDelta(delta) => joined.push_str(&delta.text),
            Event::ToolResult(result) => {
                let kept = result.output.as_str().expect("text").len() as u64;
                assert_eq!(kept + result.truncated.expect("cut").bytes, 5_000);
            }
            _ => {}
        }
    }
    assert_eq!(joined, text);
}

proptest! {
    /// The stream keeps its rules whatever a mapper does.
    #[test]
    fn any_order_of_calls_is_valid_stream(steps in proptest::collection::vec((0u8..9, 0u8..3), 0..40)) {
        let mut emitter = emitter();
        for (what, id) in steps {
            let id = id.to_string();
            match what {
                0 => emitter.text_delta(&id, "x"),
                1 => emitter.thinking_delta(&id, "x"),
                2 => emitter.event(tool_result(&id)),
                3 => emitter.tool_input_delta(&id, "{"),
                4 => emitter.event(Event::MessageDiscarded(MessageDiscarded { message_id: id })),
                5 => emitter.event(Event::ThinkingDelta(ThinkingDelta { thinking_id: id, text: "y".into(), truncated: None })),
                6 => emitter.event(Event::MessageStopped(od_protocol::MessageStopped { message_id: id })),
                7 => emitter.event(Event::Error(ErrorEvent::fatal(ErrorKind::Internal, "x"))),
                _ => emitter.done(outcome(DoneStatus::Completed), &Exit::default()),
            }
        }
        emitter.done(outcome(DoneStatus::Completed), &Exit::default());
        let events = events(&mut emitter);
        let count = |name: &str| events.iter().filter(|event| event.type_name() == name).count();
        prop_assert_eq!(count("done"), 1);
        prop_assert_eq!(events.last().map(Event::type_name), Some("done"));
        prop_assert_eq!(count("thinking_started"), count("thinking_stopped"));
        prop_assert_eq!(count("tool_call_started"), count("tool_result"));
        prop_assert!(count("error") <= 1);
    }
}
