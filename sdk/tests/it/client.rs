//! A minimal host: starts the parrot adapter with a shell script as its agent CLI.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

/// Keeps a failing test from hanging; nothing takes this long.
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
        Self::start_with(script, "parrot", json!({}))
    }

    /// As [`Self::start`], with the place of the agent CLI below the folder, and the settings'
    /// `options`.
    pub(crate) fn start_with(script: &str, cli: &str, options: Value) -> Self {
        let folder = TempDir::new().expect("a scratch folder");
        let cli = folder.path().join(cli);
        fs::create_dir_all(cli.parent().expect("a folder")).expect("folders are created");
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
                "config": { "cliPath": cli, "options": options },
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

    /// Sends a request and returns its answer; events before it are dropped.
    pub(crate) fn call(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params);
        loop {
            let message = self.next();
            if message["id"] == id {
                return message;
            }
        }
    }

    /// Starts a run that must be accepted.
    pub(crate) fn run(&mut self, run_id: &str, more: Value) {
        let answer = self.try_run(run_id, more);
        assert_eq!(answer["result"]["runId"], run_id, "{answer}");
    }

    /// Starts a run and returns the answer.
    pub(crate) fn try_run(&mut self, run_id: &str, more: Value) -> Value {
        let mut params = json!({
            "runId": run_id, "cwd": self.folder.path(), "prompt": { "text": "hello" },
        });
        for (name, value) in more.as_object().expect("an object") {
            params[name] = value.clone();
        }
        self.call("run/start", params)
    }

    /// Waits for the next message.
    pub(crate) fn next(&mut self) -> Value {
        let line = self.lines.recv_timeout(LIMIT).expect("the adapter sends a message");
        serde_json::from_str(&line).expect("a line is JSON")
    }

    /// Waits for the next event that matches.
    pub(crate) fn event(&mut self, is_match: impl Fn(&Value) -> bool) -> Value {
        loop {
            let message = self.next();
            let event = &message["params"]["event"];
            if message["method"] == "run/event" && is_match(event) {
                return event.clone();
            }
        }
    }

    pub(crate) fn event_of_type(&mut self, name: &str) -> Value {
        self.event(|event| event["type"] == name)
    }

    /// Waits for a file that a script writes into the working folder.
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

    /// Closes stdin, as a host that exits does.
    pub(crate) fn close_stdin(&mut self) {
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

/// Whether a process exists and is not a zombie.
pub(crate) fn is_alive(pid: &str) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(')').is_some_and(|(_, rest)| !rest.trim_start().starts_with(['Z', 'X']))
}

/// Whether a process ends. A killed process may need some time on a busy machine; others run longer.
pub(crate) fn has_ended(pid: &str) -> bool {
    let deadline = Instant::now() + Duration::from_secs(20);
    while is_alive(pid) && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(5));
    }
    !is_alive(pid)
}

/// The example is built beside the tests.
fn adapter() -> PathBuf {
    let own = std::env::current_exe().expect("the path of this test");
    let folder = own.parent().and_then(|deps| deps.parent()).expect("target/<profile>/deps");
    folder.join("examples").join("od-adapter-parrot")
}
