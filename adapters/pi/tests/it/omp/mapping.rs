//! Lines without a recording: silence after a rate limit, withdrawn questions.

use od_protocol::adapter::StartRunParams;
use od_sdk::testing::{Replay, replay_with};
use od_sdk::{Adapter, Exit, Install, Mapper, RunOutput};
use pi_family::OMP;
use serde_json::{Value, json};

const START: &str = r#"{"type":"agent_start"}"#;
const END: &str = r#"{"type":"agent_end","isTerminal":true}"#;

/// Feeds lines to the mapper; the host acts after each.
fn feed(lines: &[&str], host: impl FnMut(&mut dyn Mapper, &mut RunOutput)) -> Replay {
    let install = Install { host_answers_approvals: true, ..Install::default() };
    let mut mapper = OMP.mapper(&StartRunParams::default(), &install);
    replay_with(&mut *mapper, lines.join("\n").as_bytes(), &Exit::default(), host)
}

fn of_type<'a>(replay: &'a Replay, name: &str) -> Vec<&'a Value> {
    replay.events.iter().filter(|event| event["type"] == name).collect()
}

#[test]
fn silence_after_rate_limit_fails_run() {
    let retry = r#"{"type":"auto_retry_start","attempt":1,"maxAttempts":10,"delayMs":1000,"errorMessage":"429 slow down retry-after-ms=1000"}"#;
    let silent = |mapper: &mut dyn Mapper, output: &mut RunOutput| mapper.on_silence(output);
    let replay = feed(&[START, retry], silent);
    let done = of_type(&replay, "done")[0];
    assert_eq!(
        (&done["errorKind"], &done["evidence"]),
        (&json!("rate_limited"), &json!("watchdog"))
    );
    assert_eq!(of_type(&replay, "error")[0]["data"]["retryAfterMs"], 1000);
    // Silence after the model has answered does not fail the run.
    let piece = r#"{"type":"message_update","assistantMessageEvent":{"type":"text_delta","contentIndex":0,"delta":"x"}}"#;
    let mut lines = 0;
    let replay = feed(&[START, retry, piece, END], |mapper, output| {
        lines += 1;
        if lines == 3 {
            mapper.on_silence(output);
        }
    });
    assert_eq!(of_type(&replay, "done")[0]["status"], "completed");
}

#[test]
fn withdrawn_approval_is_resolved() {
    let question = r#"{"type":"extension_ui_request","id":"q","method":"select","title":"Allow tool: bash","options":["Approve","Deny"]}"#;
    let cancel = r#"{"type":"extension_ui_request","id":"c","method":"cancel","targetId":"q"}"#;
    let replay = feed(&[START, question, cancel, END], |_, _| {});
    let resolved = of_type(&replay, "approval_resolved");
    assert_eq!(resolved.len(), 1);
    assert_eq!(
        (&resolved[0]["by"], &resolved[0]["outcome"]),
        (&json!("cancel"), &json!("reject_once"))
    );
    assert_eq!(of_type(&replay, "approval_requested")[0]["summary"], "bash");
}

#[test]
fn cli_command_ends_run_without_model() {
    let reply = r#"{"id":"od-prompt","type":"response","command":"prompt","success":true,"data":{"agentInvoked":false}}"#;
    let replay = feed(&[reply], |_, _| {});
    assert_eq!(of_type(&replay, "done")[0]["status"], "completed");
}
