//! Renderers as data: a recorded journal in, the text of `od-host replay` out.
//! `UPDATE_EXPECT=1` rewrites the expectations.

use std::path::PathBuf;

use expect_test::expect_file;

use super::scratch::Scratch;

fn check(name: &str) {
    let scratch = Scratch::new();
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/it/cli/render");
    let events = folder.join(format!("{name}.events.jsonl"));
    scratch.record(&events);
    for output in ["pretty", "text"] {
        let finished = scratch.od_host(&["replay", "last", "--output", output]).exits_with(0);
        let shown = format!("{}{}", finished.stdout, finished.stderr);
        let odd = shown.chars().find(|it| it.is_control() && !matches!(it, '\n' | '\t'));
        assert_eq!(odd, None, "a control character reached the terminal");
        expect_file![folder.join(format!("{name}.{output}.txt"))].assert_eq(&shown);
    }
    let finished = scratch.od_host(&["replay", "last", "--output", "jsonl"]).exits_with(0);
    let recorded = std::fs::read_to_string(&events).expect("the recording");
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
fn signals() {
    check("signals");
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
fn every_line_fits_80_columns_unless_it_is_the_agents_own_text() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/it/cli/render");
    for entry in std::fs::read_dir(folder).expect("the expectations") {
        let path = entry.expect("a file").path();
        if path.to_string_lossy().ends_with(".pretty.txt") {
            let text = std::fs::read_to_string(&path).expect("an expectation");
            let wide = text.lines().find(|line| line.chars().count() > 80);
            assert_eq!(wide, None, "{}", path.display());
        }
    }
}

#[test]
fn colours_appear_only_where_they_are_wanted() {
    let scratch = Scratch::new();
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/it/cli/render");
    scratch.record(&folder.join("plain.events.jsonl"));
    let escape = |variables: &[(&str, &str)]| {
        let mut command = scratch.command(&["replay", "last"]);
        let output = command.envs(variables.iter().copied()).output().expect("od-host starts");
        output.stdout.contains(&0x1b)
    };
    assert!(!escape(&[]), "a pipe gets no colours");
    assert!(escape(&[("CLICOLOR_FORCE", "1")]), "colours can be asked for");
    assert!(!escape(&[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]), "NO_COLOR wins");
}
