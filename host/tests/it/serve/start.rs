//! How `od-host serve` starts and stops.

use std::os::unix::fs::PermissionsExt;

use rustix::process::Signal;
use serde_json::json;

use super::processes::eventually;
use super::stage::{ServeProcess, kind};
use super::websocket::{attach, collect};
use crate::cli::scratch::Scratch;
use crate::library::stage::block_on;

#[test]
fn what_cannot_work_is_refused_with_the_fix() {
    let scratch = Scratch::new();
    let refused = |arguments: &[&str], error: &str, hint: &str| {
        scratch.od_host(&[&["serve"], arguments].concat()).fails_with(2, error, hint);
    };
    refused(&["--bind", "0.0.0.0:0"], "can be reached from outside", "--tls-cert FILE");
    refused(&["--bind", "nonsense"], "no address to listen at", "127.0.0.1:7456");
    refused(
        &["--bind", "127.0.0.1:0", "--allow-origin", "*"],
        "is no origin",
        "http://localhost:5173",
    );
    refused(&["--bind", "127.0.0.1:0", "--allow-host", "a b"], "is no host name", "name:port");
    refused(&["--root", "/nowhere/at/all"], "cannot be a root", "--root DIR");
    let files = ["--bind", "0.0.0.0:0", "--tls-cert", "/nowhere.pem", "--tls-key", "/nowhere.key"];
    refused(&files, "--tls-cert: cannot use /nowhere.pem", "PEM");
}

#[test]
fn a_token_that_others_can_read_is_refused() {
    let scratch = Scratch::new();
    let token = scratch.path("od/token");
    std::fs::write(&token, "0123456789abcdef0123456789abcdef\n").expect("a token");
    std::fs::set_permissions(&token, PermissionsExt::from_mode(0o644)).expect("a mode");
    let finished = scratch.od_host(&["serve", "--bind", "127.0.0.1:0"]);
    finished.fails_with(2, "others can use the token", "chmod 600");
}

#[test]
fn a_signal_ends_the_runs_and_their_watchers_see_the_end() {
    let scratch = Scratch::with_adapter("x", "waits");
    let mut host = ServeProcess::start(scratch, &["--drain", "0"]);
    let run = host.start_run("go");
    let mut watching = host.watch(&run);
    assert!(watching.any(|line| line.contains("\"waiting\"")), "it goes on");
    host.signal(Signal::TERM);
    let last = watching.filter(|line| line.starts_with("data: ")).last().expect("an end");
    assert!(last.contains("\"done\"") && last.contains("\"cancelled\""), "{last}");
    assert_eq!(host.wait(), Some(0));
}

#[test]
fn a_websocket_gets_the_last_events_before_it_is_closed() {
    let mut host = ServeProcess::start(Scratch::with_adapter("x", "waits"), &["--drain", "0"]);
    let run = host.start_run("go");
    block_on(async {
        let client = host.websocket().await;
        let mut subscription = attach(&client, &run, 0).await;
        assert!(subscription.next().await.is_some(), "it goes on");
        host.signal(Signal::TERM);
        let events = collect(subscription).await;
        assert_eq!(events.last().expect("an end")["event"]["status"], "cancelled");
        client.on_disconnect().await;
    });
    assert_eq!(host.wait(), Some(0));
}

#[test]
fn a_second_signal_does_not_wait() {
    let scratch = Scratch::with_adapter("x", "waits");
    let mut host = ServeProcess::start(scratch, &["--drain", "100000"]);
    let run = host.start_run("go");
    host.signal(Signal::INT);
    // It still answers while it drains, but takes no more runs.
    let refused = std::iter::repeat_with(|| host.call("runs/start", host.task("again")))
        .find_map(Result::err)
        .expect("it drains");
    assert_eq!(kind(&refused), "shutting_down");
    assert_eq!(host.call("host/info", json!({})).expect("info")["draining"], true);
    let watching = host.watch(&run);
    let mut watching = watching.skip_while(|line| !line.contains("run_started"));
    assert!(watching.next().is_some(), "it goes on");
    host.signal(Signal::INT);
    assert!(watching.any(|line| line.contains("\"cancelled\"")), "its end");
    assert_eq!(host.wait(), Some(0));
}

#[test]
fn a_client_may_end_it() {
    let mut host = ServeProcess::with_adapter("x", "waits");
    let run = host.start_run("go");
    let answer = host.call("host/shutdown", json!({})).expect("it ends");
    assert_eq!(answer["runs"], 1);
    let journal = host.scratch.path("od/runs").join(run).join("events.jsonl");
    assert_eq!(host.wait(), Some(0));
    let text = std::fs::read_to_string(journal).expect("a journal");
    assert!(text.trim_end().lines().last().is_some_and(|line| line.contains("\"done\"")), "{text}");
}

#[test]
fn a_hang_up_looks_at_the_agents_again() {
    let host = ServeProcess::with_adapter("x", "good");
    host.signal(Signal::HUP);
    let log = eventually(|| host.log(), |log| log.contains("looked at again"));
    assert!(log.contains("looked at again"), "{log}");
}
