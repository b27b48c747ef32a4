//! The embedded agent as a process: commands in, messages out. The conformance suite tests the
//! adapter's mapping.

mod manifest;

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

struct Agent {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
}

impl Agent {
    fn start(folder: &TempDir, arguments: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_od-adapter-demo"))
            .args(["--demo-agent", "--model", "demo-1-fast"])
            .args(arguments)
            .current_dir(folder.path())
            .env("OD_HOME", folder.path().join("home"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the agent starts");
        let stdin = child.stdin.take().expect("piped");
        let stdout = BufReader::new(child.stdout.take().expect("piped"));
        Self { child, stdin, stdout }
    }

    fn send(&mut self, command: Value) {
        writeln!(self.stdin, "{command}").expect("the agent reads stdin");
    }

    fn prompt(&mut self, text: &str) {
        self.send(json!({ "do": "say", "text": text }));
    }

    /// Returns the next message of a type; fails when the agent exits first.
    fn next_message(&mut self, wanted: &str) -> Value {
        loop {
            let mut line = String::new();
            let count = self.stdout.read_line(&mut line).expect("the agent writes to stdout");
            assert_ne!(count, 0, "the agent exited without the message {wanted}");
            let message: Value = serde_json::from_str(&line).expect("a message is JSON");
            if message["type"] == wanted {
                return message;
            }
            assert_ne!(message["type"], "bye", "no message {wanted}: {message}");
        }
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

fn session_after(folder: &TempDir, arguments: &[&str], prompt: &str) -> String {
    let mut agent = Agent::start(folder, arguments);
    agent.prompt(prompt);
    let session = agent.next_message("hello")["session"].as_str().expect("an id").to_owned();
    assert_eq!(agent.next_message("bye")["reason"], "done");
    session
}

#[test]
fn prompt_writes_escaped_page_into_cwd() {
    let folder = TempDir::new().expect("a scratch folder");
    let mut agent = Agent::start(&folder, &[]);
    agent.prompt("Tea & <biscuits>");
    let wrote = agent.next_message("wrote");
    assert_eq!(
        (&wrote["new"], agent.next_message("bye")["reason"].as_str()),
        (&json!(true), Some("done"))
    );
    let page = std::fs::read_to_string(folder.path().join("tea-biscuits.html")).expect("the page");
    assert!(page.contains("<h1>Tea &amp; &lt;biscuits&gt;</h1>"));
}

#[test]
fn approval_denied_skips_and_edited_changes_page() {
    let folder = TempDir::new().expect("a scratch folder");
    let mut agent = Agent::start(&folder, &[]);
    agent.prompt("ask me");
    let ask = agent.next_message("ask")["ask"].clone();
    agent.send(json!({ "do": "answer", "ask": ask, "allow": false }));
    assert_eq!(agent.next_message("result")["ok"], false);
    agent.next_message("bye");
    assert!(!folder.path().join("ask-me.html").exists());

    let mut agent = Agent::start(&folder, &[]);
    agent.prompt("ask me");
    let ask = agent.next_message("ask")["ask"].clone();
    let input = json!({ "path": "other.html", "content": "mine" });
    agent.send(json!({ "do": "answer", "ask": ask, "allow": true, "input": input }));
    agent.next_message("bye");
    assert_eq!(std::fs::read_to_string(folder.path().join("other.html")).expect("it"), "mine");
}

#[test]
fn session_is_stored_resumed_and_forked() {
    let folder = TempDir::new().expect("a scratch folder");
    let first = session_after(&folder, &[], "about elephants");
    let mut resumed = Agent::start(&folder, &["--resume", &first]);
    resumed.prompt("more");
    assert_eq!(resumed.next_message("hello")["session"], first.as_str());
    let mut thought = String::new();
    while !thought.ends_with("\". ") && thought.len() < 500 {
        thought.push_str(resumed.next_message("think")["text"].as_str().expect("text"));
    }
    assert!(thought.contains("about elephants"), "{thought}");
    assert_ne!(session_after(&folder, &["--fork", &first], "else"), first);

    let mut unknown = Agent::start(&folder, &["--resume", "../../etc/passwd"]);
    unknown.prompt("hello");
    assert_eq!(unknown.next_message("problem")["kind"], "session_unknown");
}

#[test]
fn stop_ends_turn_and_prompts_are_queued() {
    let folder = TempDir::new().expect("a scratch folder");
    let mut agent = Agent::start(&folder, &[]);
    agent.prompt("wait for me");
    agent.next_message("tool");
    agent.send(json!({ "do": "stop" }));
    assert_eq!(agent.next_message("bye")["reason"], "stopped");

    let mut agent = Agent::start(&folder, &[]);
    agent.prompt("one");
    agent.next_message("turn");
    agent.prompt("two");
    assert_eq!(agent.next_message("turn")["turn"], "turn-2");
    assert_eq!(agent.next_message("bye")["reason"], "done");
}
