//! The log of a served host at the highest level, and that it contains no secrets.

use serde_json::{Value, json};

use super::server_process::ServeProcess;
use crate::cli::scratch::Scratch;
use crate::library::stage::block_on;

const SECRET: &str = "plum-7341";

/// All of stderr, after a normal shutdown.
fn stderr_of(mut host: ServeProcess) -> String {
    host.signal(rustix::process::Signal::TERM);
    assert_eq!(host.wait(), Some(0));
    host.log()
}

/// The parsed JSON log.
fn log_of(host: ServeProcess) -> Vec<Value> {
    let text = stderr_of(host);
    let read = |line| serde_json::from_str(line).unwrap_or_else(|_| panic!("not JSON: {line}"));
    text.lines().map(read).collect()
}

fn verbose_host(mode: &str) -> ServeProcess {
    let scratch = Scratch::with_adapter("x", mode);
    ServeProcess::start(scratch, &["-vvv", "--log-format", "json"])
}

fn task(host: &ServeProcess) -> Value {
    let mut task = host.task(&format!("the code is {SECRET}"));
    task["task"]["env"] = json!({"MY_KEY": SECRET});
    task["task"]["prompt"]["system"] = json!(SECRET);
    task
}

#[test]
fn no_transport_logs_secrets() {
    for mode in ["garbage", "env", "crash"] {
        let host = verbose_host(mode);
        let token = host.token.clone();
        let run = host.call("runs/start", task(&host)).expect("a run is queued");
        let run_id = run["runId"].as_str().expect("an id").to_owned();
        assert!(!host.events(&run_id, 0).is_empty());
        host.call("runs/start", json!({"task": {"prompt": {"text": SECRET}}})).expect_err("no cwd");
        host.call(SECRET, json!({})).expect_err("no method");
        let request = format!(
            "POST / HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {SECRET}\r\nConnection: close\r\n\r\n",
            host.address()
        );
        assert!(host.raw(&request).starts_with("HTTP/1.1 401"));
        block_on(async { drop(host.websocket().await) });
        let log = log_of(host);
        for line in &log {
            let text = line.to_string();
            assert!(!text.contains(SECRET) && !text.contains(&token), "{mode}: {text}");
        }
        for expected in ["run ended", "call answered", "refused a request"] {
            assert!(log.iter().any(|line| line["message"] == expected), "{expected}: {log:#?}");
        }
    }
}

#[test]
fn log_lines_name_run_or_call() {
    let host = verbose_host("good");
    let run_id = host.start_run("go");
    host.events(&run_id, 0);
    let log = log_of(host);
    let find = |message: &str| {
        let found = log.iter().find(|line| line["message"] == message);
        found.unwrap_or_else(|| panic!("no {message:?} in {log:#?}"))
    };
    let ended = find("run ended");
    assert_eq!((&ended["spans"][0]["id"], &ended["agent"]), (&json!(run_id), &json!("x")));
    assert_eq!(ended["status"], "completed");
    let answered = find("call answered");
    assert_eq!(answered["spans"][0]["method"], "runs/start");
    assert!(
        answered["spans"][0]["client"].as_str().is_some_and(|client| client.starts_with("http"))
    );
    assert_eq!(answered["outcome"], "ok");
}

#[test]
fn service_logs_each_run_by_default() {
    let host = ServeProcess::with_adapter("x", "good");
    let run_id = host.start_run("go");
    host.events(&run_id, 0);
    let text = stderr_of(host);
    let lines: Vec<&str> = text.lines().filter(|line| line.contains(&run_id)).collect();
    assert_eq!(lines.len(), 2, "{text}");
    assert!(lines[0].contains("run started") && lines[1].contains("run ended"), "{text}");
}
