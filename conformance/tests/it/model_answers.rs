//! The fake model's answers in every wire format, as a stream and as a document.

use serde_json::json;

use crate::model_client::{Exchange, get, post, server};
use crate::model_format::{FORMATS, Format};

/// Streams the answer to a prompt in every format; `check` gets format, text and stop reason.
fn each_stream(prompt: &str, check: impl Fn(Format, &str, &str)) {
    let server = server();
    for format in FORMATS {
        let response = post(&server, format.path(true), &format.request(prompt, true));
        assert_eq!(response.status, 200, "{format:?}: {}", response.text());
        assert_eq!(response.header("content-type"), Some("text/event-stream"), "{format:?}");
        assert!(response.complete, "{format:?}");
        let events = response.events();
        check(format, &format.text(&events), &format.stop(&events));
    }
}

fn stop_of(format: Format, stops: [&'static str; 4]) -> &'static str {
    let location = FORMATS.iter().position(|other| *other == format);
    stops[location.expect("a known format")]
}

const END: [&str; 4] = ["end_turn", "completed", "stop", "STOP"];

#[test]
fn plain_text_is_streamed_in_order() {
    each_stream("no scenario", |format, text, stop| {
        assert_eq!(text, "Hello from the fake model.", "{format:?}");
        assert_eq!(stop, stop_of(format, END), "{format:?}");
    });
}

#[test]
fn document_has_same_text_as_stream() {
    let server = server();
    for format in FORMATS {
        let request = format.request("SCN:nonce abc-123", false);
        let response = post(&server, format.path(false), &request);
        assert_eq!(response.header("content-type"), Some("application/json"));
        assert_eq!(format.whole_text(&response.json()), "abc-123", "{format:?}");
    }
}

#[test]
fn prompt_can_set_the_text() {
    each_stream("SCN:plain TEXT=<ä nonce 42, in several pieces>", |format, text, _| {
        assert_eq!(text, "ä nonce 42, in several pieces", "{format:?}");
    });
}

#[test]
fn split_characters_arrive_whole() {
    let server = server();
    for format in FORMATS {
        let request = format.request("SCN:unicode", true);
        let response = post(&server, format.path(true), &request);
        let text = format.text(&response.events());
        assert!(text.starts_with("emoji: 👨‍👩‍👧 café 日本語 🚀"), "{format:?}: {text}");
        assert!(text.ends_with("\u{2028} end"), "{format:?}: {text}");
        let cut = response.chunks.iter().any(|chunk| std::str::from_utf8(chunk).is_err());
        assert!(cut, "{format:?}: no chunk ended inside a character");
    }
}

#[test]
fn each_event_is_one_chunk() {
    let server = server();
    for format in FORMATS {
        let response = post(&server, format.path(true), &format.request("SCN:long", true));
        assert!(response.chunks.len() > 400, "{format:?}: {} chunks", response.chunks.len());
        for chunk in &response.chunks {
            let text = String::from_utf8_lossy(chunk);
            assert_eq!(text.matches("data: ").count(), 1, "{format:?}: {text}");
            assert!(text.ends_with("\n\n"), "{format:?}: {text}");
        }
        let lines = format.text(&response.events());
        assert_eq!(lines.lines().count(), 400, "{format:?}");
        assert!(lines.ends_with("line 399 of a long answer.\n"), "{format:?}");
    }
}

#[test]
fn text_arrives_while_the_answer_is_still_open() {
    let server = server();
    for format in FORMATS {
        // This stream never ends: reading from it shows that nothing is buffered.
        let request = format.request("SCN:stall", true);
        let mut exchange = Exchange::post(&server, format.path(true), &request);
        let mut text = String::new();
        while format.text(&crate::model_client::events(&text)) != "Hello from" {
            let chunk = exchange.chunk().expect("the stream is open");
            text.push_str(&String::from_utf8_lossy(&chunk));
        }
    }
}

#[test]
fn thoughts_precede_the_text() {
    let server = server();
    for format in FORMATS {
        let response = post(&server, format.path(true), &format.request("SCN:think", true));
        let events = response.events();
        assert_eq!(format.thinking(&events), "Let me think about it: 6*7=42.", "{format:?}");
        assert_eq!(format.text(&events), "The answer is 42.", "{format:?}");
        let position = |text: &str| response.text().find(text).expect(text);
        assert!(position("6*7=42") < position("The answer"), "{format:?}");
    }
}

#[test]
fn stop_reason_follows_scenario() {
    each_stream("SCN:maxtok", |format, _, stop| {
        let stops = ["max_tokens", "max_output_tokens", "length", "MAX_TOKENS"];
        assert_eq!(stop, stop_of(format, stops), "{format:?}");
    });
    each_stream("SCN:refusal", |format, _, stop| {
        let stops = ["refusal", "content_filter", "content_filter", "SAFETY"];
        assert_eq!(stop, stop_of(format, stops), "{format:?}");
    });
    each_stream("SCN:empty", |format, text, stop| {
        assert_eq!((text, stop), ("", stop_of(format, END)), "{format:?}");
    });
}

#[test]
fn stream_without_events_is_growing_list() {
    let server = server();
    let path = "/v1beta/models/m:streamGenerateContent";
    let response = post(&server, path, &Format::Gemini.request("SCN:plain", true));
    let list = response.json();
    let events = list.as_array().expect("a list");
    assert_eq!(Format::Gemini.text(events), "Hello from the fake model.");
    assert!(response.chunks.len() > 3, "{} chunks", response.chunks.len());
}

#[test]
fn every_answer_has_unique_id() {
    let server = server();
    let id =
        || post(&server, "/v1/messages", &Format::Anthropic.request("", false)).json()["id"].take();
    assert_ne!(id(), id());
}

#[test]
fn rate_limits_are_in_headers() {
    let server = server();
    let headers = [
        (Format::Anthropic, "anthropic-ratelimit-unified-status", "allowed_warning"),
        (Format::Responses, "x-codex-primary-used-percent", "91.5"),
        (Format::Chat, "x-ratelimit-remaining-requests", "9"),
    ];
    for (format, name, value) in headers {
        let limited = post(&server, format.path(true), &format.request("SCN:rlhdr", true));
        assert_eq!(limited.header(name), Some(value), "{format:?}");
        let plain = post(&server, format.path(true), &format.request("SCN:plain", true));
        assert_eq!(plain.header(name), None, "{format:?}");
    }
}

#[test]
fn side_calls_ignore_the_scenario() {
    let server = server();
    let prompt = "SCN:r401 SCN:hang";
    let schema = json!({"type": "object", "properties": {"title": {"type": "string"}},
                        "required": ["title"]});
    let mut title = Format::Anthropic.request(prompt, false);
    title["output_config"] = json!({"format": {"type": "json_schema", "schema": schema.clone()}});
    let answer = post(&server, "/v1/messages", &title).json();
    let text = Format::Anthropic.whole_text(&answer);
    let value: serde_json::Value = serde_json::from_str(&text).expect("JSON was asked for");
    assert!(value["title"].is_string(), "{text}");

    let mut probe = Format::Anthropic.request(prompt, false);
    probe["max_tokens"] = json!(1);
    assert_eq!(post(&server, "/v1/messages", &probe).status, 200);

    let mut title = Format::Chat.request(prompt, true);
    let system = json!({"role": "system", "content": "You are a title generator."});
    title["messages"].as_array_mut().expect("a list").insert(0, system);
    assert_eq!(post(&server, Format::Chat.path(true), &title).status, 200);

    let mut notes = Format::Chat.with_tools("SCN:write", &[("write_file", schema)]);
    let system =
        json!({"role": "system", "content": "You are the managed memory extraction subagent."});
    notes["messages"].as_array_mut().expect("a list").insert(0, system);
    let events = post(&server, Format::Chat.path(true), &notes).events();
    assert_eq!(Format::Chat.calls(&events), []);

    let mut speaker = Format::Gemini.request(prompt, false);
    speaker["generationConfig"] = json!({"responseMimeType": "application/json",
        "responseJsonSchema": {"type": "object", "required": ["next_speaker"],
            "properties": {"next_speaker": {"enum": ["model", "user"]}}}});
    let answer = post(&server, Format::Gemini.path(false), &speaker).json();
    assert_eq!(Format::Gemini.whole_text(&answer), r#"{"next_speaker":"user"}"#);
    assert!(server.requests().iter().all(|request| request.side_call));
}

#[test]
fn other_routes_are_answered() {
    let server = server();
    let count = post(&server, "/v1/messages/count_tokens", &json!({"messages": []})).json();
    assert!(count["input_tokens"].as_u64().is_some_and(|tokens| tokens > 0), "{count}");
    let count = post(&server, "/v1beta/models/m:countTokens", &json!({"contents": []})).json();
    assert!(count["totalTokens"].as_u64().is_some_and(|tokens| tokens > 0), "{count}");
    let models = get(&server, "GET", "/v1/models").json();
    assert_eq!(models["data"][0]["id"], "fake-model");
    let models = get(&server, "GET", "/v1beta/models").json();
    assert_eq!(models["models"][0]["name"], "models/fake-model");
    let head = Exchange::raw(&server, "HEAD / HTTP/1.1\r\nhost: model\r\n\r\n");
    assert_eq!(head.status, 200);
    let upgrade = "GET /v1/responses HTTP/1.1\r\nhost: model\r\nconnection: upgrade\r\n\
                   upgrade: websocket\r\n\r\n";
    assert_eq!(Exchange::raw(&server, upgrade).status, 426);
}
