//! Adapters that hang during detection: they end with their host, and the next host finds those of a killed host.

use std::process::{Child, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use super::processes::{Process, Role, eventually, processes_below};
use super::server_process::ServeProcess;
use crate::cli::scratch::Scratch;
use crate::library::stage::set_mode;

/// How it hangs, and with which argument it was started.
const HANGS: [(&str, &str); 3] =
    [("slow_manifest", "--manifest"), ("silent", "--stdio"), ("hangs_in_detect", "--stdio")];

fn adapters(scratch: &Scratch) -> Vec<Process> {
    let mut processes = processes_below(&scratch.path(""));
    processes.retain(|process| process.role == Role::Adapter);
    processes
}

/// Waits until the adapter hangs. The host gives up after a few seconds, so the test must act before.
fn wait_for(scratch: &Scratch, argument: &str) {
    let hangs = |alive: &Vec<Process>| alive.iter().any(|one| one.arguments.contains(argument));
    let alive = eventually(|| adapters(scratch), hangs);
    assert!(hangs(&alive), "{alive:?}");
}

/// A host that detects a hanging adapter.
fn detecting(mode: &str, argument: &str) -> ServeProcess {
    let host = ServeProcess::with_adapter("x", mode);
    let call =
        json!({"jsonrpc": "2.0", "id": 1, "method": "agents/list", "params": {}}).to_string();
    let request = format!(
        "POST / HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\n\r\n{call}",
        host.address(),
        host.token,
        call.len()
    );
    let mut stream = host.stream();
    std::io::Write::write_all(&mut stream, request.as_bytes()).expect("the host listens");
    wait_for(&host.scratch, argument);
    host
}

#[test]
fn stopped_host_stops_hanging_adapters() {
    for (mode, argument) in HANGS {
        let mut host = detecting(mode, argument);
        host.signal(Signal::TERM);
        assert_eq!(host.wait(), Some(0));
        assert_eq!(adapters(&host.scratch), [], "{mode}");
    }
}

#[test]
fn stopped_command_stops_hanging_adapters() {
    for (mode, argument) in HANGS {
        let scratch = Scratch::with_adapter("x", mode);
        let mut child: Child = scratch
            .command(&["agents"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("od-host starts");
        wait_for(&scratch, argument);
        kill_process(Pid::from_child(&child), Signal::INT).expect("a signal");
        assert_eq!(child.wait().expect("an end").code(), Some(130), "{mode}");
        assert_eq!(adapters(&scratch), [], "{mode}");
    }
}

#[test]
fn next_host_stops_adapters_of_killed_host() {
    let mut host = detecting("hangs_in_detect", "--stdio");
    // Before this it would still notice that its stdin is closed.
    let asked = host.scratch.path("adapters/od-adapter-x.count");
    assert!(eventually(|| asked.exists(), |asked| *asked));
    host.kill();
    let alive = adapters(&host.scratch);
    assert_eq!(alive.len(), 1, "it does not notice the end of its host: {alive:?}");
    set_mode(&host.scratch.path("adapters/od-adapter-x"), "good");
    let found = host.scratch.od_host(&["doctor", "--json"]).exits_with(0);
    let checks: Vec<Value> = serde_json::from_str(&found.stdout).expect("JSON");
    let left = checks.iter().find(|check| check["name"] == "processes.left");
    let left = left.unwrap_or_else(|| panic!("nothing is left in {}", found.stdout));
    assert_eq!(left["fix"], format!("kill {}", alive[0].pid));
    host.restart();
    assert_eq!(eventually(|| adapters(&host.scratch), Vec::is_empty), []);
}
