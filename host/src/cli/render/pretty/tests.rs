//! What only a terminal shows: streamed text, erased text, the spinner. `tests/it/cli` tests the rest with the real
//! binary.

use od_protocol::{Event, RunEventParams};
use serde_json::json;

use super::{Frame, Headline, Pretty, Viewport};

fn terminal(columns: usize, rows: usize) -> Pretty {
    let headline = Headline {
        agent: "demo".to_owned(),
        cwd: "/scratch".to_owned(),
        now: jiff::Timestamp::UNIX_EPOCH.to_zoned(jiff::tz::TimeZone::UTC),
    };
    Pretty::new(Viewport { is_live: true, columns, rows }, headline)
}

fn show(pretty: &mut Pretty, event: serde_json::Value) -> Frame {
    let event: Event = serde_json::from_value(event).expect("an event");
    let mut frame =
        pretty.on_event(&RunEventParams { run_id: "r".into(), seq: 0, ts: 0, event, meta: None });
    frame.text = anstream::adapter::strip_str(&frame.text).to_string();
    frame
}

fn delta(message_id: &str, text: &str) -> serde_json::Value {
    json!({"type": "text_delta", "messageId": message_id, "text": text})
}

#[test]
fn text_is_shown_while_streaming() {
    let mut pretty = terminal(80, 24);
    assert_eq!(show(&mut pretty, delta("m", "\n\nHel")).text, "Hel");
    assert_eq!(show(&mut pretty, delta("m", "lo")).text, "lo");
    assert_eq!(pretty.activity(), None, "no spinner within a line");
    show(&mut pretty, json!({"type": "message_stopped", "messageId": "m"}));
    assert!(pretty.activity().is_some());
}

#[test]
fn text_wraps_but_code_does_not() {
    let mut pretty = terminal(12, 24);
    assert_eq!(show(&mut pretty, delta("m", "one two three four")).text, "one two\nthree four");
    show(&mut pretty, json!({"type": "message_stopped", "messageId": "m"}));
    let code = "```\nlet answer = compute(question);\n```";
    assert_eq!(show(&mut pretty, delta("n", code)).text.trim_start(), code);
}

#[test]
fn discarded_message_is_erased_with_wrapped_rows() {
    let mut pretty = terminal(60, 24);
    show(&mut pretty, delta("m", &format!("{}\nand", "界".repeat(31))));
    let frame = show(&mut pretty, json!({"type": "message_discarded", "messageId": "m"}));
    assert_eq!(frame.erase_rows, Some(2));
    assert!(frame.text.contains("writes it again"), "{}", frame.text);
}

#[test]
fn discarded_message_off_screen_gets_remark() {
    let mut pretty = terminal(80, 3);
    show(&mut pretty, delta("m", "a\nb\nc\nd"));
    let frame = show(&mut pretty, json!({"type": "message_discarded", "messageId": "m"}));
    assert_eq!(frame.erase_rows, None);
    assert!(frame.text.contains("ignore the last message"), "{}", frame.text);
}

#[test]
fn retry_before_discard_still_erases_text() {
    let mut pretty = terminal(80, 24);
    show(&mut pretty, delta("m", "half"));
    show(&mut pretty, json!({"type": "retry", "attempt": 1, "reason": "lost"}));
    let frame = show(&mut pretty, json!({"type": "message_discarded", "messageId": "m"}));
    assert!(frame.erase_rows.is_some());
    assert!(frame.text.contains("retry 1: lost"), "{}", frame.text);
}

#[test]
fn spinner_shows_newest_call_and_output() {
    let mut pretty = terminal(80, 24);
    for id in ["c1", "c2"] {
        let call =
            json!({"type": "tool_call_started", "toolCallId": id, "name": id, "kind": "execute"});
        show(&mut pretty, call);
    }
    let output = json!({"type": "tool_output_delta", "toolCallId": "c2", "text": "one\ntwo\n"});
    assert_eq!(show(&mut pretty, output).text, "");
    assert_eq!(pretty.activity().as_deref(), Some("c2 · two"));
}
