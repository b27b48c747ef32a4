//! A host as small as it gets: starts the parrot adapter with a shell script as its agent CLI.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

/// Nothing here takes this long; it only keeps a failing test from hanging.
const LIMIT: Duration = Duration::from_secs(60);

pub(crate) struct Client {
    pub(crate) child: Child,
    pub(crate) folder: TempDir,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    next_id: u64,
}

impl Client {
    /// Starts the adapter; `script` is the body of the agent CLI.
    pub(crate) fn start(script: &str) -> Self {
        let folder = TempDir::new().expect("a scratch folder");
        let cli = folder.path().join("parrot");
        fs::write(&cli, format!("#!/bin/sh\n{script}\n")).expect("the script is written");
        fs::set_permissions(&cli, fs::Permissions::from_mode(0o755)).expect("it is executable");
        let mut child = Command::new(adapter())
            .arg("--stdio")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the adapter starts");
        let stdout = child.stdout.take().expect("piped");
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        let stdin = child.stdin.take();
        let mut client = Self { child, folder, stdin, lines, next_id: 0 };
        let initialized = client.call(
            "initialize",
            json!({
                "protocol": { "min": 1, "max": 1 },
                "host": { "name": "test", "version": "0" },
                "config": { "cliPath": cli },
            }),
        );
        assert!(initialized["error"].is_null(), "{initialized}");
        client
    }

    /// Sends a request without waiting for its answer.
    pub(crate) fn send(&mut self, method: &str, params: Value) -> u64 {
        self.next_id += 1;
        let request =
            json!({ "jsonrpc": "2.0", "id": self.next_id, "method": method, "params": params });
        let stdin = self.stdin.as_mut().expect("stdin is open");
        writeln!(stdin, "{request}").expect("the adapter reads");
        self.next_id
    }

    /// Sends a request and gives its answer; events on the way are dropped.
    pub(crate) fn call(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params);
        loop {
            let message = self.next();
            if message["id"] == id {
                return message;
            }
        }
    }

    /// Starts a run.
    pub(crate) fn run(&mut self, run_id: &str, more: Value) {
        let mut params = json!({
            "runId": run_id, "cwd": self.folder.path(), "prompt": { "text": "hello" },
        });
        for (name, value) in more.as_object().expect("an object") {
            params[name] = value.clone();
        }
        let answer = self.call("run/start", params);
        assert_eq!(answer["result"]["runId"], run_id, "{answer}");
    }

    /// The next message.
    pub(crate) fn next(&mut self) -> Value {
        let line = self.lines.recv_timeout(LIMIT).expect("the adapter says something");
        serde_json::from_str(&line).expect("a line is JSON")
    }

    /// The next event that fits.
    pub(crate) fn event(&mut self, fits: impl Fn(&Value) -> bool) -> Value {
        loop {
            let message = self.next();
            let event = &message["params"]["event"];
            if message["method"] == "run/event" && fits(event) {
                return event.clone();
            }
        }
    }

    pub(crate) fn event_of_type(&mut self, name: &str) -> Value {
        self.event(|event| event["type"] == name)
    }

    /// What a script wrote into the working folder, once it is there.
    pub(crate) fn wait_for_file(&self, name: &str) -> String {
        let path = self.folder.path().join(name);
        let deadline = std::time::Instant::now() + LIMIT;
        loop {
            match fs::read_to_string(&path) {
                Ok(text) if text.ends_with('\n') => return text.trim().to_owned(),
                _ if std::time::Instant::now() > deadline => panic!("{name} never appeared"),
                _ => std::thread::sleep(Duration::from_millis(2)),
            }
        }
    }

    /// Closes stdin, as a host that ends does.
    pub(crate) fn hang_up(&mut self) {
        self.stdin = None;
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.stdin = None;
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

/// Whether a process is there and not just waiting to be collected.
pub(crate) fn is_alive(pid: &str) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(')').is_some_and(|(_, rest)| !rest.trim_start().starts_with(['Z', 'X']))
}

/// Whether a process ends. What was killed may take a moment on a busy machine; what was not goes on for longer.
pub(crate) fn is_gone(pid: &str) -> bool {
    let deadline = Instant::now() + Duration::from_secs(20);
    while is_alive(pid) && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(5));
    }
    !is_alive(pid)
}

/// The example is built beside the tests.
fn adapter() -> PathBuf {
    let own = std::env::current_exe().expect("a test knows its path");
    let folder = own.parent().and_then(|deps| deps.parent()).expect("target/<profile>/deps");
    folder.join("examples").join("od-adapter-parrot")
}
