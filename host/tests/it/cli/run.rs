//! `od-host run`: output formats, prompts, approvals without a terminal, exit codes.

use super::scratch::Scratch;

fn events_of(scratch: &Scratch) -> String {
    let runs = std::fs::read_dir(scratch.path("od").join("runs")).expect("the folder of runs");
    let run = runs.map(|entry| entry.expect("a run").path()).next().expect("one run");
    std::fs::read_to_string(run.join("events.jsonl")).expect("a journal")
}

#[test]
fn each_output_format_shows_its_content() {
    let scratch = Scratch::with_adapter("x", "good");
    let pretty = scratch.od_host(&["run", "-a", "x", "four"]).exits_with(0);
    assert!(pretty.stdout.starts_with("● x\n  session s1\n\n4 bytes: \"quoted\"\n"));
    assert!(pretty.stdout.ends_with("✓ done in 0.0 s\n"), "{}", pretty.stdout);
    assert_eq!(pretty.stderr, "");
    let text = scratch.od_host(&["run", "-a", "x", "--output", "text", "four"]).exits_with(0);
    assert_eq!(text.stdout, "4 bytes: \"quoted\"\n\u{2028}ü\n");
    let quiet = scratch.od_host(&["run", "-a", "x", "--output", "quiet", "four"]).exits_with(0);
    assert_eq!((quiet.stdout.as_str(), quiet.stderr.as_str()), ("", ""));
}

#[test]
fn jsonl_output_equals_journal() {
    let scratch = Scratch::with_adapter("x", "flood 20000");
    let finished = scratch.od_host(&["run", "-a", "x", "--output", "jsonl", "go"]).exits_with(0);
    assert_eq!(finished.stdout.lines().count(), 20_002);
    assert!(finished.stdout == events_of(&scratch), "stdout differs from the journal");
}

#[test]
fn prompt_is_read_from_stdin() {
    let scratch = Scratch::with_adapter("x", "good");
    for arguments in [&["run", "-a", "x", "-"][..], &["run", "-a", "x"][..]] {
        let finished = scratch.od_host_with_stdin(arguments, &[b'x'; 1_000_000]).exits_with(0);
        assert!(finished.stdout.contains("1000000 bytes"), "{}", finished.stdout);
    }
}

#[test]
fn approval_without_terminal_is_denied() {
    let scratch = Scratch::with_adapter("x", "asks");
    let finished = scratch.od_host(&["run", "-a", "x", "go"]).exits_with(0);
    assert!(finished.stdout.contains("the agent asks to run a command (high risk)\n  run rm\n"));
    assert!(finished.stdout.contains("→ denied"), "{}", finished.stdout);
    assert!(finished.stderr.contains("warning: denied: no terminal to ask on: run rm"));
    assert!(finished.stderr.contains("--yes"), "{}", finished.stderr);
    assert!(events_of(&scratch).contains(r#""outcome":"reject_once""#));
}

#[test]
fn yes_allows_every_approval() {
    let scratch = Scratch::with_adapter("x", "asks");
    let finished = scratch.od_host(&["run", "-a", "x", "--yes", "go"]).exits_with(0);
    assert!(finished.stdout.contains("→ allowed"), "{}", finished.stdout);
    assert_eq!(finished.stderr, "");
}

#[test]
fn exit_codes_match_failures() {
    for (mode, code, error) in [
        ("refuses_run", 4, "not logged in"),
        ("crash", 1, "plugin_crashed"),
        ("dies_at_start", 3, "cannot find my libraries"),
        ("refuses_protocol", 3, "upgrade the host"),
        ("bad_manifest", 3, "od-adapter-x"),
    ] {
        let scratch = Scratch::with_adapter("x", mode);
        let finished = scratch.od_host(&["run", "-a", "x", "go"]).exits_with(code);
        assert!(finished.stderr.contains("error: "), "{mode}: {}", finished.stderr);
        assert!(finished.stderr.contains(error), "{mode}: {}", finished.stderr);
        assert!(finished.stderr.contains("hint: "), "{mode}: {}", finished.stderr);
    }
}

#[test]
fn auto_selects_ready_agent() {
    let scratch = Scratch::with_adapter("away", "not_installed");
    scratch.od_host(&["run", "go"]).fails_with(3, "none of the 1 agents", "od-host agents");
    scratch.add_adapter("here", "good");
    let finished = scratch.od_host(&["run", "--output", "text", "go"]).exits_with(0);
    assert!(finished.stderr.contains("using here, the best ready agent"), "{}", finished.stderr);
}

#[test]
fn unsupported_option_is_named_in_error() {
    let scratch = Scratch::new();
    scratch.add_demo();
    let finished = scratch.od_host(&["run", "-a", "demo", "--deny-tool", "Bash", "go"]);
    let error = "demo does not support --deny-tool";
    finished.fails_with(2, error, "od-host capabilities -a demo");
}
