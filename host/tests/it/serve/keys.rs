//! Two host processes on one `OD_HOME`, asked with the same key at the same moment, start one run.

use std::sync::{Arc, Barrier};

use serde_json::{Value, json};

use super::stage::ServeProcess;

const KEYS: usize = 6;

#[test]
fn two_processes_that_race_on_a_key_start_one_run() {
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
        assert_ne!(here["existing"], there["existing"], "one of them has started it");
        let run_id = here["runId"].as_str().expect("an id");
        assert_eq!(one.end_of(run_id)["state"], two.end_of(run_id)["state"]);
    }
    let runs = one.call("runs/list", json!({})).expect("a list")["runs"].clone();
    assert_eq!(runs.as_array().map(Vec::len), Some(KEYS));
}
