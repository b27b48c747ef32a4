//! The Python template `od-adapter-my-agent` as a real process in front of a real CLI.
//! Runs only on Linux with python3; elsewhere the tests print that they were skipped.

use std::io::{BufRead, BufReader, Lines, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use crate::validator::assert_valid;
use xtask::contract::ADAPTER;
use xtask::files::repository;

/// A CLI that prints the prompt as one piece of text, then an unknown message, and exits.
const CLI: &str = r#"#!/bin/sh
if [ "$1" = --version ]; then echo my-agent 1.2.3; exit; fi
prompt=$(cat)
printf '{"type":"text","text":"%s"}\nno message\n{"type":"strange"}\n{"type":"end"}\n' "$prompt"
"#;

fn adapter(folder: &Path, argument: &str) -> Command {
    let script = repository().join("conformance/templates/python/od-adapter-my-agent");
    let mut command = Command::new("python3");
    command.arg(script).arg(argument).env_clear().env("HOME", folder).current_dir(folder);
    command.envs(std::env::var_os("PATH").map(|path| ("PATH", path)));
    command
}

fn python_is_missing() -> bool {
    let missing = Command::new("python3").arg("--version").output().is_err();
    if missing {
        eprintln!("python3 is not installed: od-adapter-my-agent was not run");
    }
    missing
}

fn scratch_folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).expect("a scratch folder");
    folder
}

/// A conversation with the adapter.
struct Session {
    child: Child,
    requests: Option<ChildStdin>,
    replies: Lines<BufReader<ChildStdout>>,
}

impl Session {
    fn start(folder: &Path) -> Self {
        let mut command = adapter(folder, "--stdio");
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("the adapter starts");
        let replies = BufReader::new(child.stdout.take().expect("stdout")).lines();
        Self { requests: child.stdin.take(), replies, child }
    }

    fn call(&mut self, method: &str, params: &Value) -> Value {
        let line = json!({ "jsonrpc": "2.0", "id": method, "method": method, "params": params });
        writeln!(self.requests.as_mut().expect("stdin is open"), "{line}").expect("it reads");
        let reply = self.next();
        assert_eq!(reply["id"], method);
        reply
    }

    fn next(&mut self) -> Value {
        let line = self.replies.next().expect("the adapter is alive").expect("UTF-8");
        serde_json::from_str(&line).expect("every line is JSON")
    }

    /// All events up to `done`.
    fn events(&mut self) -> Vec<Value> {
        let mut events = Vec::new();
        while events.last().is_none_or(|event: &Value| event["type"] != "done") {
            let params = self.next()["params"].take();
            assert_valid(&ADAPTER, "RunEventParams", &params);
            assert_eq!(params["seq"], events.len());
            events.push(params["event"].clone());
        }
        events
    }

    fn close(mut self) {
        drop(self.requests.take());
        assert!(self.child.wait().expect("it ends").success());
    }
}

#[test]
fn python_template_manifest_is_valid() {
    if python_is_missing() {
        return;
    }
    let output =
        adapter(&scratch_folder("python-manifest"), "--manifest").output().expect("it runs");
    let manifest: Value = serde_json::from_slice(&output.stdout).expect("one JSON document");
    assert_valid(&ADAPTER, "Manifest", &manifest);
    assert_eq!(manifest["adapterId"], "my-agent");
}

#[test]
fn python_template_rejects_unknown_argument() {
    if python_is_missing() {
        return;
    }
    let output = adapter(&scratch_folder("python-by-hand"), "--what").output().expect("it runs");
    assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0));
    assert!(!output.stderr.is_empty());
}

#[test]
fn python_template_completes_a_run() {
    if python_is_missing() {
        return;
    }
    let folder = scratch_folder("python-run");
    let cli = folder.join("my-agent");
    std::fs::write(&cli, CLI).expect("the CLI is written");
    std::fs::set_permissions(&cli, PermissionsExt::from_mode(0o755)).expect("it is executable");

    let mut session = Session::start(&folder);
    let start = json!({ "runId": "r1", "cwd": folder, "prompt": { "text": "grüße, –x" } });
    assert_eq!(session.call("run/start", &start)["error"]["data"]["kind"], "not_initialized");
    let initialize = json!({
        "protocol": { "min": 1, "max": 4 },
        "host": { "name": "test", "version": "1" },
        "config": { "cliPath": cli },
    });
    let reply = session.call("initialize", &initialize);
    assert_valid(&ADAPTER, "InitializeResult", &reply["result"]);
    let detected = session.call("adapter/detect", &json!({}));
    assert_valid(&ADAPTER, "DetectAdapterResult", &detected["result"]);
    assert_eq!(detected["result"]["version"], "1.2.3");
    let refused = session.call("models/list", &json!({}));
    assert_valid(&ADAPTER, "ErrorObject", &refused["error"]);
    assert_eq!(refused["error"]["data"]["which"], "models");

    assert_eq!(session.call("run/start", &start)["result"]["runId"], "r1");
    let events = session.events();
    let types: Vec<&str> = events.iter().filter_map(|event| event["type"].as_str()).collect();
    let expected =
        ["run_started", "message_started", "text_delta", "unmapped", "message_stopped", "done"];
    assert_eq!(types, expected);
    assert_eq!(events[2]["text"], "grüße, –x");
    assert_eq!(events[5]["status"], "completed");
    assert_eq!(session.call("shutdown", &json!({}))["result"], json!({}));
    session.close();
}
