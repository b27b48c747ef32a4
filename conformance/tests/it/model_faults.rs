//! Faults of the fake model: refusals, interruptions, silence and broken streams.

use serde_json::json;

use crate::model_client::{Exchange, events, post, server};
use crate::model_format::{FORMATS, Format};

/// Requests a refusal in every format and compares status and kind.
#[track_caller]
fn check_refusal(scenario: &str, expected: [(u16, &str); 4]) {
    let server = server();
    for (format, (status, kind)) in FORMATS.into_iter().zip(expected) {
        for stream in [true, false] {
            let request = format.request(&format!("SCN:{scenario}"), stream);
            let response = post(&server, format.path(stream), &request);
            assert_eq!(response.status, status, "{format:?} {scenario}");
            assert_eq!(format.error_kind(&response), kind, "{format:?} {scenario}");
        }
    }
}

const INVALID: &str = "invalid_request_error";

#[test]
fn refusals_follow_wire_format() {
    let open_ai = |status, kind| [(status, kind), (status, kind)];
    let check = |scenario, anthropic, [responses, chat]: [_; 2], gemini| {
        check_refusal(scenario, [anthropic, responses, chat, gemini]);
    };
    check("r400", (400, INVALID), open_ai(400, INVALID), (400, "INVALID_ARGUMENT"));
    check("ctx400", (400, INVALID), open_ai(400, INVALID), (400, "INVALID_ARGUMENT"));
    check("r401", (401, "authentication_error"), open_ai(401, INVALID), (401, "UNAUTHENTICATED"));
    check("r403", (403, "permission_error"), open_ai(403, INVALID), (403, "PERMISSION_DENIED"));
    check("r404", (404, "not_found_error"), open_ai(404, INVALID), (404, "NOT_FOUND"));
    let limited = (429, "rate_limit_error");
    for scenario in ["r429", "r429long", "r429bare"] {
        check(scenario, limited, [limited, limited], (429, "RESOURCE_EXHAUSTED"));
    }
    check("quota", limited, open_ai(429, "insufficient_quota"), (429, "RESOURCE_EXHAUSTED"));
    check("r500", (500, "api_error"), open_ai(500, "server_error"), (500, "INTERNAL"));
    check("r529", (529, "overloaded_error"), open_ai(503, "server_error"), (503, "UNAVAILABLE"));
}

#[test]
fn retry_after_depends_on_scenario() {
    let server = server();
    for (scenario, seconds) in [("r429", Some("1")), ("r429long", Some("3600")), ("r429bare", None)]
    {
        for format in FORMATS {
            let request = format.request(&format!("SCN:{scenario}"), true);
            let response = post(&server, format.path(true), &request);
            assert_eq!(response.header("retry-after"), seconds, "{format:?} {scenario}");
        }
    }
}

#[test]
fn context_overflow_is_identified() {
    let server = server();
    let words = [
        "prompt is too long",
        "maximum context length",
        "maximum context length",
        "exceeds the maximum number of tokens",
    ];
    for (format, words) in FORMATS.into_iter().zip(words) {
        let cases = [("ctx400", true, 400), ("ctx400", false, 400), ("ctxsse", true, 200)];
        for (scenario, stream, status) in cases.into_iter().chain([("ctxsse", false, 400)]) {
            let request = format.request(&format!("SCN:{scenario}"), stream);
            let response = post(&server, format.path(stream), &request);
            assert_eq!(response.status, status, "{format:?} {scenario}");
            assert!(response.text().contains(words), "{format:?}: {}", response.text());
        }
    }
}

#[test]
fn unknown_scenario_is_refused() {
    let server = server();
    for format in FORMATS {
        let response = post(&server, format.path(true), &format.request("SCN:plian", true));
        assert_eq!(response.status, 400, "{format:?}");
        assert!(response.text().contains("plian"), "{format:?}: {}", response.text());
        format.error_kind(&response);
    }
}

#[test]
fn invalid_requests_are_refused() {
    let server = server();
    for format in FORMATS {
        for body in [json!({}), json!([]), json!({"messages": 1, "input": 1, "contents": 1})] {
            let response = post(&server, format.path(false), &body);
            assert_eq!(response.status, 400, "{format:?} {body}");
            format.error_kind(&response);
        }
        let head = format!("POST {} HTTP/1.1\r\nhost: m\r\n", format.path(true));
        let no_json =
            Exchange::raw(&server, &format!("{head}content-length: 4\r\n\r\n{{\"a\"")).whole();
        assert_eq!(no_json.status, 400, "{format:?}");
        assert!(no_json.text().contains("invalid JSON"), "{}", no_json.text());
        format.error_kind(&no_json);
    }
}

#[test]
fn drop_closes_connection_during_stream() {
    let server = server();
    for format in FORMATS {
        let response = post(&server, format.path(true), &format.request("SCN:drop", true));
        assert_eq!(response.status, 200, "{format:?}");
        assert!(!response.complete, "{format:?}: the stream ended as if all were well");
        assert_eq!(format.text(&response.events()), "Hello from", "{format:?}");
        let again = post(&server, format.path(false), &format.request("SCN:drop", false));
        assert!(again.complete, "{format:?}: only streams are cut");
    }
}

#[test]
fn dropall_closes_before_first_byte() {
    let server = server();
    for format in FORMATS {
        for stream in [true, false] {
            let request = format.request("SCN:dropall", stream);
            let exchange = Exchange::post(&server, format.path(stream), &request);
            assert_eq!(exchange.status, 0, "{format:?}");
        }
    }
    assert_eq!(server.requests().len(), 8, "each was written down before it was cut");
}

#[test]
fn malformed_event_is_between_valid_events() {
    let server = server();
    for format in FORMATS {
        let response = post(&server, format.path(true), &format.request("SCN:malformed", true));
        let text = response.text();
        let data: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("data: ")).collect();
        let bad = data.iter().filter(|data| **data != "[DONE]");
        let bad = bad.filter(|data| serde_json::from_str::<serde_json::Value>(data).is_err());
        assert_eq!(bad.count(), 1, "{format:?}: {text}");
        assert_eq!(format.text(&events(&text)), "Hello the fake model.", "{format:?}");
    }
}

#[test]
fn stream_error_ends_the_stream() {
    let server = server();
    for format in FORMATS {
        let response = post(&server, format.path(true), &format.request("SCN:sseerr", true));
        assert_eq!((response.status, response.complete), (200, true), "{format:?}");
        let events = response.events();
        let last = events.last().expect("an event");
        let error =
            if format == Format::Responses { &last["response"]["error"] } else { &last["error"] };
        let message = error["message"].as_str().unwrap_or_default().to_lowercase();
        assert!(message.contains("overloaded"), "{format:?}: {last}");
        assert_eq!(format.text(&events), "", "{format:?}");
    }
}

#[test]
fn hanging_answer_sends_only_headers() {
    let server = server();
    let mut hanging: Vec<Exchange> = FORMATS
        .into_iter()
        .map(|format| Exchange::post(&server, format.path(true), &format.request("SCN:hang", true)))
        .collect();
    assert!(hanging.iter().all(|exchange| exchange.status == 200));
    // Stopping the server ends the silence: nothing was sent before.
    drop(server);
    for exchange in &mut hanging {
        assert_eq!(exchange.chunk(), None);
    }
}

#[test]
fn third_try_of_flaky_prompt_succeeds() {
    let server = server();
    let status = |format: Format, prompt: &str| {
        post(&server, format.path(true), &format.request(prompt, true)).status
    };
    for format in FORMATS {
        let first = format!("SCN:flaky {format:?} one");
        let other = format!("SCN:flaky {format:?} two");
        let seen = [&first, &first, &other, &first, &first].map(|prompt| status(format, prompt));
        assert_eq!(seen, [500, 500, 500, 200, 200], "{format:?}");
    }
}
