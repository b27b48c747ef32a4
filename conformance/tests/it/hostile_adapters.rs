//! Hostile adapters: the suite reports results in time and leaves no process.

#![cfg(unix)]

use std::time::{Duration, Instant};

use crate::support::{CommandOutput, conformance, script_plugin};

/// Runs a few checks without a pack on a shell script, with a fifth of the usual time limits.
fn check_script(body: &str, only: &[&str]) -> CommandOutput {
    run_script(body, only, "0.2")
}

fn run_script(body: &str, only: &[&str], patience: &str) -> CommandOutput {
    let folder = tempfile::tempdir().expect("a folder");
    let adapter = script_plugin(folder.path(), body);
    let mut arguments = vec!["run", &adapter, "--patience", patience];
    for id in only {
        arguments.extend(["--only", id]);
    }
    conformance(&arguments)
}

#[test]
fn adapter_that_exits_immediately() {
    let outcome = check_script("exit 0", &["MAN", "HS", "SCH-01"]);
    outcome.exits_with(1).prints(&["fail MAN-01", "the adapter has exited"]);
}

#[test]
fn adapter_that_never_answers() {
    let outcome =
        check_script("trap '' TERM INT HUP; while :; do sleep 1; done", &["MAN-01", "HS-01"]);
    outcome.exits_with(1).prints(&["fail MAN-01", "killed after", "fail HS-01", "still running"]);
}

#[test]
fn adapter_that_prints_endless_noise() {
    let outcome = check_script("exec yes garbage", &["MAN-01", "HS-01", "ENC-05"]);
    outcome.exits_with(1).prints(&["fail ENC-05", "a line that is not JSON"]);
}

#[test]
fn adapter_that_prints_endless_line() {
    // It ends by itself, so the whole output can arrive.
    let outcome = run_script("exec head -c 17500000 /dev/zero", &["HS-01", "ENC-05"], "4");
    outcome.exits_with(1).prints(&["fail HS-01", "fail ENC-05"]);
}

#[test]
fn adapter_that_prints_json_of_wrong_shapes() {
    let body = r#"while read -r line; do
        printf '%s\n' '[]' '7' '{"id":1}' '{"jsonrpc":"2.0","id":1,"error":7}' \
            '{"jsonrpc":"2.0","method":"run/event","params":{"runId":7}}'
    done"#;
    let outcome = check_script(body, &["HS", "SCH-01", "ORD-03"]);
    outcome.exits_with(1).prints(&["fail SCH-01", "fail ORD-03"]);
}

#[test]
fn adapter_whose_orphan_holds_the_pipe() {
    let outcome = check_script("sleep 30 & echo '{}'", &["MAN-01"]);
    outcome.exits_with(1).prints(&["fail MAN-01"]);
}

#[test]
fn adapter_that_prints_binary_data() {
    let outcome = run_script("exec head -c 300000 /dev/urandom", &["HS-01", "ENC-05"], "4");
    outcome.exits_with(1).prints(&["fail HS-01", "fail ENC-05"]);
}

#[test]
fn adapter_that_sends_events_without_run() {
    let body = r#"exec yes '{"jsonrpc":"2.0","method":"run/event","params":{"runId":"x","seq":0,"ts":0,"event":{"type":"heartbeat","silentMs":0}}}'"#;
    let outcome = check_script(body, &["HS-01", "ORD-03"]);
    outcome.exits_with(1).prints(&["fail HS-01", "fail ORD-03"]);
}

#[test]
fn adapter_with_wrong_protocol_version() {
    let body = r#"case "$1" in --manifest) echo '{"adapterId":"script","version":"1.0.0","protocol":{"min":1,"max":1}}'; exit 0 ;; esac
    while read -r line; do
        echo '{"jsonrpc":"2.0","id":1,"result":{"protocol":99,"revision":"9","adapter":{"id":"script","version":"2.0.0","vendor":"x"},"capabilities":{}}}'
    done"#;
    let outcome = check_script(body, &["MAN-01", "MAN-05", "HS-02"]);
    outcome.exits_with(1).prints(&["fail MAN-01", "fail MAN-05", "fail HS-02"]);
}

/// Checks a script whose children are all `sleep SECONDS`; no child may be left.
fn check_family(body: &str, seconds: &str) {
    let body = body.replace("SLEEP", &format!("sleep {seconds}"));
    check_script(&body, &["MAN-01", "HS-01", "SHU-02"]).exits_with(1).prints(&["fail HS-01"]);
    // A killed process may need some time on a busy machine; one that was not killed stays for an hour.
    let deadline = Instant::now() + Duration::from_secs(30);
    let mut left = processes_with(seconds);
    while !left.is_empty() && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(10));
        left = processes_with(seconds);
    }
    assert!(left.is_empty(), "{left:?}");
}

/// The command lines of running processes that contain this text.
fn processes_with(word: &str) -> Vec<String> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let lines = entries.filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok());
    let lines = lines.map(|line| String::from_utf8_lossy(&line).replace('\0', " "));
    lines.filter(|line| line.contains(word)).collect()
}

#[test]
fn adapter_whose_children_leave_their_session() {
    // Forty ordinary children, one that keeps only the folder; then the script waits.
    let body = "for i in $(seq 40); do (setsid SLEEP &) ; done\n\
                (setsid env -i SLEEP &)\nexec SLEEP";
    check_family(body, "3601.25");
}

#[test]
fn adapter_that_closes_pipes_and_stays() {
    check_family("exec <&- >&- 2>&-\nSLEEP", "3602.25");
}

#[test]
fn adapter_that_ignores_polite_signals() {
    check_family("trap '' TERM INT HUP QUIT PIPE\nSLEEP & SLEEP\nexec SLEEP", "3603.25");
}
