//! SHU: every way to end, and that nothing stays behind.

use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use od_protocol::{DoneStatus, SHUTDOWN};
use serde_json::json;

use crate::bench::{Bench, CliPath, Setup, initialize_params};
use crate::case::{Body, Check, Gate, Level, Tier};
use crate::derive;
use crate::play::Play;
use crate::plugin::{Answer, Plugin};
use crate::process;
use crate::stand_in::{DETACHED, StandIn};
use crate::verdict::{Failure, Finding, Verdict};

/// How long an adapter may take to end when its host is gone.
const EXIT_LIMIT: Duration = Duration::from_secs(5);

/// How long after the adapter's end its agent CLI may still be seen.
const SWEEP_LIMIT: Duration = Duration::from_secs(1);

/// How long the agent CLI of a run may take to be there.
const START_LIMIT: Duration = Duration::from_secs(5);

/// The chapter's checks.
pub const CHECKS: &[Check] = &[
    Check {
        id: "SHU-01",
        level: Level::Must,
        sentence: "`shutdown` with an open run first ends it with `done` (cancelled), then answers",
        why: "the answer is the host's permission to forget the process",
        gate: Gate::scenario("text"),
        tier: Tier::Fast,
        body: Body::Active(shutdown_in_a_run),
    },
    Check {
        id: "SHU-02",
        level: Level::Must,
        sentence: "at the end of stdin an idle adapter exits with 0 within 5 s",
        why: "a host that crashed cannot say goodbye",
        gate: Gate::NONE,
        tier: Tier::Fast,
        body: Body::Active(end_of_stdin_idle),
    },
    Check {
        id: "SHU-03",
        level: Level::Must,
        sentence: "at the end of stdin during a run the whole tree of the agent CLI is ended, \
                   detached processes included, and the adapter exits with 0 within 5 s",
        why: "an agent nobody watches goes on changing files and spending money",
        gate: Gate::cli_scenario("text"),
        tier: Tier::Fast,
        body: Body::Active(end_of_stdin_in_a_run),
    },
    Check {
        id: "SHU-04",
        level: Level::Must,
        sentence: "when the host's process is gone, adapter and agent CLI are gone within 5 s, even \
                   if somebody still holds the pipes",
        why: "a killed host often leaves children that keep its pipes open",
        gate: Gate::cli_scenario("text"),
        tier: Tier::Fast,
        body: Body::Active(host_gone),
    },
    Check {
        id: "SHU-05",
        level: Level::Must,
        sentence: "an adapter whose stdout is closed ends its runs and exits within 5 s",
        why: "what it says reaches nobody any more, and retrying burns a core for ever",
        gate: Gate::NONE,
        tier: Tier::Fast,
        body: Body::Active(stdout_closed),
    },
];

fn shutdown_in_a_run(bench: &mut Bench) -> Verdict {
    let play = endless_play(bench, derive::begins_and_hangs)?;
    let mut plugin = bench.launch(&Setup::default())?;
    begin_and_wait(&mut plugin, &play, bench.suite.has_cli())?;
    let id = plugin.ask(SHUTDOWN.name, json!({"graceMs": 500}));
    let answer = plugin.answer(&id, SHUTDOWN.limit() + EXIT_LIMIT)?;
    let sent = "shutdown with graceMs 500 while a run is open";
    let record = plugin.run(play.run_id());
    let failure = |expected: &str, got: String| {
        Err(Failure::new(expected, got).sent(sent).at(plugin.place()).into())
    };
    if let Answer::Error(_) = answer {
        return failure("the result {}", answer.summary());
    }
    let Some(done) = record.of_type("done").next() else {
        return failure("`done` before the answer", format!("none yet: {}", record.summary()));
    };
    let answered = plugin.inbox.answers.get(&id).map(|line| line.place.line);
    if answered.is_some_and(|line| line < done.place.line) {
        return failure("`done` before the answer", "the answer came first".to_owned());
    }
    match record.done().map(|done| done.status) {
        Some(DoneStatus::Cancelled) => Ok(()),
        status => failure("`done` with status cancelled", format!("status {status:?}")),
    }
}

fn end_of_stdin_idle(bench: &mut Bench) -> Verdict {
    let mut plugin = bench.launch(&Setup::default())?;
    plugin.close_stdin();
    exits_well(&mut plugin, "the end of stdin")
}

fn end_of_stdin_in_a_run(bench: &mut Bench) -> Verdict {
    needs_inspection()?;
    let play = endless_play(bench, derive::stubborn_family)?;
    let mut plugin = bench.launch(&Setup::default())?;
    begin_and_wait(&mut plugin, &play, true)?;
    plugin.close_stdin();
    exits_well(&mut plugin, "the end of stdin during a run")?;
    nothing_left(&mut plugin)
}

fn host_gone(bench: &mut Bench) -> Verdict {
    needs_inspection()?;
    let play = endless_play(bench, derive::begins_and_hangs)?;
    let mut plugin = bench.launch(&Setup { initialize: false, ..Setup::default() })?;
    let mut host = FakeHost::start(&plugin.stand_in)?;
    let mut params = initialize_params(&plugin, &CliPath::StandIn);
    params.host_pid = Some(host.0.id());
    plugin.call(&params)?;
    begin_and_wait(&mut plugin, &play, true)?;
    host.end();
    exits(&mut plugin, "the process of `hostPid` was killed; the pipes stay open")?;
    nothing_left(&mut plugin)
}

fn stdout_closed(bench: &mut Bench) -> Verdict {
    let mut plugin = bench.launch(&Setup::default())?;
    plugin.close_stdout();
    let deadline = Instant::now() + plugin.limit(EXIT_LIMIT);
    // Only a plugin that says something can notice.
    while Instant::now() < deadline {
        plugin.ask("ping", json!({}));
        if plugin.wait_exit(Duration::from_millis(50)).is_some() {
            return Ok(());
        }
    }
    Err(Failure::new(format!("the plugin exits within {EXIT_LIMIT:.0?}"), "it is still running")
        .sent("its stdout was closed, then ping after ping")
        .at(plugin.place())
        .into())
}

/// A run that does not end by itself.
fn endless_play(
    bench: &mut Bench,
    change: impl Fn(&crate::stand_in::Script) -> crate::stand_in::Script,
) -> Result<Play, Finding> {
    if bench.suite.has_cli() {
        let mut play = bench.prepare("text")?;
        play.script = change(&play.script);
        return Ok(play);
    }
    let has_one = bench.suite.pack.as_ref().is_some_and(|pack| pack.has("cancel"));
    if has_one {
        return bench.prepare("cancel");
    }
    Err(Finding::Untestable("the pack has no scenario cancel, a run that waits".to_owned()))
}

fn begin_and_wait(plugin: &mut Plugin, play: &Play, has_cli: bool) -> Verdict {
    plugin.begin(play)?;
    let run_id = play.run_id();
    let limit = plugin.limit(START_LIMIT);
    plugin.wait_event(run_id, START_LIMIT, "run_started", |event| {
        event.type_name() == "run_started"
    })?;
    if has_cli {
        let wants_child = play.script.steps.contains(&crate::stand_in::Step::Spawn);
        let (is_there, _) = plugin.stand_in.wait_until(limit, |starts| {
            let played = starts.iter().filter(|start| !start.is_probe);
            played.into_iter().any(|start| !wants_child || !start.children.is_empty())
        });
        if !is_there {
            return Err(Finding::Blocked("RUN-01: the agent CLI was not started".to_owned()));
        }
    }
    Ok(())
}

fn exits(plugin: &mut Plugin, sent: &str) -> Result<ExitStatus, Finding> {
    let limit = plugin.limit(EXIT_LIMIT);
    plugin.wait_exit(limit).ok_or_else(|| {
        Failure::new(format!("the plugin exits within {limit:.1?}"), "it is still running")
            .sent(sent)
            .at(plugin.place())
            .into()
    })
}

fn exits_well(plugin: &mut Plugin, sent: &str) -> Verdict {
    let status = exits(plugin, sent)?;
    if status.success() {
        return Ok(());
    }
    let failure = Failure::new("exit code 0", status.to_string()).sent(sent);
    Err(failure.at(plugin.place()).into())
}

fn nothing_left(plugin: &mut Plugin) -> Verdict {
    let deadline = Instant::now() + plugin.limit(SWEEP_LIMIT);
    loop {
        let left = plugin.stand_in.processes();
        if left.is_empty() {
            return Ok(());
        }
        if Instant::now() >= deadline {
            let got = format!("still alive: {left:?}");
            return Err(Failure::new("no process of the run is left", got)
                .at(plugin.place())
                .into());
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn needs_inspection() -> Verdict {
    if process::CAN_INSPECT {
        return Ok(());
    }
    Err(Finding::Skip("the suite cannot look at other processes on this system".to_owned()))
}

/// A process that stands for the host. It is ended and reaped, so that its id is really gone.
struct FakeHost(Child);

impl FakeHost {
    fn start(stand_in: &StandIn) -> Result<Self, Finding> {
        let folder = stand_in.folder().with_file_name("host");
        let executable = StandIn::place(&folder, "host", stand_in.executable())?;
        let child = Command::new(executable.executable())
            .arg(DETACHED)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        Ok(Self(child))
    }

    fn end(&mut self) {
        process::kill(self.0.id());
        // It cannot outlive SIGKILL.
        let _reaped = self.0.wait();
    }
}

impl Drop for FakeHost {
    fn drop(&mut self) {
        self.end();
    }
}
