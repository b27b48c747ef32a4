//! How `od-host serve` starts and stops.

use std::os::unix::fs::PermissionsExt;

use rustix::process::Signal;
use serde_json::json;

use super::processes::eventually;
use super::server_process::{ServeProcess, kind};
use super::websocket::{attach, collect};
use crate::cli::scratch::Scratch;
use crate::library::stage::block_on;

#[test]
fn invalid_options_are_refused_with_hint() {
    let scratch = Scratch::new();
    let refused = |arguments: &[&str], error: &str, hint: &str| {
        scratch.od_host(&[&["serve"], arguments].concat()).fails_with(2, error, hint);
    };
    refused(&["--bind", "0.0.0.0:0"], "is reachable from other machines", "--tls-cert FILE");
    refused(&["--bind", "nonsense"], "is not an address to listen on", "127.0.0.1:7456");
    refused(
        &["--bind", "127.0.0.1:0", "--allow-origin", "*"],
        "is not an origin",
        "http://localhost:5173",
    );
    refused(&["--bind", "127.0.0.1:0", "--allow-host", "a b"], "is not a host name", "name:port");
    refused(&["--root", "/nowhere/at/all"], "cannot use /nowhere/at/all as a root", "--root DIR");
    let files = ["--bind", "0.0.0.0:0", "--tls-cert", "/nowhere.pem", "--tls-key", "/nowhere.key"];
    refused(&files, "--tls-cert: cannot use /nowhere.pem", "PEM");
}

#[test]
fn readable_token_is_refused() {
    let scratch = Scratch::new();
    let token = scratch.path("od/token");
    std::fs::write(&token, "0123456789abcdef0123456789abcdef\n").expect("a token");
    std::fs::set_permissions(&token, PermissionsExt::from_mode(0o644)).expect("a mode");
    let finished = scratch.od_host(&["serve", "--bind", "127.0.0.1:0"]);
    finished.fails_with(2, "other users can read the token", "chmod 600");
}

#[test]
fn subscribers_see_end_after_signal() {
    let scratch = Scratch::with_adapter("x", "waits");
    let mut host = ServeProcess::start(scratch, &["--drain", "0"]);
    let run = host.start_run("go");
    let mut stream = host.follow(&run);
    assert!(stream.any(|line| line.contains("\"waiting\"")), "it is active");
    host.signal(Signal::TERM);
    let last = stream.filter(|line| line.starts_with("data: ")).last().expect("an end");
    assert!(last.contains("\"done\"") && last.contains("\"cancelled\""), "{last}");
    assert_eq!(host.wait(), Some(0));
}

#[test]
fn websocket_gets_last_events_before_close() {
    let mut host = ServeProcess::start(Scratch::with_adapter("x", "waits"), &["--drain", "0"]);
    let run = host.start_run("go");
    block_on(async {
        let client = host.websocket().await;
        let mut subscription = attach(&client, &run, 0).await;
        assert!(subscription.next().await.is_some(), "it is active");
        host.signal(Signal::TERM);
        let events = collect(subscription).await;
        assert_eq!(events.last().expect("an end")["event"]["status"], "cancelled");
        client.on_disconnect().await;
    });
    assert_eq!(host.wait(), Some(0));
}

#[test]
fn second_signal_skips_drain() {
    let scratch = Scratch::with_adapter("x", "waits");
    let mut host = ServeProcess::start(scratch, &["--drain", "100000"]);
    let run = host.start_run("go");
    host.signal(Signal::INT);
    // While it drains, it answers calls but starts no runs.
    let refused = std::iter::repeat_with(|| host.call("runs/start", host.task("again")))
        .find_map(Result::err)
        .expect("it drains");
    assert_eq!(kind(&refused), "shutting_down");
    assert_eq!(host.call("host/info", json!({})).expect("info")["draining"], true);
    let stream = host.follow(&run);
    let mut stream = stream.skip_while(|line| !line.contains("run_started"));
    assert!(stream.next().is_some(), "it is active");
    host.signal(Signal::INT);
    assert!(stream.any(|line| line.contains("\"cancelled\"")), "its end");
    assert_eq!(host.wait(), Some(0));
}

#[test]
fn client_may_shut_down_host() {
    let mut host = ServeProcess::with_adapter("x", "waits");
    let run = host.start_run("go");
    let answer = host.call("host/shutdown", json!({})).expect("a reply");
    assert_eq!(answer["runs"], 1);
    let journal = host.scratch.path("od/runs").join(run).join("events.jsonl");
    assert_eq!(host.wait(), Some(0));
    let text = std::fs::read_to_string(journal).expect("a journal");
    assert!(text.trim_end().lines().last().is_some_and(|line| line.contains("\"done\"")), "{text}");
}

#[test]
fn sighup_detects_agents_again() {
    let host = ServeProcess::with_adapter("x", "good");
    host.signal(Signal::HUP);
    let log = eventually(|| host.log(), |log| log.contains("detected the agents again"));
    assert!(log.contains("detected the agents again"), "{log}");
}
