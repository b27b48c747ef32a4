//! Runs with real processes: how they end, and that no process is left.

use serde_json::json;

use crate::client::{Client, has_ended, is_alive};

/// Starts a process in its own session with an empty environment and does not wait for it.
const ORPHAN: &str =
    r#"env -i setsid sh -c 'echo $$ > orphan; exec sleep 300' >/dev/null 2>&1 </dev/null &"#;

/// Prints one line, then waits forever.
const PRINT_AND_WAIT: &str = r#"echo '{"say":"hi"}'; while :; do sleep 300; done"#;

#[test]
fn run_completes_with_text_of_cli() {
    let mut client =
        Client::start(r#"prompt=$(cat); printf '{"say":"you said %s"}\n{"end":true}\n' "$prompt""#);
    client.run("r", json!({}));
    assert_eq!(client.event_of_type("text_delta")["text"], "you said hello");
    let done = client.event_of_type("done");
    assert_eq!(
        (&done["status"], &done["evidence"]),
        (&json!("completed"), &json!("native_result"))
    );
}

#[test]
fn exit_code_0_without_result_is_failure() {
    let mut client = Client::start(r#"echo '{"say":"hi"}'; echo 'out of ideas' >&2; exit 0"#);
    client.run("r", json!({}));
    let error = client.event_of_type("error");
    assert_eq!(error["kind"], "cli_crashed");
    assert!(error["message"].as_str().is_some_and(|text| text.contains("out of ideas")), "{error}");
    assert_eq!(client.event_of_type("done")["status"], "failed");
}

#[test]
fn missing_interpreter_is_spawn_failure() {
    let mut client = Client::start("exec /no/such/interpreter");
    client.run("r", json!({}));
    assert_eq!(client.event_of_type("error")["kind"], "cli_spawn_failed");
}

#[test]
fn cancel_kills_stubborn_cli_and_its_orphan() {
    let script = format!("trap '' INT TERM; echo $$ > pid; {ORPHAN} {PRINT_AND_WAIT}");
    let mut client = Client::start(&script);
    client.run("r", json!({}));
    client.event_of_type("text_delta");
    let (cli, orphan) = (client.wait_for_file("pid"), client.wait_for_file("orphan"));
    let answer = client.call("run/cancel", json!({ "runId": "r", "graceMs": 50 }));
    assert_eq!(answer["result"]["accepted"], true);
    assert_eq!(client.event_of_type("done")["status"], "cancelled");
    assert!(has_ended(&cli), "the agent CLI is still running");
    assert!(has_ended(&orphan), "the orphan is still running");
    let again = client.call("run/cancel", json!({ "runId": "r" }));
    assert_eq!(again["result"]["accepted"], false);
}

#[test]
fn ended_run_keeps_orphan_of_other_run() {
    let script = format!(
        r#"prompt=$(cat); if [ "$prompt" = hello ]; then {ORPHAN} {PRINT_AND_WAIT}; else echo '{{"end":true}}'; fi"#
    );
    let mut client = Client::start(&script);
    client.run("stays", json!({}));
    client.event_of_type("text_delta");
    let orphan = client.wait_for_file("orphan");
    client.run("ends", json!({ "prompt": { "text": "other" } }));
    assert_eq!(client.event_of_type("done")["status"], "completed");
    assert!(is_alive(&orphan), "the orphan of the other run was killed");
    client.call("run/cancel", json!({ "runId": "stays", "graceMs": 0 }));
    client.event_of_type("done");
    assert!(has_ended(&orphan));
}

#[test]
fn closed_stdin_kills_everything() {
    let script = format!("trap '' INT TERM HUP; echo $$ > pid; {ORPHAN} {PRINT_AND_WAIT}");
    let mut client = Client::start(&script);
    client.run("r", json!({}));
    let (cli, orphan) = (client.wait_for_file("pid"), client.wait_for_file("orphan"));
    client.close_stdin();
    let status = client.child.wait().expect("the adapter ends");
    assert!(status.success(), "{status}");
    assert!(has_ended(&cli) && has_ended(&orphan));
}

#[test]
fn shutdown_ends_runs_before_answer() {
    let mut client = Client::start(PRINT_AND_WAIT);
    client.run("r", json!({}));
    let id = client.send("shutdown", json!({ "graceMs": 20 }));
    assert_eq!(client.event_of_type("done")["status"], "cancelled");
    assert_eq!(client.next()["id"], id);
    let refused =
        client.call("run/start", json!({ "runId": "x", "cwd": "/", "prompt": { "text": "x" } }));
    assert_eq!(refused["error"]["data"]["kind"], "shutting_down");
}

#[test]
fn time_limit_ends_run_with_its_name() {
    let limits = [
        ("start", "while :; do sleep 300; done"),
        ("idle", PRINT_AND_WAIT),
        ("total", r#"while :; do echo '{"say":"x"}'; sleep 0.01; done"#),
    ];
    for (which, script) in limits {
        let mut client = Client::start(script);
        client.run("r", json!({ "timeouts": { format!("{which}Ms"): 300 } }));
        let error = client.event_of_type("error");
        assert_eq!((&error["kind"], &error["data"]["which"]), (&json!("timeout"), &json!(which)));
        let done = client.event_of_type("done");
        assert_eq!((&done["status"], &done["errorKind"]), (&json!("timed_out"), &json!("timeout")));
    }
}

#[test]
fn orphan_with_open_pipe_does_not_block_run() {
    let script = r#"setsid sh -c 'echo $$ > orphan; exec sleep 300' & while [ ! -s orphan ]; do sleep 0.01; done; echo '{"say":"x"}'; exit 3"#;
    let mut client = Client::start(script);
    client.run("r", json!({}));
    let done = client.event_of_type("done");
    assert_eq!((&done["status"], &done["exitCode"]), (&json!("failed"), &json!(3)));
    assert!(has_ended(&client.wait_for_file("orphan")));
}

#[test]
fn invalid_run_is_refused_before_start() {
    let mut client = Client::start("echo started > started");
    let cwd = client.folder.path().join("not there");
    let answer =
        client.call("run/start", json!({ "runId": "r", "cwd": cwd, "prompt": { "text": "x" } }));
    assert_eq!(answer["error"]["data"]["kind"], "config_invalid");
    assert!(answer["error"]["data"]["hint"].as_str().is_some_and(|hint| hint.contains("mkdir")));
    let cwd = client.folder.path().to_owned();
    let answer = client.call(
        "run/start",
        json!({ "runId": "r", "cwd": cwd, "prompt": { "text": "x" }, "model": "gpt" }),
    );
    assert_eq!(answer["error"]["data"]["which"], "models");
    assert!(!client.folder.path().join("started").exists());
}

#[test]
fn trace_path_receives_raw_output() {
    let mut client = Client::start(r#"printf 'noise\n{"say":"x"}\n{"end":true}\n'"#);
    let trace = client.folder.path().join("trace");
    client.run("r", json!({ "tracePath": trace }));
    client.event_of_type("done");
    let kept = std::fs::read_to_string(&trace).expect("the trace exists");
    assert_eq!(kept, "noise\n{\"say\":\"x\"}\n{\"end\":true}\n");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(&trace).expect("a file").permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "only the user can read it");
    }
}

#[test]
fn settings_options_are_defaults_of_run() {
    let script = r#"printf '{"say":"%s"}\n{"end":true}\n' "$*""#;
    let mut client = Client::start_with(script, "parrot", json!({ "loud": true }));
    client.run("default", json!({}));
    assert_eq!(client.event_of_type("text_delta")["text"], "--json --loud");
    client.event_of_type("done");
    client.run("own", json!({ "adapterOptions": { "loud": false } }));
    assert_eq!(client.event_of_type("text_delta")["text"], "--json", "the run's value wins");
}

#[test]
fn cli_below_minimum_version_is_refused() {
    let script = r#"echo started > started; echo '{"end":true}'"#;
    let mut client = Client::start_with(script, "versions/0.9.0/parrot", json!({}));
    let error = client.try_run("r", json!({}))["error"].clone();
    assert_eq!(error["data"]["kind"], "cli_version_unsupported", "{error}");
    assert!(error["message"].as_str().is_some_and(|text| text.contains("0.9.0")), "{error}");
    assert_eq!(error["data"]["hint"], "update Parrot to 1.0.0 or newer");
    assert!(!client.folder.path().join("started").exists());
}

#[test]
fn cli_of_unknown_version_runs() {
    let mut client = Client::start(r#"echo '{"end":true}'"#);
    client.run("r", json!({}));
    assert_eq!(client.event_of_type("done")["status"], "completed");
}
