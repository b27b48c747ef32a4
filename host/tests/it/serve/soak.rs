//! Two hundred runs at the same time and fifty clients that do not keep up: every event of every run arrives at
//! everybody who still listens, byte for byte, and afterwards the host holds no more than before.

mod reader;
mod slow;

use std::collections::HashMap;
use std::sync::Barrier;

use serde_json::{Value, json};

use super::processes::{Holdings, eventually, processes_below, zombies_of};
use super::stage::ServeProcess;
use crate::cli::scratch::Scratch;
use reader::{FastClient, checksum_of_journal};
use slow::SlowClient;

const CLIENTS: usize = 4;
const RUNS_OF_EACH: usize = 50;
const RUNS: usize = CLIENTS * RUNS_OF_EACH;
/// Runs that say more than the buffers on the way can hold.
const FLOODS: usize = 3;
const FLOOD: &str = "flood 30000";
/// Slow clients that watch one of those.
const FLOODED: usize = 12;
const SLOW_CLIENTS: usize = 50;
/// What one slow client may cost the host, with everything that it sets in motion.
const MOST_OF_A_SLOW_CLIENT: u64 = 2 * 1024 * 1024;
const SETTINGS: &str = "[limits]\nmaxRuns = 300\nmaxRunsPerAgent = 300\n";

#[test]
fn two_hundred_runs_and_fifty_slow_clients_lose_nothing() {
    let scratch = Scratch::with_adapter("x", FLOOD);
    scratch.add_demo();
    std::fs::write(scratch.path("od/settings.toml"), SETTINGS).expect("settings");
    let host = ServeProcess::start(scratch, &[]);
    warm_up(&host);
    let before = Holdings::of(host.pid());

    let barrier = Barrier::new(CLIENTS + 1);
    let (sums, slow, waiting) = std::thread::scope(|scope| {
        let work = || watch_runs(&host, &barrier);
        let clients: Vec<_> = (0..CLIENTS).map(|_| scope.spawn(work)).collect();
        // Every agent asks, so all of them are there.
        barrier.wait();
        let info = host.call("host/info", json!({})).expect("info");
        assert_eq!((&info["running"], &info["queued"]), (&json!(RUNS), &json!(0)));
        let waiting = Holdings::of(host.pid());
        let slow = attach_slow_clients(&host);
        barrier.wait();
        let sums: HashMap<String, String> =
            clients.into_iter().flat_map(|client| client.join().expect("a client")).collect();
        (sums, slow, waiting)
    });
    let stalled = Holdings::of(host.pid());
    assert_eq!(sums.len(), RUNS);
    for (run_id, sum) in &sums {
        assert_eq!(*sum, checksum_of_journal(&host, run_id), "run {run_id}");
    }
    let read = read_on(&host, slow);
    let left = eventually(|| Holdings::of(host.pid()), |now| now.are_as_few_as(before));
    println!("{RUNS} runs, {SLOW_CLIENTS} slow clients ({read} events came late)");
    println!("before {before}\n{RUNS} runs {waiting}\nslow clients {stalled}\nafter {left}");
    assert!(left.are_as_few_as(before), "before {before}, after {left}");
    let added = stalled.peak_bytes.saturating_sub(waiting.peak_bytes);
    let most = MOST_OF_A_SLOW_CLIENT * SLOW_CLIENTS as u64;
    assert!(added < most, "slow clients cost {} MB", added / 1_000_000);
    assert!(zombies_of(host.pid()).is_empty());
    assert_eq!(processes_below(&host.scratch.path("")).len(), 1, "only the host is alive");
}

/// One run of each kind, so that what a host makes once is made.
fn warm_up(host: &ServeProcess) {
    for agent in ["demo", "x"] {
        let run_id = start(host, agent, "a page", false);
        assert_eq!(host.end_of(&run_id)["state"], "completed");
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

/// One client with fifty runs over one connection: what it saw of each.
fn watch_runs(host: &ServeProcess, barrier: &Barrier) -> Vec<(String, String)> {
    let mut client = FastClient::open(host);
    for number in 0..RUNS_OF_EACH {
        // Files of their own, or they would write over each other's.
        let prompt = format!("ask {:?} {number}", std::thread::current().id());
        client.start(&params(host, "demo", &prompt, true));
    }
    client.read_until_all_ask();
    barrier.wait();
    barrier.wait();
    client.answer_all();
    client.read_to_the_end()
}

/// Some watch a flood, the others an agent that asks; by turns over WebSocket and as server-sent events.
fn attach_slow_clients(host: &ServeProcess) -> Vec<SlowClient<'_>> {
    let floods: Vec<String> = (0..FLOODS).map(|_| start(host, "x", "go", false)).collect();
    let list = host.call("runs/list", json!({"agent": "demo", "limit": RUNS})).expect("runs");
    let asking = list["runs"].as_array().expect("runs").iter();
    let asking = asking.map(|run| run["runId"].as_str().expect("an id").to_owned());
    let watched = floods.into_iter().cycle().take(FLOODED).chain(asking).take(SLOW_CLIENTS);
    watched.enumerate().map(|(number, run_id)| SlowClient::attach(host, run_id, number)).collect()
}

/// Their runs are over, and now they read: most of them to the end, some after they were away, some never again.
/// How many events that were.
fn read_on(host: &ServeProcess, slow: Vec<SlowClient<'_>>) -> u64 {
    let mut count = 0;
    for (number, mut client) in slow.into_iter().enumerate() {
        match number / 2 % 4 {
            0 | 1 => {}
            2 => client.come_back(),
            // Its connection just ends.
            _ => continue,
        }
        let run_id = client.run_id.clone();
        let (sum, events) = client.read_to_the_end();
        assert_eq!(sum, checksum_of_journal(host, &run_id), "slow client {number} of {run_id}");
        count += events;
    }
    count
}
