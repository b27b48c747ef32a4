//! Cases without a recording: retries, error lines, exit codes, repeated answers.

use od_adapter_gemini_cli::events::Events;
use od_adapter_gemini_cli::{acp, failure};
use od_protocol::adapter::StartRunParams;
use od_protocol::{Credential, CredentialKind, ErrorKind, JsonObject, Prompt};
use od_sdk::testing::{Replay, replay, replay_with};
use od_sdk::{Exit, Install, Mapper, PoliteStop};
use serde_json::Value;

const INIT: &str = r#"{"type":"init","session_id":"s","model":"gemini-2.5-pro"}"#;
const TWO_LINES: &str = "Attempt 1 failed: Resource has been exhausted (e.g. check quota).\nSuggested retry after 1s.. Retrying after 5557ms...\n";

fn run(retries: u32) -> StartRunParams {
    let options = [("maxRateLimitRetries".to_owned(), retries.into())];
    StartRunParams {
        cwd: "/workspace".to_owned(),
        prompt: Prompt { text: "hello".to_owned(), ..Prompt::default() },
        adapter_options: JsonObject::from_iter(options),
        ..StartRunParams::default()
    }
}

fn exit(code: i32, stderr: &str) -> Exit {
    Exit { code: Some(code), signal: None, stderr_tail: stderr.to_owned() }
}

fn replay_lines(lines: &[&str], exit: &Exit, retries: u32) -> Replay {
    let mut events = Events::new(&run(retries), &Install::default());
    replay(&mut events, lines.join("\n").as_bytes(), exit)
}

fn events<'a>(replay: &'a Replay, kind: &str) -> Vec<&'a Value> {
    replay.events.iter().filter(|event| event["type"] == kind).collect()
}

#[test]
fn rate_limit_beyond_max_retries_fails_run() {
    let without_retries = replay_lines(&[INIT], &exit(0, TWO_LINES), 0);
    assert_eq!(events(&without_retries, "rate_limited")[0]["retryAfterMs"], 5557);
    let error = events(&without_retries, "error")[0];
    assert_eq!(error["kind"], "rate_limited");
    assert_eq!(error["data"]["retryAfterMs"], 5557);
    assert_eq!(error["retryable"], true);
    let with_retries = replay_lines(&[INIT], &exit(0, TWO_LINES), 1);
    assert_eq!(events(&with_retries, "retry")[0]["attempt"], 1);
    assert_eq!(events(&with_retries, "done")[0]["errorKind"], "cli_crashed");
}

#[test]
fn other_errors_emit_retry_only() {
    let line = "Attempt 2 failed with status 503. Retrying with backoff... _ApiError: {}\n";
    let replay = replay_lines(&[INIT], &exit(0, line), 0);
    assert_eq!(events(&replay, "retry")[0]["attempt"], 2);
    assert!(events(&replay, "rate_limited").is_empty());
}

#[test]
fn attempt_text_inside_line_is_ignored() {
    let stderr = "Error executing tool x: Attempt 1 failed with status 429. Retrying\nAttempt nothing failed\n";
    let replay = replay_lines(&[INIT], &exit(0, stderr), 0);
    assert!(events(&replay, "retry").is_empty() && events(&replay, "rate_limited").is_empty());
}

#[test]
fn error_without_cause_uses_error_line() {
    let replay = replay_lines(
        &[
            INIT,
            r#"{"type":"error","severity":"error","message":"The model returned an empty response."}"#,
            r#"{"type":"result","status":"error","stats":{}}"#,
        ],
        &exit(0, ""),
        0,
    );
    assert_eq!(events(&replay, "error")[0]["kind"], "_gemini.api_error");
    assert_eq!(events(&replay, "error")[0]["message"], "the model returned an empty response");
    assert_eq!(events(&replay, "notice").len(), 1);
}

#[test]
fn todo_list_becomes_plan() {
    let call = r#"{"type":"tool_use","tool_name":"write_todos","tool_id":"t","parameters":{"todos":[{"description":"one","status":"completed"},{"description":"two","status":"in_progress"}]}}"#;
    let replay = replay_lines(&[INIT, call], &exit(0, ""), 0);
    let entries = &events(&replay, "plan")[0]["entries"];
    assert_eq!(entries[0]["status"], "completed");
    assert_eq!(entries[1]["content"], "two");
}

#[test]
fn unknown_type_is_unmapped_and_noise_ignored() {
    let replay = replay_lines(&[INIT, "hello", "[1]", r#"{"type":"brand_new"}"#], &exit(0, ""), 0);
    let unmapped = events(&replay, "unmapped");
    assert_eq!(unmapped.len(), 1);
    assert_eq!(unmapped[0]["nativeType"], "brand_new");
}

/// An exit code alone proves nothing: a killed CLI exits with 0.
#[test]
fn exit_0_without_result_fails() {
    let replay = replay_lines(&[INIT], &exit(0, ""), 0);
    assert_eq!(events(&replay, "done")[0]["status"], "failed");
}

#[test]
fn exit_codes_become_error_kinds() {
    let kind = |code, stderr: &str| failure::of_exit(&exit(code, stderr), None).map(|e| e.kind);
    assert_eq!(kind(41, "Warning: x\nInvalid auth method selected."), Some(ErrorKind::AuthMissing));
    let unknown = "Error resuming session: Invalid session identifier \"x\".\n  Searched for";
    assert_eq!(kind(42, unknown), Some(ErrorKind::SessionUnknown));
    assert_eq!(kind(42, "No input provided via stdin."), Some(ErrorKind::ConfigInvalid));
    assert_eq!(kind(52, "bad settings"), Some(ErrorKind::ConfigInvalid));
    assert_eq!(kind(53, "turns"), Some(ErrorKind::Vendor("_gemini.max_turns".to_owned())));
    assert_eq!(kind(55, "untrusted"), Some(ErrorKind::PermissionDenied));
    assert_eq!(kind(145, "x"), Some(ErrorKind::AuthExpired));
    assert_eq!(kind(148, "x"), Some(ErrorKind::ModelUnknown));
    assert_eq!(kind(173, "x"), Some(ErrorKind::RateLimited));
    assert_eq!(kind(1, "Unknown argument: bogus"), Some(ErrorKind::CliVersionUnsupported));
    assert_eq!(kind(1, "Error: something"), None);
    assert_eq!(kind(0, ""), None);
}

#[test]
fn refused_key_is_named_in_hint() {
    let key = Credential { kind: CredentialKind::ApiKey, name: "GEMINI_API_KEY".to_owned() };
    let error =
        failure::classify("API key not valid. Please pass a valid API key.", Some(400), Some(&key));
    assert_eq!(error.kind, ErrorKind::AuthExpired);
    assert_eq!(error.hint.as_deref(), Some("GEMINI_API_KEY was refused: set a valid one"));
}

#[test]
fn cancel_sends_sigterm_or_acp_notification() {
    let mut stops = Vec::new();
    let mut one_shot = Events::new(&run(0), &Install::default());
    replay_with(&mut one_shot, INIT.as_bytes(), &exit(0, ""), |mapper, output| {
        stops.push(mapper.on_cancel(output));
    });
    assert_eq!(stops, [PoliteStop::Terminate]);
    let mut mapper = acp::mapper(&run(0), &Install::default());
    let lines = concat!(
        r#"{"id":1,"result":{"protocolVersion":1}}"#,
        "\n",
        r#"{"id":2,"result":{"sessionId":"s"}}"#
    );
    let mut stops = Vec::new();
    let replay = replay_with(&mut *mapper, lines.as_bytes(), &exit(0, ""), |mapper, output| {
        stops.push(mapper.on_cancel(output));
    });
    assert_eq!(stops, [PoliteStop::Terminate, PoliteStop::Written]);
    drop(replay);
}

/// The CLI repeats a request without a report: a pause, then the same text again.
#[test]
fn repeated_answer_over_acp_counts_once() {
    let mut mapper = acp::mapper(&run(0), &Install::default());
    let chunk = |text: &str| {
        format!(
            r#"{{"method":"session/update","params":{{"sessionId":"s","update":{{"sessionUpdate":"agent_message_chunk","content":{{"type":"text","text":"{text}"}}}}}}}}"#
        )
    };
    let lines = [
        r#"{"id":1,"result":{"protocolVersion":1}}"#.to_owned(),
        r#"{"id":2,"result":{"sessionId":"s"}}"#.to_owned(),
        chunk("Hello"),
        chunk(" from"),
        chunk("Hello"),
        chunk(" from here."),
        r#"{"id":3,"result":{"stopReason":"end_turn"}}"#.to_owned(),
    ];
    let mut line_count = 0;
    let replay = replay_with(
        &mut *mapper,
        lines.join("\n").as_bytes(),
        &exit(0, ""),
        |mapper: &mut dyn Mapper, output| {
            line_count += 1;
            if line_count == 4 {
                mapper.on_silence(output);
            }
        },
    );
    assert_eq!(events(&replay, "message_discarded")[0]["messageId"], "message-1");
    assert_eq!(events(&replay, "done")[0]["totals"]["textBytes"], "Hello from here.".len());
}
