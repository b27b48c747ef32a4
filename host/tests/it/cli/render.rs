//! Replays recorded journals and compares the output with files. `UPDATE_EXPECT=1` rewrites them.

use std::path::Path;

use expect_test::expect_file;

use super::scratch::{RECORDINGS, Scratch};

fn check(name: &str) {
    let scratch = Scratch::new();
    let folder = Path::new(RECORDINGS);
    scratch.record(name);
    for output in ["pretty", "text"] {
        let finished = scratch.od_host(&["replay", "last", "--output", output]).exits_with(0);
        let shown = format!("{}{}", finished.stdout, finished.stderr);
        let control = shown.chars().find(|it| it.is_control() && !matches!(it, '\n' | '\t'));
        assert_eq!(control, None, "a control character reached the terminal");
        expect_file![folder.join(format!("{name}.{output}.txt"))].assert_eq(&shown);
    }
    let finished = scratch.od_host(&["replay", "last", "--output", "jsonl"]).exits_with(0);
    let recorded =
        std::fs::read_to_string(folder.join(format!("{name}.events.jsonl"))).expect("a recording");
    assert_eq!(finished.stdout, recorded, "jsonl is the journal byte for byte");
    let quiet = scratch.od_host(&["replay", "last", "--output", "quiet"]).exits_with(0);
    assert_eq!(quiet.stdout, "");
}

#[test]
fn plain() {
    check("plain");
}

#[test]
fn discarded() {
    check("discarded");
}

#[test]
fn tools() {
    check("tools");
}

#[test]
fn status() {
    check("status");
}

#[test]
fn hostile() {
    check("hostile");
}

#[test]
fn approvals() {
    check("approvals");
}

#[test]
fn switched() {
    check("switched");
}

#[test]
fn failed() {
    check("failed");
}

#[test]
fn cut_short() {
    check("cut_short");
}

#[test]
fn pretty_lines_fit_eighty_columns() {
    for entry in std::fs::read_dir(RECORDINGS).expect("the expectations") {
        let path = entry.expect("a file").path();
        if path.to_string_lossy().ends_with(".pretty.txt") {
            let text = std::fs::read_to_string(&path).expect("an expectation");
            let wide = text.lines().find(|line| line.chars().count() > 80);
            assert_eq!(wide, None, "{}", path.display());
        }
    }
}

#[test]
fn colors_depend_on_environment() {
    let scratch = Scratch::new();
    scratch.record("plain");
    let escape = |variables: &[(&str, &str)]| {
        let mut command = scratch.command(&["replay", "last"]);
        let output = command.envs(variables.iter().copied()).output().expect("od-host starts");
        output.stdout.contains(&0x1b)
    };
    assert!(!escape(&[]), "a pipe gets no colors");
    assert!(escape(&[("CLICOLOR_FORCE", "1")]), "colors can be forced");
    assert!(!escape(&[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]), "NO_COLOR wins");
}
