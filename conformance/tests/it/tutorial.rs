//! The step files of the README's tutorial: each is a valid pack and works.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use od_conformance::fake_cli::FakeCli;
use od_conformance::pack::{Pack, Values};
use rand::SeedableRng;
use rand::rngs::StdRng;
use serde_json::{Value, json};

use crate::support::{CONFORMANCE, conformance};

/// The text of one example of the tutorial.
fn steps(kind: &str) -> String {
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
    let text = std::fs::read_to_string(readme).expect("the README");
    let start = format!("```steps {kind}\n");
    let (_, rest) = text.split_once(&start).expect("the example exists");
    rest.split_once("```").expect("its end").0.to_owned()
}

/// A pack with that text; lint reports no fault.
fn pack(kind: &str, prompt: &str) -> (tempfile::TempDir, Pack) {
    let folder = tempfile::tempdir().expect("a folder");
    let settings =
        format!("[cli]\nprompt = \"{prompt}\"\n[scenario.text]\nsteps = \"text.steps\"\n");
    std::fs::write(folder.path().join("conformance.toml"), settings).expect("settings");
    std::fs::write(folder.path().join("text.steps"), steps(kind)).expect("steps");
    let path = folder.path().to_string_lossy().into_owned();
    conformance(&["fixtures", "lint", &path]).exits_with(0).prints(&["faults 0, warnings 0"]);
    let pack = Pack::load(folder.path()).expect("a pack");
    (folder, pack)
}

/// Runs an example; `respond` gets each line and returns the next input, `None` at the end.
fn run_example(
    kind: &str,
    prompt: &str,
    mut respond: impl FnMut(&str) -> Option<String>,
) -> Values {
    let (folder, pack) = pack(kind, prompt);
    let cwd = folder.path().canonicalize().expect("a path");
    let values = Values::fresh(&mut StdRng::seed_from_u64(3), &cwd);
    let fake_cli = FakeCli::install(&folder.path().join("cli"), "agent", Path::new(CONFORMANCE))
        .expect("a fake CLI");
    fake_cli
        .load_script(&pack.script("text", &values).expect("a script"))
        .expect("the script is written");
    let mut child = Command::new(fake_cli.executable())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut stdin = child.stdin.take().expect("its input");
    let stdout = BufReader::new(child.stdout.take().expect("its output"));
    let first = respond(&values.text("cwd")).expect("something to begin with");
    stdin.write_all(first.as_bytes()).expect("it reads");
    let mut stdin = (!first.is_empty() && kind != "lines").then_some(stdin);
    for line in stdout.lines() {
        match (respond(&line.expect("text")), &mut stdin) {
            (Some(text), Some(stdin)) => stdin.write_all(text.as_bytes()).expect("it reads"),
            (Some(_), None) => {}
            (None, _) => break,
        }
    }
    drop(stdin);
    assert!(child.wait().expect("it ends").success());
    let seen = fake_cli.starts().pop().expect("it was started");
    assert_eq!(seen.bound_text("prompt").as_deref(), Some("hello"));
    values
}

fn joined_text(lines: &[Value], pointer: &str) -> String {
    lines.iter().filter_map(|line| line.pointer(pointer)?.as_str()).collect()
}

#[test]
fn tutorial_with_lines_works() {
    let mut lines = Vec::new();
    let values = run_example("lines", "stdin", |line| {
        lines.extend(serde_json::from_str::<Value>(line));
        Some("hello".to_owned())
    });
    assert_eq!(joined_text(&lines, "/text"), values.text("text"));
    assert_eq!(lines.last(), Some(&json!({"type": "end"})));
}

#[test]
fn tutorial_with_json_rpc_works() {
    let mut lines: Vec<Value> = Vec::new();
    let mut cwd = String::new();
    let values = run_example("rpc", "rpc", |line| {
        let Ok(message) = serde_json::from_str::<Value>(line) else {
            line.clone_into(&mut cwd);
            return Some(format!("{}\n", json!({"id": 7, "method": "initialize"})));
        };
        let next = match message["id"].as_u64() {
            Some(7) => json!({"id": "new", "method": "session/new", "params": {"cwd": cwd}}),
            _ if message["id"] == "new" => {
                let prompt = json!([{"type": "text", "text": "hello"}]);
                json!({"id": 9, "method": "session/prompt", "params": {"prompt": prompt}})
            }
            _ => json!(null),
        };
        lines.push(message);
        Some(format!("{next}\n"))
    });
    assert_eq!(joined_text(&lines, "/params/text"), values.text("text"));
    assert_eq!(lines[1]["result"]["sessionId"], values.text("session_id"));
    let last = json!({"jsonrpc": "2.0", "id": 9, "result": {"stopReason": "end_turn"}});
    assert_eq!(lines.last(), Some(&last));
}

#[test]
fn tutorial_files_match_tested_packs() {
    let (_folder, _pack) = pack("http", "rpc");
    // `transports.rs` checks an adapter with this file.
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    let checked = own.join("tests/adapters/served/conformance/text.steps");
    assert_eq!(steps("http"), std::fs::read_to_string(checked).expect("steps"));
    let lines = own.join("templates/shared/conformance/text.steps");
    assert_eq!(steps("lines"), std::fs::read_to_string(lines).expect("steps"));
}
