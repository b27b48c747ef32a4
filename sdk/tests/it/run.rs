//! Runs against real processes: how they end, and that nothing of them stays.

use serde_json::json;

use crate::client::{Client, is_alive, is_gone};

/// Starts a process in a session of its own, with an empty environment, and leaves it behind.
const ORPHAN: &str =
    r#"env -i setsid sh -c 'echo $$ > orphan; exec sleep 300' >/dev/null 2>&1 </dev/null &"#;

/// Speaks, then waits for ever.
const SPEAK_AND_WAIT: &str = r#"echo '{"say":"hi"}'; while :; do sleep 300; done"#;

#[test]
fn a_run_completes_with_the_text_that_was_said() {
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
fn exit_code_0_without_a_last_word_is_no_success() {
    let mut client = Client::start(r#"echo '{"say":"hi"}'; echo 'out of ideas' >&2; exit 0"#);
    client.run("r", json!({}));
    let error = client.event_of_type("error");
    assert_eq!(error["kind"], "cli_crashed");
    assert!(error["message"].as_str().is_some_and(|text| text.contains("out of ideas")), "{error}");
    assert_eq!(client.event_of_type("done")["status"], "failed");
}

#[test]
fn a_missing_interpreter_is_a_start_that_failed() {
    let mut client = Client::start("exec /no/such/interpreter");
    client.run("r", json!({}));
    assert_eq!(client.event_of_type("error")["kind"], "cli_spawn_failed");
}

#[test]
fn cancel_ends_a_stubborn_cli_and_what_it_left_in_another_session() {
    let script = format!("trap '' INT TERM; echo $$ > pid; {ORPHAN} {SPEAK_AND_WAIT}");
    let mut client = Client::start(&script);
    client.run("r", json!({}));
    client.event_of_type("text_delta");
    let (cli, orphan) = (client.wait_for_file("pid"), client.wait_for_file("orphan"));
    let answer = client.call("run/cancel", json!({ "runId": "r", "graceMs": 50 }));
    assert_eq!(answer["result"]["accepted"], true);
    assert_eq!(client.event_of_type("done")["status"], "cancelled");
    assert!(is_gone(&cli), "the agent CLI lives on");
    assert!(is_gone(&orphan), "the orphan lives on");
    let again = client.call("run/cancel", json!({ "runId": "r" }));
    assert_eq!(again["result"]["accepted"], false);
}

#[test]
fn one_run_that_ends_leaves_the_other_ones_orphan_alone() {
    let script = format!(
        r#"prompt=$(cat); if [ "$prompt" = hello ]; then {ORPHAN} {SPEAK_AND_WAIT}; else echo '{{"end":true}}'; fi"#
    );
    let mut client = Client::start(&script);
    client.run("stays", json!({}));
    client.event_of_type("text_delta");
    let orphan = client.wait_for_file("orphan");
    client.run("ends", json!({ "prompt": { "text": "other" } }));
    assert_eq!(client.event_of_type("done")["status"], "completed");
    assert!(is_alive(&orphan), "the other run's helper was ended");
    client.call("run/cancel", json!({ "runId": "stays", "graceMs": 0 }));
    client.event_of_type("done");
    assert!(is_gone(&orphan));
}

#[test]
fn a_host_that_hangs_up_takes_everything_with_it() {
    let script = format!("trap '' INT TERM HUP; echo $$ > pid; {ORPHAN} {SPEAK_AND_WAIT}");
    let mut client = Client::start(&script);
    client.run("r", json!({}));
    let (cli, orphan) = (client.wait_for_file("pid"), client.wait_for_file("orphan"));
    client.hang_up();
    let status = client.child.wait().expect("the adapter ends");
    assert!(status.success(), "{status}");
    assert!(is_gone(&cli) && is_gone(&orphan));
}

#[test]
fn shutdown_ends_open_runs_before_it_answers() {
    let mut client = Client::start(SPEAK_AND_WAIT);
    client.run("r", json!({}));
    let id = client.send("shutdown", json!({ "graceMs": 20 }));
    assert_eq!(client.event_of_type("done")["status"], "cancelled");
    assert_eq!(client.next()["id"], id);
    let refused =
        client.call("run/start", json!({ "runId": "x", "cwd": "/", "prompt": { "text": "x" } }));
    assert_eq!(refused["error"]["data"]["kind"], "shutting_down");
}

#[test]
fn each_limit_of_time_ends_a_run_under_its_name() {
    let limits = [
        ("start", "while :; do sleep 300; done"),
        ("idle", SPEAK_AND_WAIT),
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
fn an_orphan_that_holds_the_pipe_does_not_hold_the_run() {
    let script = r#"setsid sh -c 'echo $$ > orphan; exec sleep 300' & while [ ! -s orphan ]; do sleep 0.01; done; echo '{"say":"x"}'; exit 3"#;
    let mut client = Client::start(script);
    client.run("r", json!({}));
    let done = client.event_of_type("done");
    assert_eq!((&done["status"], &done["exitCode"]), (&json!("failed"), &json!(3)));
    assert!(is_gone(&client.wait_for_file("orphan")));
}

#[test]
fn what_cannot_be_is_refused_before_anything_starts() {
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
fn raw_output_is_kept_where_a_trace_is_asked_for() {
    let mut client = Client::start(r#"printf 'noise\n{"say":"x"}\n{"end":true}\n'"#);
    let trace = client.folder.path().join("trace");
    client.run("r", json!({ "tracePath": trace }));
    client.event_of_type("done");
    let kept = std::fs::read_to_string(&trace).expect("the trace is there");
    assert_eq!(kept, "noise\n{\"say\":\"x\"}\n{\"end\":true}\n");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(&trace).expect("a file").permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "it is for the user alone");
    }
}
