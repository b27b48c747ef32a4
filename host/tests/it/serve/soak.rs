//! Two hundred runs at the same time and fifty slow clients: every connected client gets every event byte for byte, and
//! afterwards the host holds no more resources than before.

mod fast_client;
mod slow_client;

use std::collections::HashMap;
use std::sync::Barrier;

use serde_json::{Value, json};

use super::processes::{Resources, eventually, processes_below, zombies_of};
use super::server_process::ServeProcess;
use crate::cli::scratch::Scratch;
use fast_client::{FastClient, checksum_of_journal};
use slow_client::SlowClient;

const CLIENTS: usize = 4;
const RUNS_OF_EACH: usize = 50;
const RUNS: usize = CLIENTS * RUNS_OF_EACH;
/// Runs with more output than all buffers can hold.
const FLOODS: usize = 3;
const FLOOD: &str = "flood 30000";
/// Slow clients that follow one of those.
const FLOODED: usize = 12;
const SLOW_CLIENTS: usize = 50;
/// The memory that one slow client may cost the host.
const MAX_BYTES_PER_SLOW_CLIENT: u64 = 2 * 1024 * 1024;
const SETTINGS: &str = "[limits]\nmaxRuns = 300\nmaxRunsPerAgent = 300\n";

#[test]
fn many_runs_and_slow_clients_lose_nothing() {
    let scratch = Scratch::with_adapter("x", FLOOD);
    scratch.add_demo();
    scratch.write_settings(SETTINGS);
    let host = ServeProcess::start(scratch, &[]);
    warm_up(&host);
    let before = Resources::of(host.pid());

    let barrier = Barrier::new(CLIENTS + 1);
    let (sums, slow, waiting) = std::thread::scope(|scope| {
        let work = || follow_runs(&host, &barrier);
        let clients: Vec<_> = (0..CLIENTS).map(|_| scope.spawn(work)).collect();
        // Every agent waits for an approval, so all runs are active.
        barrier.wait();
        let info = host.call("host/info", json!({})).expect("info");
        assert_eq!((&info["running"], &info["queued"]), (&json!(RUNS), &json!(0)));
        let waiting = Resources::of(host.pid());
        let slow = attach_slow_clients(&host);
        barrier.wait();
        let sums: HashMap<String, String> =
            clients.into_iter().flat_map(|client| client.join().expect("a client")).collect();
        (sums, slow, waiting)
    });
    let stalled = Resources::of(host.pid());
    assert_eq!(sums.len(), RUNS);
    for (run_id, sum) in &sums {
        assert_eq!(*sum, checksum_of_journal(&host, run_id), "run {run_id}");
    }
    let read = read_rest(&host, slow);
    let left = eventually(|| Resources::of(host.pid()), |now| now.is_at_most(before));
    println!("{RUNS} runs, {SLOW_CLIENTS} slow clients ({read} events came late)");
    println!("before {before}\n{RUNS} runs {waiting}\nslow clients {stalled}\nafter {left}");
    assert!(left.is_at_most(before), "before {before}, after {left}");
    let added = stalled.peak_bytes.saturating_sub(waiting.peak_bytes);
    let max_bytes = MAX_BYTES_PER_SLOW_CLIENT * SLOW_CLIENTS as u64;
    assert!(added < max_bytes, "slow clients cost {} MB", added / 1_000_000);
    assert!(zombies_of(host.pid()).is_empty());
    assert_eq!(processes_below(&host.scratch.path("")).len(), 1, "only the host is alive");
}

/// One run of each kind, so that one-time allocations are done.
fn warm_up(host: &ServeProcess) {
    for agent in ["demo", "x"] {
        let run_id = start(host, agent, "a page", false);
        assert_eq!(host.wait_for_end(&run_id)["state"], "completed");
    }
    eventually(|| processes_below(&host.scratch.path("")).len(), |alive| *alive == 1);
}

fn params(host: &ServeProcess, agent: &str, prompt: &str, approvals: bool) -> Value {
    let cwd = host.scratch.path("work");
    let mut task = json!({"cwd": cwd, "prompt": {"text": prompt}});
    if agent == "demo" {
        task["model"] = json!("demo-1-fast");
    }
    json!({"agent": agent, "approvals": approvals, "task": task})
}

fn start(host: &ServeProcess, agent: &str, prompt: &str, approvals: bool) -> String {
    let run = host.call("runs/start", params(host, agent, prompt, approvals)).expect("a run");
    run["runId"].as_str().expect("an id").to_owned()
}

/// One client with fifty runs over one connection; the checksum of each.
fn follow_runs(host: &ServeProcess, barrier: &Barrier) -> Vec<(String, String)> {
    let mut client = FastClient::open(host);
    for number in 0..RUNS_OF_EACH {
        // Different file names, so that runs do not overwrite each other's files.
        let prompt = format!("ask {:?} {number}", std::thread::current().id());
        client.start(&params(host, "demo", &prompt, true));
    }
    client.read_until_all_ask();
    barrier.wait();
    barrier.wait();
    client.answer_all();
    client.read_to_the_end()
}

/// Some follow a flood, the others an agent that waits for an approval; alternately over WebSocket and SSE.
fn attach_slow_clients(host: &ServeProcess) -> Vec<SlowClient<'_>> {
    let floods: Vec<String> = (0..FLOODS).map(|_| start(host, "x", "go", false)).collect();
    let list = host.call("runs/list", json!({"agent": "demo", "limit": RUNS})).expect("runs");
    let asking = list["runs"].as_array().expect("runs").iter();
    let asking = asking.map(|run| run["runId"].as_str().expect("an id").to_owned());
    let watched = floods.into_iter().cycle().take(FLOODED).chain(asking).take(SLOW_CLIENTS);
    watched.enumerate().map(|(number, run_id)| SlowClient::attach(host, run_id, number)).collect()
}

/// Reads after the runs have ended: most clients to the end, some after a reconnect, some never. Returns the number of
/// events.
fn read_rest(host: &ServeProcess, slow: Vec<SlowClient<'_>>) -> u64 {
    let mut count = 0;
    for (number, mut client) in slow.into_iter().enumerate() {
        match number / 2 % 4 {
            0 | 1 => {}
            2 => client.reconnect(),
            // Drops its connection.
            _ => continue,
        }
        let run_id = client.run_id.clone();
        let (sum, events) = client.read_to_the_end();
        assert_eq!(sum, checksum_of_journal(host, &run_id), "slow client {number} of {run_id}");
        count += events;
    }
    count
}
