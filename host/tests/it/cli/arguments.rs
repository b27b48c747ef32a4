//! Usage errors, help, run ids.

use super::scratch::{RECORDED_RUN, Scratch};

const COMMANDS: [&str; 12] = [
    "agents",
    "run",
    "models",
    "capabilities",
    "doctor",
    "runs",
    "usage",
    "attach",
    "replay",
    "cancel",
    "input",
    "completions",
];

#[test]
fn every_command_has_help_with_examples() {
    let scratch = Scratch::new();
    for command in COMMANDS {
        let finished = scratch.od_host(&[command, "--help"]).exits_with(0);
        assert!(finished.stdout.contains("Examples:"), "{command}:\n{}", finished.stdout);
        assert!(finished.stdout.contains(&format!("od-host {command}")), "{command}");
    }
}

#[test]
fn version_is_package_version() {
    let finished = Scratch::new().od_host(&["--version"]).exits_with(0);
    assert_eq!(finished.stdout, format!("od-host {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn no_arguments_print_help() {
    let finished = Scratch::new().od_host(&[]).exits_with(2);
    assert!(finished.stderr.contains("Usage: od-host"), "{}", finished.stderr);
}

#[test]
fn invalid_arguments_are_usage_errors() {
    let scratch = Scratch::new();
    for (arguments, reason) in [
        (vec!["run", "--effort", "enormous", "x"], "possible values: low, medium, high, max"),
        (vec!["run", "--resume", "a", "--fork", "b", "x"], "cannot be used with"),
        (vec!["run", "--env", "NAME", "x"], "NAME=VALUE"),
        (vec!["run", "--timeout", "0", "x"], "above 0"),
        (vec!["run", "--timeout", "soon", "x"], "a number of seconds"),
        (vec!["run", "--output", "xml", "x"], "possible values: pretty, jsonl, text, quiet"),
        (vec!["models"], "--agent <ID>"),
        (vec!["unknown"], "unrecognized subcommand"),
    ] {
        let finished = scratch.od_host(&arguments).exits_with(2);
        assert!(finished.stderr.contains(reason), "{arguments:?}:\n{}", finished.stderr);
    }
}

#[test]
fn empty_prompt_is_refused() {
    let scratch = Scratch::new();
    scratch.od_host(&["run", "  "]).fails_with(2, "the prompt is empty", "od-host run");
    scratch.od_host(&["run"]).fails_with(2, "the prompt is empty", "od-host run");
    scratch.od_host(&["run", "-"]).fails_with(2, "the prompt is empty", "od-host run");
}

#[test]
fn binary_prompt_is_refused() {
    let scratch = Scratch::new();
    let finished = scratch.od_host_with_stdin(&["run", "-"], b"\xff\xfe");
    finished.fails_with(2, "not valid UTF-8 (byte 0)", "file");
}

#[test]
fn missing_paths_are_named_in_errors() {
    let scratch = Scratch::new();
    scratch
        .od_host(&["run", "-a", "demo", "-C", "nowhere", "x"])
        .fails_with(2, "nowhere", "-C DIR");
    scratch.od_host(&["run", "-a", "demo", "-C", "/etc/hosts", "x"]).fails_with(
        2,
        "it is not a folder",
        "-C DIR",
    );
    scratch.od_host(&["run", "--system", "@gone.md", "x"]).fails_with(2, "gone.md", "@FILE");
    scratch.od_host(&["agents", "--adapter-dir", "nowhere"]).fails_with(
        2,
        "nowhere is not a folder",
        "od-adapter-*",
    );
}

#[test]
fn unknown_agent_is_unavailable() {
    let scratch = Scratch::new();
    scratch.od_host(&["run", "-a", "missing", "x"]).fails_with(3, "missing", "od-host agents");
    scratch.od_host(&["models", "-a", "missing"]).fails_with(3, "missing", "od-host agents");
    scratch.od_host(&["capabilities", "-a", "missing"]).fails_with(3, "missing", "od-host agents");
}

#[test]
fn run_is_found_by_id_prefix_or_last() {
    let scratch = Scratch::new();
    for command in ["attach", "replay", "cancel"] {
        scratch.od_host(&[command, "last"]).fails_with(2, "run", "od-host run");
    }
    scratch.record("plain");
    for name in [RECORDED_RUN, "0193a7", "last"] {
        let finished = scratch.od_host(&["replay", name, "--output", "text"]).exits_with(0);
        assert_eq!(finished.stdout, "Done: open **index.html**.\n");
    }
    scratch.od_host(&["replay", "0193b"]).fails_with(2, "0193b", RECORDED_RUN);
    let finished = scratch.od_host(&["cancel", "last"]).exits_with(0);
    assert!(finished.stdout.contains("had already ended: completed"), "{}", finished.stdout);
}

#[test]
fn attach_reads_ended_run_from_event() {
    let scratch = Scratch::new();
    scratch.record("failed");
    let finished =
        scratch.od_host(&["attach", "last", "--from", "3", "--output", "jsonl"]).exits_with(4);
    assert!(finished.stdout.starts_with(&format!("{{\"runId\":\"{RECORDED_RUN}\",\"seq\":3,")));
    assert!(finished.stderr.contains("error: auth_expired"), "{}", finished.stderr);
    assert!(finished.stderr.contains("hint: agent login"), "{}", finished.stderr);
}

#[test]
fn runs_prints_table_and_json() {
    let scratch = Scratch::new();
    let finished = scratch.od_host(&["runs"]).exits_with(0);
    assert_eq!(finished.stdout, "");
    scratch.record("plain");
    let finished = scratch.od_host(&["runs"]).exits_with(0);
    let line = finished.stdout.lines().nth(1).expect("one run");
    assert_eq!(line, "0193a7b2  demo   completed  Nov 16 00:00        12 s  make a page");
    let finished = scratch.od_host(&["runs", "--json"]).exits_with(0);
    let runs: serde_json::Value = serde_json::from_str(&finished.stdout).expect("JSON");
    assert_eq!(runs[0]["runId"], RECORDED_RUN);
}

#[test]
fn completions_contain_commands() {
    let scratch = Scratch::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let finished = scratch.od_host(&["completions", shell]).exits_with(0);
        assert!(finished.stdout.contains("capabilities"), "{shell}");
    }
}
