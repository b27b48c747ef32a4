//! `kill -9` of host, adapter and agent CLI at random moments: nothing of ours stays alive, every journal is whole,
//! every run has an end after a restart. `OD_KILL_SEED` repeats the moments of an earlier test as well as a busy
//! machine lets it.

use std::collections::BTreeMap;
use std::io::Write;
use std::net::TcpStream;
use std::path::Path;
use std::time::Duration;

use od_protocol::{Event, RunEventParams};
use rustix::process::Signal;
use serde_json::{Value, json};

use super::processes::{Process, Role, eventually, processes_below, zombies_of};
use super::stage::ServeProcess;
use crate::cli::scratch::Scratch;
use crate::library::stage::{assert_numbered, example};

const KILLS: usize = 100;
/// Runs at the same time: one of them waits for the others.
const RUNS: u64 = 5;
const GOING_ON: u64 = 4;
/// A run of about a third of a second.
const SHORT: &str = "say 250";
/// A run that does not end by itself, with a child that bears no mark of it.
const LONG: &str = "bare, say 1000000";
/// No kill waits longer for its moment, in milliseconds.
const LONGEST_PAUSE: u64 = 60;

#[test]
fn whatever_is_killed_nothing_is_left_and_every_run_has_an_end() {
    let mut chance = Chance::from_environment();
    let mut field = Field::open();
    let mut killed: BTreeMap<Role, usize> = BTreeMap::new();
    while killed.values().sum::<usize>() < KILLS {
        field.start_runs();
        std::thread::sleep(Duration::from_millis(chance.below(LONGEST_PAUSE)));
        let role = chance.role();
        if role == Role::Host {
            field.kill_host(chance.below(2) == 0);
        } else if !field.kill_one(role, &mut chance) {
            // It has ended by itself meanwhile.
            continue;
        }
        *killed.entry(role).or_default() += 1;
    }
    field.wait_for_runs();
    let zombies = eventually(|| zombies_of(field.host.pid()), Vec::is_empty);
    assert!(zombies.is_empty(), "dead children of the host: {zombies:?}");
    let strays = eventually(|| field.strays(), Vec::is_empty);
    assert_eq!(strays, [], "nothing outlives its run");
    field.kill_host(false);
    let ends = field.check_runs();
    println!("killed {killed:?}; {} runs ended as {ends:?}", field.started.len());
    field.host.call("usage/summary", json!({})).expect("the ledger can be read");
}

#[test]
fn a_killed_host_takes_everything_with_it() {
    let mut field = Field::open();
    let runs: Vec<String> = (0..GOING_ON).map(|_| field.start(LONG)).collect();
    let whole_families = |processes: &Vec<Process>| {
        processes.iter().filter(|process| process.role == Role::Child).count() == runs.len()
    };
    let alive = eventually(|| processes_below(&field.root()), whole_families);
    assert_eq!(alive.len(), 1 + 3 * runs.len(), "{alive:?}");
    field.host.kill();
    let left = eventually(|| processes_below(&field.root()), Vec::is_empty);
    assert_eq!(left, [], "no other host has looked after them");
    field.host.restart();
    assert_eq!(field.check_runs(), BTreeMap::from([("_od.host_died".to_owned(), runs.len())]));
}

#[test]
fn what_was_killed_with_its_guard_is_ended_by_the_next_host() {
    let mut field = Field::open();
    field.start("say 1000000");
    let alive = || processes_below(&field.root());
    let alive = eventually(alive, |alive| alive.iter().any(|one| one.role == Role::Child));
    // A host that stands still cannot clean up after the adapter.
    field.host.signal(Signal::STOP);
    for process in alive.iter().filter(|process| process.role == Role::Adapter) {
        assert!(process.kill());
    }
    field.kill_host(false);
    assert_eq!(field.check_runs(), BTreeMap::from([("_od.host_died".to_owned(), 1)]));
}

/// A host in a scratch home, its runs, and everything that is alive there.
struct Field {
    host: ServeProcess,
    /// Runs whose start was answered.
    started: Vec<String>,
}

impl Field {
    fn open() -> Self {
        let scratch = Scratch::new();
        scratch.add_demo();
        let cli = scratch.path("bin/agent-cli");
        std::fs::copy(example("agent_cli"), &cli).expect("an agent CLI");
        let cli = cli.display().to_string();
        let settings = format!("[agents.demo]\ncliPath = {cli:?}\nmaxRuns = {GOING_ON}\n");
        std::fs::write(scratch.path("od/settings.toml"), settings).expect("settings");
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
            self.start(SHORT);
        }
    }

    /// Kills a process of this kind; false when there is none.
    fn kill_one(&self, role: Role, chance: &mut Chance) -> bool {
        let processes = processes_below(&self.root());
        let fitting: Vec<&Process> =
            processes.iter().filter(|process| process.role == role).collect();
        match fitting.len() {
            0 => false,
            count => fitting[chance.below(count as u64) as usize].kill(),
        }
    }

    /// Kills the host, perhaps in the middle of a call. Everything it had started ends; the next one begins.
    fn kill_host(&mut self, while_it_starts_a_run: bool) {
        let call = while_it_starts_a_run.then(|| self.send_start());
        self.host.kill();
        drop(call);
        self.host.restart();
        let strays = eventually(|| self.strays(), Vec::is_empty);
        assert_eq!(strays, [], "they outlive the host");
    }

    /// A call whose answer nobody waits for.
    fn send_start(&self) -> TcpStream {
        let params = self.task(SHORT);
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
        stream.write_all(request.as_bytes()).expect("it listens");
        stream
    }

    fn wait_for_runs(&self) {
        for run_id in &self.started {
            self.host.end_of(run_id);
        }
    }

    /// What is alive besides the host.
    fn strays(&self) -> Vec<Process> {
        let mut processes = processes_below(&self.root());
        processes.retain(|process| process.role != Role::Host);
        processes
    }

    /// Every run is over and its journal whole; how many ended in which way.
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
            // Without a record nobody was told of it, because the host died before it could be.
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

/// Numbers that look like chance and can be had again (xorshift).
struct Chance(u64);

impl Chance {
    fn from_environment() -> Self {
        let now = std::time::SystemTime::UNIX_EPOCH.elapsed().expect("a clock").as_nanos() as u64;
        let told = std::env::var("OD_KILL_SEED").ok().and_then(|seed| seed.parse().ok());
        let seed = told.unwrap_or(now).max(1);
        println!("OD_KILL_SEED={seed}");
        Self(seed)
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }

    /// Adapters and agent CLIs more often than hosts, of which there is only one.
    fn role(&mut self) -> Role {
        match self.below(8) {
            0 | 1 => Role::Host,
            2..=4 => Role::Adapter,
            _ => Role::AgentCli,
        }
    }
}
