//! Two hosts on one `OD_HOME` that get the same key at the same time start one run.

use std::sync::{Arc, Barrier};

use serde_json::{Value, json};

use super::server_process::ServeProcess;

const KEYS: usize = 6;

#[test]
fn same_key_in_two_hosts_starts_one_run() {
    let one = ServeProcess::with_adapter("x", "good");
    let two = ServeProcess::start(Arc::clone(&one.scratch), &[]);
    let together = Barrier::new(2);
    let start_all = |host: &ServeProcess| -> Vec<Value> {
        let start = |number: usize| {
            let mut params = host.task("go");
            params["key"] = json!(format!("key {number}"));
            together.wait();
            host.call("runs/start", params).expect("a run")
        };
        (0..KEYS).map(start).collect()
    };
    let (by_one, by_two) = std::thread::scope(|scope| {
        let by_two = scope.spawn(|| start_all(&two));
        (start_all(&one), by_two.join().expect("no panic"))
    });
    for (here, there) in by_one.iter().zip(&by_two) {
        assert_eq!(here["runId"], there["runId"]);
        assert_ne!(here["existing"], there["existing"], "exactly one of them started it");
        let run_id = here["runId"].as_str().expect("an id");
        assert_eq!(one.wait_for_end(run_id)["state"], two.wait_for_end(run_id)["state"]);
    }
    let runs = one.call("runs/list", json!({})).expect("a list")["runs"].clone();
    assert_eq!(runs.as_array().map(Vec::len), Some(KEYS));
}
