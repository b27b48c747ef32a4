//! The embedded agent as a process: orders in, words out. What the adapter makes of the words is
//! the conformance suite's business.

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

    fn order(&mut self, order: Value) {
        writeln!(self.stdin, "{order}").expect("the agent listens");
    }

    fn say(&mut self, text: &str) {
        self.order(json!({ "do": "say", "text": text }));
    }

    /// The next word of a type; the last word ends the search.
    fn word(&mut self, wanted: &str) -> Value {
        loop {
            let mut line = String::new();
            let count = self.stdout.read_line(&mut line).expect("the agent speaks");
            assert_ne!(count, 0, "the agent left without saying {wanted}");
            let word: Value = serde_json::from_str(&line).expect("a word is JSON");
            if word["type"] == wanted {
                return word;
            }
            assert_ne!(word["type"], "bye", "the agent never said {wanted}: {word}");
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
    agent.say(prompt);
    let session = agent.word("hello")["session"].as_str().expect("an id").to_owned();
    assert_eq!(agent.word("bye")["reason"], "done");
    session
}

#[test]
fn any_prompt_grows_a_page_into_the_folder() {
    let folder = TempDir::new().expect("a scratch folder");
    let mut agent = Agent::start(&folder, &[]);
    agent.say("Tea & <biscuits>");
    let wrote = agent.word("wrote");
    assert_eq!((&wrote["new"], agent.word("bye")["reason"].as_str()), (&json!(true), Some("done")));
    let page = std::fs::read_to_string(folder.path().join("tea-biscuits.html")).expect("the page");
    assert!(page.contains("<h1>Tea &amp; &lt;biscuits&gt;</h1>"));
}

#[test]
fn a_denied_page_is_not_written_and_an_edited_one_is() {
    let folder = TempDir::new().expect("a scratch folder");
    let mut agent = Agent::start(&folder, &[]);
    agent.say("ask me");
    let ask = agent.word("ask")["ask"].clone();
    agent.order(json!({ "do": "answer", "ask": ask, "allow": false }));
    assert_eq!(agent.word("result")["ok"], false);
    agent.word("bye");
    assert!(!folder.path().join("ask-me.html").exists());

    let mut agent = Agent::start(&folder, &[]);
    agent.say("ask me");
    let ask = agent.word("ask")["ask"].clone();
    let input = json!({ "path": "other.html", "content": "mine" });
    agent.order(json!({ "do": "answer", "ask": ask, "allow": true, "input": input }));
    agent.word("bye");
    assert_eq!(std::fs::read_to_string(folder.path().join("other.html")).expect("it"), "mine");
}

#[test]
fn a_session_is_remembered_resumed_and_forked() {
    let folder = TempDir::new().expect("a scratch folder");
    let first = session_after(&folder, &[], "about elephants");
    let mut resumed = Agent::start(&folder, &["--resume", &first]);
    resumed.say("more");
    assert_eq!(resumed.word("hello")["session"], first.as_str());
    let mut thought = String::new();
    while !thought.ends_with("\". ") && thought.len() < 500 {
        thought.push_str(resumed.word("think")["text"].as_str().expect("text"));
    }
    assert!(thought.contains("about elephants"), "{thought}");
    assert_ne!(session_after(&folder, &["--fork", &first], "else"), first);

    let mut unknown = Agent::start(&folder, &["--resume", "../../etc/passwd"]);
    unknown.say("hello");
    assert_eq!(unknown.word("problem")["kind"], "session_unknown");
}

#[test]
fn it_stops_when_told_and_queues_what_is_said_meanwhile() {
    let folder = TempDir::new().expect("a scratch folder");
    let mut agent = Agent::start(&folder, &[]);
    agent.say("wait for me");
    agent.word("tool");
    agent.order(json!({ "do": "stop" }));
    assert_eq!(agent.word("bye")["reason"], "stopped");

    let mut agent = Agent::start(&folder, &[]);
    agent.say("one");
    agent.word("turn");
    agent.say("two");
    assert_eq!(agent.word("turn")["turn"], "turn-2");
    assert_eq!(agent.word("bye")["reason"], "done");
}
