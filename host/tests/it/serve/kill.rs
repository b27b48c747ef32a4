//! `kill -9` of host, adapter and agent CLI at random times: no process survives, every journal is complete, every
//! run has an end after a restart. `OD_KILL_SEED` repeats the times of an earlier test as closely as the machine
//! allows.

use std::collections::BTreeMap;
use std::io::Write;
use std::net::TcpStream;
use std::path::Path;
use std::time::Duration;

use od_protocol::{Event, RunEventParams};
use rustix::process::Signal;
use serde_json::{Value, json};

use super::processes::{Process, Role, eventually, processes_below, zombies_of};
use super::server_process::ServeProcess;
use crate::cli::scratch::Scratch;
use crate::library::stage::{assert_numbered, example};

const KILLS: usize = 100;
/// Runs at the same time; one of them is queued.
const RUNS: u64 = 5;
const ACTIVE_RUNS: u64 = 4;
/// A run of about a third of a second.
const SHORT_PROMPT: &str = "say 250";
/// A run that does not end by itself, with a child without our environment variables.
const ENDLESS_PROMPT: &str = "bare, say 1000000";
/// The maximum pause before a kill, in milliseconds.
const MAX_PAUSE_MS: u64 = 60;

#[test]
fn random_kills_leave_no_process_or_open_run() {
    let mut random = Random::from_environment();
    let mut machine = Machine::open();
    let mut killed: BTreeMap<Role, usize> = BTreeMap::new();
    while killed.values().sum::<usize>() < KILLS {
        machine.start_runs();
        std::thread::sleep(Duration::from_millis(random.below(MAX_PAUSE_MS)));
        let role = random.role();
        if role == Role::Host {
            machine.kill_host(random.below(2) == 0);
        } else if !machine.kill_one(role, &mut random) {
            // It has just ended by itself.
            continue;
        }
        *killed.entry(role).or_default() += 1;
    }
    machine.wait_for_runs();
    let zombies = eventually(|| zombies_of(machine.host.pid()), Vec::is_empty);
    assert!(zombies.is_empty(), "zombies of the host: {zombies:?}");
    let orphans = eventually(|| machine.orphans(), Vec::is_empty);
    assert_eq!(orphans, [], "no process outlives its run");
    machine.kill_host(false);
    let ends = machine.check_runs();
    println!("killed {killed:?}; {} runs ended as {ends:?}", machine.started.len());
    machine.host.call("usage/summary", json!({})).expect("the ledger can be read");
}

#[test]
fn killed_host_leaves_no_process() {
    let mut machine = Machine::open();
    let runs: Vec<String> = (0..ACTIVE_RUNS).map(|_| machine.start(ENDLESS_PROMPT)).collect();
    let whole_families = |processes: &Vec<Process>| {
        processes.iter().filter(|process| process.role == Role::Child).count() == runs.len()
    };
    let alive = eventually(|| processes_below(&machine.root()), whole_families);
    assert_eq!(alive.len(), 1 + 3 * runs.len(), "{alive:?}");
    machine.host.kill();
    let left = eventually(|| processes_below(&machine.root()), Vec::is_empty);
    assert_eq!(left, [], "no other host has stopped them");
    machine.host.restart();
    assert_eq!(machine.check_runs(), BTreeMap::from([("_od.host_died".to_owned(), runs.len())]));
}

#[test]
fn next_host_stops_orphans_of_killed_adapter() {
    let mut machine = Machine::open();
    machine.start("say 1000000");
    let alive = || processes_below(&machine.root());
    let alive = eventually(alive, |alive| alive.iter().any(|one| one.role == Role::Child));
    // A stopped host cannot clean up after the adapter.
    machine.host.signal(Signal::STOP);
    for process in alive.iter().filter(|process| process.role == Role::Adapter) {
        assert!(process.kill());
    }
    machine.kill_host(false);
    assert_eq!(machine.check_runs(), BTreeMap::from([("_od.host_died".to_owned(), 1)]));
}

/// A host in a scratch home and its runs.
struct Machine {
    host: ServeProcess,
    /// Runs whose start got a reply.
    started: Vec<String>,
}

impl Machine {
    fn open() -> Self {
        let scratch = Scratch::new();
        scratch.add_demo();
        let cli = scratch.path("bin/agent-cli");
        std::fs::copy(example("agent_cli"), &cli).expect("an agent CLI");
        let cli = cli.display().to_string();
        let settings = format!("[agents.demo]\ncliPath = {cli:?}\nmaxRuns = {ACTIVE_RUNS}\n");
        scratch.write_settings(&settings);
        Self { host: ServeProcess::start(scratch, &[]), started: Vec::new() }
    }

    fn root(&self) -> std::path::PathBuf {
        self.host.scratch.path("")
    }

    fn task(&self, prompt: &str) -> Value {
        let cwd = self.host.scratch.path("work");
        json!({"agent": "demo", "task": {"cwd": cwd, "prompt": {"text": prompt}}})
    }

    fn start(&mut self, prompt: &str) -> String {
        let run = self.host.call("runs/start", self.task(prompt)).expect("a run");
        let run_id = run["runId"].as_str().expect("an id").to_owned();
        self.started.push(run_id.clone());
        run_id
    }

    fn start_runs(&mut self) {
        let info = self.host.call("host/info", json!({})).expect("info");
        let count = |name: &str| info[name].as_u64().expect("a number");
        for _ in count("running") + count("queued")..RUNS {
            self.start(SHORT_PROMPT);
        }
    }

    /// Kills a process of this role; false when there is none.
    fn kill_one(&self, role: Role, random: &mut Random) -> bool {
        let processes = processes_below(&self.root());
        let fitting: Vec<&Process> =
            processes.iter().filter(|process| process.role == role).collect();
        match fitting.len() {
            0 => false,
            count => fitting[random.below(count as u64) as usize].kill(),
        }
    }

    /// Kills the host, optionally during a call, and starts the next one. Checks that its processes end.
    fn kill_host(&mut self, while_it_starts_a_run: bool) {
        let call = while_it_starts_a_run.then(|| self.send_start());
        self.host.kill();
        drop(call);
        self.host.restart();
        let orphans = eventually(|| self.orphans(), Vec::is_empty);
        assert_eq!(orphans, [], "no process outlives the host");
    }

    /// Sends a call without waiting for the reply.
    fn send_start(&self) -> TcpStream {
        let params = self.task(SHORT_PROMPT);
        let call = json!({"jsonrpc": "2.0", "id": 1, "method": "runs/start", "params": params});
        let body = call.to_string();
        let mut stream = self.host.stream();
        let request = format!(
            "POST / HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            self.host.address(),
            self.host.token,
            body.len()
        );
        stream.write_all(request.as_bytes()).expect("the host listens");
        stream
    }

    fn wait_for_runs(&self) {
        for run_id in &self.started {
            self.host.wait_for_end(run_id);
        }
    }

    /// The processes other than the host.
    fn orphans(&self) -> Vec<Process> {
        let mut processes = processes_below(&self.root());
        processes.retain(|process| process.role != Role::Host);
        processes
    }

    /// Checks that every run has ended with a complete journal; counts the outcomes.
    fn check_runs(&self) -> BTreeMap<String, usize> {
        let mut ends: BTreeMap<String, usize> = BTreeMap::new();
        for run_id in &self.started {
            let info = self.host.call("runs/get", json!({"runId": run_id})).expect("a run");
            let state = info["state"].as_str().expect("a state");
            assert!(!["queued", "running"].contains(&state), "{info}");
            let end = info["errorKind"].as_str().unwrap_or(state);
            *ends.entry(end.to_owned()).or_default() += 1;
        }
        let folders = std::fs::read_dir(self.host.scratch.path("od/runs")).expect("runs");
        for folder in folders.map(|entry| entry.expect("a run").path()) {
            // Without a record the host died before it could reply with the run's id.
            if folder.join("run.json").exists() {
                check_journal(&folder.join("events.jsonl"));
            } else {
                let name = folder.file_name().and_then(|name| name.to_str()).unwrap_or_default();
                assert!(!self.started.iter().any(|run_id| run_id == name), "{name} has no record");
            }
        }
        ends
    }
}

fn check_journal(path: &Path) {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| {
        panic!("{}: {error}", path.display());
    });
    assert!(text.ends_with('\n'), "{} ends in the middle of a line", path.display());
    let events: Vec<RunEventParams> = text
        .lines()
        .map(|line| {
            serde_json::from_str(line).unwrap_or_else(|error| {
                panic!("{}: {error}: {line}", path.display());
            })
        })
        .collect();
    assert_numbered(&events);
    assert!(matches!(events.last().map(|last| &last.event), Some(Event::Done(_))), "{text}");
}

/// Repeatable pseudo-random numbers (xorshift).
struct Random(u64);

impl Random {
    fn from_environment() -> Self {
        let now = std::time::SystemTime::UNIX_EPOCH.elapsed().expect("a clock").as_nanos() as u64;
        let given = std::env::var("OD_KILL_SEED").ok().and_then(|seed| seed.parse().ok());
        let seed = given.unwrap_or(now).max(1);
        println!("OD_KILL_SEED={seed}");
        Self(seed)
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }

    /// Adapters and agent CLIs more often than the host.
    fn role(&mut self) -> Role {
        match self.below(8) {
            0 | 1 => Role::Host,
            2..=4 => Role::Adapter,
            _ => Role::AgentCli,
        }
    }
}
