//! SHU: every way to shut down, without remaining processes.

mod after_response;
mod grace_period;

use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use od_protocol::DoneStatus;
use od_protocol::adapter::SHUTDOWN;
use serde_json::json;

use super::AdapterCheck;
use crate::adapter_client::{AdapterClient, Answer};
use crate::check::{Gate, active};
use crate::context::{CheckContext, LaunchOptions, initialize_params};
use crate::fake_cli::{DETACHED, FakeCli};
use crate::outcome::{CheckOutcome, Failure, Finding, needs_process_inspection};
use crate::prepared_run::PreparedRun;
use crate::process;
use crate::script_variants;

/// The timeout for an adapter to exit after its host has ended.
const EXIT_TIMEOUT: Duration = Duration::from_secs(5);

/// The timeout for the agent CLI to end after the adapter.
const CLEANUP_TIMEOUT: Duration = Duration::from_secs(1);

/// The timeout for the agent CLI of a run to start.
const START_TIMEOUT: Duration = Duration::from_secs(5);

/// The checks of this chapter.
pub const CHECKS: &[AdapterCheck] = &[
    active(
        "SHU-01",
        "`shutdown` with an open run first ends it with `done` (cancelled), then responds",
        "after the response the host forgets the process",
        Gate::scenario("text"),
        shutdown_in_a_run,
    ),
    active(
        "SHU-02",
        "when stdin closes, an idle adapter exits with 0 within 5 s",
        "a crashed host cannot send a shutdown request",
        Gate::NONE,
        end_of_stdin_idle,
    ),
    active(
        "SHU-03",
        "when stdin closes during a run, the whole process tree of the agent CLI is ended, \
         detached processes included, and the adapter exits with 0 within 5 s",
        "an unattended agent keeps changing files and spending money",
        Gate::cli_scenario("text"),
        end_of_stdin_in_a_run,
    ),
    active(
        "SHU-04",
        "when the host process has ended, adapter and agent CLI end within 5 s, even if another \
         process holds the pipes open",
        "a killed host often leaves children that keep its pipes open",
        Gate::cli_scenario("text"),
        host_process_killed,
    ),
    active(
        "SHU-05",
        "an adapter whose stdout is closed ends its runs and exits within 5 s",
        "its output has no reader, and retrying would use a core forever",
        Gate::NONE,
        stdout_closed,
    ),
    active(
        "SHU-06",
        "from `shutdown` on every method except `ping` fails with shutting_down, no agent CLI is \
         started, and the adapter exits with 0 when stdin closes",
        "a run that starts during a shutdown is killed without notice",
        Gate::NONE,
        after_response::refused,
    ),
    active(
        "SHU-07",
        "`shutdown` gives every agent CLI `graceMs` to stop by itself, and responds after the last \
         `done`",
        "an agent CLI that is killed at once loses its session; one that is waited for too long blocks \
         the logout of the user",
        Gate::cli_scenario("text"),
        grace_period::honoured,
    ),
];

fn shutdown_in_a_run(context: &mut CheckContext) -> CheckOutcome {
    let prepared = prepare_endless_run(context, script_variants::hang_after_first_line)?;
    let mut adapter = context.launch()?;
    begin_and_wait(&mut adapter, &prepared, context.suite.has_cli())?;
    let id = adapter.ask(SHUTDOWN.name, json!({"graceMs": 500}));
    let answer = adapter.answer(&id, SHUTDOWN.limit() + EXIT_TIMEOUT)?;
    let sent = "shutdown with graceMs 500 while a run is open";
    let record = adapter.run(prepared.run_id());
    let failure = |expected: &str, got: String| Err(adapter.failure(expected, got, sent));
    if let Answer::Error(_) = answer {
        return failure("the result {}", answer.summary());
    }
    let Some(done) = record.of_type("done").next() else {
        return failure("`done` before the response", format!("none yet: {}", record.summary()));
    };
    let answered = adapter.inbox.answers.get(&id).map(|line| line.location.line);
    if answered.is_some_and(|line| line < done.location.line) {
        return failure("`done` before the response", "the response preceded it".to_owned());
    }
    match record.done().map(|done| done.status) {
        Some(DoneStatus::Cancelled) => Ok(()),
        status => failure("`done` with status cancelled", format!("status {status:?}")),
    }
}

fn end_of_stdin_idle(context: &mut CheckContext) -> CheckOutcome {
    let mut adapter = context.launch()?;
    adapter.close_stdin();
    exits_with_zero(&mut adapter, "stdin closed")
}

fn end_of_stdin_in_a_run(context: &mut CheckContext) -> CheckOutcome {
    needs_process_inspection()?;
    let prepared = prepare_endless_run(context, script_variants::hang_with_detached_process)?;
    let mut adapter = context.launch()?;
    begin_and_wait(&mut adapter, &prepared, true)?;
    adapter.close_stdin();
    exits_with_zero(&mut adapter, "stdin closed during a run")?;
    no_process_left_after_exit(&mut adapter)
}

fn host_process_killed(context: &mut CheckContext) -> CheckOutcome {
    needs_process_inspection()?;
    let prepared = prepare_endless_run(context, script_variants::hang_after_first_line)?;
    let mut adapter = context.launch_uninitialized()?;
    let mut host = FakeHost::start(&adapter.fake_cli)?;
    let mut params = initialize_params(&adapter, &LaunchOptions::default());
    params.host_pid = Some(host.0.id());
    adapter.call(&params)?;
    begin_and_wait(&mut adapter, &prepared, true)?;
    host.end();
    exits(&mut adapter, "the process of `hostPid` killed, pipes still open")?;
    no_process_left_after_exit(&mut adapter)
}

fn stdout_closed(context: &mut CheckContext) -> CheckOutcome {
    let mut adapter = context.launch()?;
    adapter.close_stdout();
    let deadline = Instant::now() + adapter.limit(EXIT_TIMEOUT);
    // An adapter notices the closed stdout only when it writes.
    while Instant::now() < deadline {
        adapter.ask("ping", json!({}));
        if adapter.wait_exit(Duration::from_millis(50)).is_some() {
            return Ok(());
        }
    }
    Err(adapter.failure(
        format!("the adapter exits within {EXIT_TIMEOUT:.0?}"),
        "it is still running",
        "stdout closed, then repeated pings",
    ))
}

/// Prepares a run that does not end by itself.
fn prepare_endless_run(
    context: &mut CheckContext,
    change: impl Fn(&crate::fake_cli::Script) -> crate::fake_cli::Script,
) -> Result<PreparedRun, Finding> {
    if context.suite.has_cli() {
        let mut prepared = context.prepare("text")?;
        prepared.script = change(&prepared.script);
        return Ok(prepared);
    }
    if context.suite.has_scenario("cancel") {
        return context.prepare("cancel");
    }
    Err(Finding::Untestable("the pack has no scenario cancel (a run that waits)".to_owned()))
}

fn begin_and_wait(
    adapter: &mut AdapterClient,
    prepared: &PreparedRun,
    has_cli: bool,
) -> CheckOutcome {
    adapter.begin(prepared)?;
    let run_id = prepared.run_id();
    let limit = adapter.limit(START_TIMEOUT);
    adapter.wait_event(run_id, START_TIMEOUT, "run_started", |event| {
        event.type_name() == "run_started"
    })?;
    if has_cli {
        let needs_child = prepared.script.steps.contains(&crate::fake_cli::Step::Spawn);
        let (is_running, _) = adapter.fake_cli.wait_until(limit, |starts| {
            let played = starts.iter().filter(|start| !start.is_probe);
            played.into_iter().any(|start| !needs_child || !start.children.is_empty())
        });
        if !is_running {
            return Err(Finding::Blocked("RUN-01: the agent CLI was not started".to_owned()));
        }
    }
    Ok(())
}

fn exits(adapter: &mut AdapterClient, sent: &str) -> Result<ExitStatus, Finding> {
    let limit = adapter.limit(EXIT_TIMEOUT);
    adapter.wait_exit(limit).ok_or_else(|| {
        adapter.failure(
            format!("the adapter exits within {limit:.1?}"),
            "it is still running",
            sent,
        )
    })
}

fn exits_with_zero(adapter: &mut AdapterClient, sent: &str) -> CheckOutcome {
    let status = exits(adapter, sent)?;
    adapter.ensure(status.success(), "exit code 0", status.to_string(), sent)
}

fn no_process_left_after_exit(adapter: &mut AdapterClient) -> CheckOutcome {
    let deadline = Instant::now() + adapter.limit(CLEANUP_TIMEOUT);
    loop {
        let remaining = adapter.fake_cli.processes();
        if remaining.is_empty() {
            return Ok(());
        }
        if Instant::now() >= deadline {
            let got = format!("still alive: {remaining:?}");
            return Err(Failure::new("no process of the run remains", got)
                .at(adapter.location())
                .into());
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// A process that plays the host. It is killed and reaped, so that its id no longer exists.
struct FakeHost(Child);

impl FakeHost {
    fn start(fake_cli: &FakeCli) -> Result<Self, Finding> {
        let folder = fake_cli.folder().with_file_name("host");
        let executable = FakeCli::install(&folder, "host", fake_cli.executable())?;
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
        // SIGKILL always ends it.
        let _reaped = self.0.wait();
    }
}

impl Drop for FakeHost {
    fn drop(&mut self) {
        self.end();
    }
}
