//! Misbehaving adapters of a served host: their runs end with typed errors, other runs are not affected, the host
//! lives, and no zombie is left.

use serde_json::{Value, json};

use super::processes::{Role, eventually, processes_below, zombies_of};
use super::server_process::{ServeProcess, numbers};
use crate::cli::scratch::Scratch;

const NEIGHBOUR: &str = "neighbour";

/// How an adapter misbehaves, and the outcome of its run.
const CASES: [(&str, &str, &str); 10] = [
    ("crash", "failed", "plugin_crashed"),
    ("closes_output", "failed", "plugin_crashed"),
    ("dies_at_start", "failed", "plugin_crashed"),
    ("malformed_error", "failed", "internal"),
    ("hang", "failed", "plugin_hung"),
    ("flood 20000", "completed", ""),
    // Lines that are not events of the run are counted and ignored.
    ("garbage", "completed", ""),
    ("violates long_line", "failed", "_od.plugin_protocol"),
    ("violates stale_done", "failed", "_od.plugin_protocol"),
    ("violates bad_done", "failed", "_od.plugin_protocol"),
];

#[test]
fn bad_adapters_do_not_affect_others() {
    let scratch = Scratch::with_adapter(NEIGHBOUR, "waits");
    for (index, (mode, ..)) in CASES.iter().enumerate() {
        scratch.add_adapter(&format!("bad-{index}"), mode);
    }
    let host = ServeProcess::start(scratch, &[]);
    let neighbour = start(&host, NEIGHBOUR);
    std::thread::scope(|scope| {
        for (index, case) in CASES.iter().enumerate() {
            let host = &host;
            scope.spawn(move || check_case(host, &format!("bad-{index}"), *case));
        }
    });
    let zombies = eventually(|| zombies_of(host.pid()), Vec::is_empty);
    assert!(zombies.is_empty(), "{zombies:?}");
    let adapters = || {
        let mut processes = processes_below(&host.scratch.path(""));
        processes.retain(|process| process.role == Role::Adapter);
        processes
    };
    let alive = eventually(adapters, |adapters| adapters.len() == 1);
    assert!(alive.len() == 1 && alive[0].arguments.contains(NEIGHBOUR), "{alive:?}");

    for text in ["are you well?", "finish"] {
        host.call("runs/input", json!({"runId": neighbour, "text": text}))
            .expect("the host listens");
    }
    let events = host.events(&neighbour, 0);
    let types: Vec<&Value> = events.iter().map(|event| &event["event"]["type"]).collect();
    assert_eq!(types, ["run_started", "text_delta", "user_message", "user_message", "done"]);
    assert_eq!(events[4]["event"]["status"], "completed");
}

fn start(host: &ServeProcess, agent: &str) -> String {
    let cwd = host.scratch.path("work");
    let params = json!({"agent": agent, "task": {"cwd": cwd, "prompt": {"text": "go"}}});
    let run = host.call("runs/start", params).expect("a run");
    run["runId"].as_str().expect("an id").to_owned()
}

fn check_case(host: &ServeProcess, agent: &str, (mode, status, error_kind): (&str, &str, &str)) {
    let run_id = start(host, agent);
    let events = host.events(&run_id, 0);
    let last = &events.last().expect("an end")["event"];
    let (ended, kind) = (&last["status"], last["errorKind"].as_str().unwrap_or_default());
    assert_eq!((ended, kind), (&json!(status), error_kind), "{mode}: {last}");
    assert_eq!(numbers(&events), (0..events.len() as u64).collect::<Vec<_>>(), "{mode}");
    if status == "failed" {
        let error = &events[events.len() - 2]["event"];
        assert!(error["message"].is_string() && error["hint"].is_string(), "{mode}: {error}");
    }
    assert_eq!(host.wait_for_end(&run_id)["state"], json!(status), "{mode}");
    // The next run of the same agent gets a new adapter process.
    if mode == "crash" {
        assert_eq!(host.events(&start(host, agent), 0).len(), events.len());
    }
}
