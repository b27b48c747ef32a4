//! Plugins that do their worst: the suite gives a verdict, in time, and leaves nothing behind.

#![cfg(unix)]

use crate::support::{Outcome, conformance, script_plugin};

/// Judges a shell script with a few checks that need no pack.
fn check_script(body: &str, only: &[&str]) -> Outcome {
    let folder = tempfile::tempdir().expect("a folder");
    let plugin = script_plugin(folder.path(), body);
    let mut arguments = vec!["run", &plugin, "--patience", "0.2"];
    for id in only {
        arguments.extend(["--only", id]);
    }
    conformance(&arguments)
}

#[test]
fn one_that_exits_at_once() {
    let outcome = check_script("exit 0", &["MAN", "HS", "SCH-01"]);
    outcome.ends_with(1).says(&["fail MAN-01", "the plugin has exited"]);
}

#[test]
fn one_that_never_answers_and_never_exits() {
    let outcome =
        check_script("trap '' TERM INT HUP; while :; do sleep 1; done", &["MAN-01", "HS-01"]);
    outcome.ends_with(1).says(&[
        "fail MAN-01",
        "it had to be killed",
        "fail HS-01",
        "still running",
    ]);
}

#[test]
fn one_that_floods_lines_that_are_no_json() {
    let outcome = check_script("exec yes garbage", &["MAN-01", "HS-01", "ENC-05"]);
    outcome.ends_with(1).says(&["fail ENC-05", "a line that is no JSON"]);
}

#[test]
fn one_that_prints_a_line_without_end() {
    let outcome = check_script("exec head -c 60000000 /dev/zero", &["HS-01", "ENC-05"]);
    outcome.ends_with(1).says(&["fail HS-01", "fail ENC-05"]);
}

#[test]
fn one_that_answers_with_json_of_every_wrong_shape() {
    let body = r#"while read -r line; do
        printf '%s\n' '[]' '7' '{"id":1}' '{"jsonrpc":"2.0","id":1,"error":7}' \
            '{"jsonrpc":"2.0","method":"run/event","params":{"runId":7}}'
    done"#;
    let outcome = check_script(body, &["HS", "SCH-01", "ORD-03"]);
    outcome.ends_with(1).says(&["fail SCH-01", "fail ORD-03"]);
}

#[test]
fn one_whose_orphan_holds_the_pipe() {
    let outcome = check_script("sleep 30 & echo '{}'", &["MAN-01"]);
    outcome.ends_with(1).says(&["fail MAN-01"]);
}
