//! Vendor knowledge stays in the adapters: the sources of host, protocol, sdk and conformance name no agent.

use od_protocol::Manifest;
use xtask::files::agent_folders;

use super::work_tree::{assert_none, read, rust_files};

/// Crates that know no vendor.
const NEUTRAL_CRATES: [&str; 4] = ["conformance", "host", "protocol", "sdk"];

/// Agents that have no adapter here yet, and short names of those that have one.
const KNOWN_AGENTS: [&str; 19] = [
    "aider",
    "auggie",
    "claude",
    "claudecode",
    "cline",
    "copilot",
    // Not `cursor` alone: terminals and lists have cursors.
    "cursor-agent",
    "deepseek",
    "devin",
    "gemini",
    "goose",
    "hermes",
    "kimi",
    "kiro",
    "openclaw",
    "opencode",
    "qwen",
    "vibe",
    "windsurf",
];

/// An agent of this repository that wraps no vendor's CLI.
const OWN_AGENT: &str = "demo";

/// Matches every name in [`EXCEPTIONS`].
const ANY: &str = "*";

/// Where a name may occur, and why: the start of a path, the name, the reason.
const EXCEPTIONS: [(&str, &str, &str); 4] = [
    ("conformance/src/model/", "codex", "names of HTTP headers of a model API"),
    ("conformance/src/model/", "gemini", "a wire format of the fake model, named after its API"),
    ("host/src/telemetry/", "gemini", "a provider name that OpenTelemetry defines"),
    ("host/src/usage/run_usage/tests.rs", ANY, "tests read committed recordings of adapters"),
];

#[test]
fn neutral_crates_name_no_agent() {
    let names = agent_names();
    let mut found = Vec::new();
    for file in rust_files().into_iter().filter(|file| is_neutral(file)) {
        for (index, line) in lines(&file).into_iter().enumerate() {
            for name in names.iter().filter(|name| contains_name(&line, name)) {
                if !is_allowed(&file, name) {
                    found.push(format!("{file}:{}: {}", index + 1, name.join("-")));
                }
            }
        }
    }
    assert_none("names of agents outside the adapters", found);
}

#[test]
fn every_exception_is_needed() {
    let names = agent_names();
    let files: Vec<String> = rust_files().into_iter().filter(|file| is_neutral(file)).collect();
    let is_needed = |path: &str, name: &str| {
        let mut lines =
            files.iter().filter(|file| file.starts_with(path)).flat_map(|file| lines(file));
        lines.any(|line| {
            names.iter().any(|known| is_same(name, known) && contains_name(&line, known))
        })
    };
    let unneeded = EXCEPTIONS
        .iter()
        .filter(|(path, name, _)| !is_needed(path, name))
        .map(|(path, name, _)| format!("{path}: {name}"))
        .collect();
    assert_none("exceptions that are no longer needed", unneeded);
}

/// The words of each line of a file.
fn lines(file: &str) -> Vec<Vec<String>> {
    read(file).lines().map(words).collect()
}

/// Whether the name of an exception covers a name.
fn is_same(exception: &str, name: &[String]) -> bool {
    exception == ANY || words(exception) == name
}

fn is_neutral(file: &str) -> bool {
    NEUTRAL_CRATES.iter().any(|folder| file.starts_with(&format!("{folder}/src/")))
}

fn is_allowed(file: &str, name: &[String]) -> bool {
    EXCEPTIONS.iter().any(|(path, allowed, _)| file.starts_with(path) && is_same(allowed, name))
}

/// The names of all agents, each as its words in lower case.
fn agent_names() -> Vec<Vec<String>> {
    let mut names: Vec<Vec<String>> = KNOWN_AGENTS.iter().map(|name| words(name)).collect();
    for folder in agent_folders() {
        let text = read(&format!("{folder}/manifest.json"));
        let manifest: Manifest = serde_json::from_str(&text).expect("a committed manifest");
        if manifest.adapter_id != OWN_AGENT {
            names.extend([words(&manifest.adapter_id), words(&manifest.display_name)]);
            names.extend(manifest.cli.names.iter().map(|name| words(name)));
        }
    }
    names.sort();
    names.dedup();
    names
}

fn words(text: &str) -> Vec<String> {
    text.split(|character: char| !character.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_ascii_lowercase)
        .collect()
}

/// Whether a line contains the words of a name in a row.
fn contains_name(line: &[String], name: &[String]) -> bool {
    line.windows(name.len()).any(|window| window == name)
}

#[test]
fn names_are_found_as_whole_words() {
    let contains = |line: &str, name: &str| contains_name(&words(line), &words(name));
    assert!(contains("// as Claude Code does", "claude-code"));
    assert!(contains("fn claude_code_line()", "claude-code"));
    assert!(!contains("spill the api", "pi"));
}
