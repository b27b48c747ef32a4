//! The values in `run_started`, compared with what the fake CLI recorded.

use std::path::Path;
use std::time::Duration;

use serde_json::Value;

use crate::adapter_client::AdapterClient;
use crate::checks::expectations::{
    SHORT_RUN_TIMEOUT, after_last_expectation, output_steps, plain_answer,
};
use crate::context::CheckContext;
use crate::fake_cli::{Invocation, Step};
use crate::outcome::{CheckOutcome, Failure, Finding, shorten};
use crate::prepared_run::PreparedRun;
use crate::process;

/// The timeout for the agent CLI to reach the gate before its last output.
const GATE_TIMEOUT: Duration = Duration::from_secs(5);

/// The event of one run, and the start that belongs to it.
struct Started {
    event: Value,
    invocation: Option<Invocation>,
    /// Whether the process in the event was that of the agent CLI, or an ancestor of it.
    is_own_process: bool,
    prompt: String,
    secret: String,
    sent: String,
}

pub(super) fn true_values(context: &mut CheckContext) -> CheckOutcome {
    plain_answer(context)?;
    let mode = requested_mode(context);
    let mut fresh = context.launch()?;
    let default_mode = run(context, &mut fresh, None)?.event["permissionMode"].clone();
    let mut adapter = context.launch()?;
    for mode in [mode, None] {
        let started = run(context, &mut adapter, mode.as_deref())?;
        let executable = adapter.fake_cli.executable().to_owned();
        check_process(&started, &executable)?;
        check_version(context, &started)?;
        check_texts(&started, &adapter.secrets)?;
        let reported = &started.event["permissionMode"];
        let is_right = match &mode {
            Some(mode) => reported.is_null() || reported == mode.as_str(),
            None => *reported == default_mode,
        };
        let expected = format!("permissionMode {}", mode.unwrap_or(default_mode.to_string()));
        started.ensure(is_right, expected, format!("permissionMode {reported}"))?;
    }
    Ok(())
}

/// Returns the last declared permission mode, because the first one is often the default.
fn requested_mode(context: &CheckContext) -> Option<String> {
    let modes = &context.suite.manifest_value["capabilities"]["permissionModes"]["modes"];
    modes.as_array()?.last()?.as_str().map(str::to_owned)
}

/// Returns the scenario for a mode, which may make the agent CLI use a different output.
fn scenario_of(context: &CheckContext, mode: Option<&str>) -> String {
    let own = mode.map(|mode| format!("mode_{mode}"));
    own.filter(|name| context.suite.has_scenario(name)).unwrap_or_else(|| "text".to_owned())
}

/// Runs the scenario to its end, whatever its status. The agent CLI waits before its last output, so that its
/// process can be inspected.
fn run(
    context: &mut CheckContext,
    adapter: &mut AdapterClient,
    mode: Option<&str>,
) -> Result<Started, Finding> {
    let mut prepared = context.prepare(&scenario_of(context, mode))?;
    let gate = format!("started-{}", context.nonce());
    let secret = format!("secret-{}", context.nonce());
    let lines = output_steps(&prepared.script, after_last_expectation(&prepared.script));
    let at = lines.last().copied().unwrap_or(prepared.script.steps.len());
    prepared.script.steps.insert(at, Step::Gate { name: gate.clone() });
    prepared.request.permission_mode = mode.map(str::to_owned);
    prepared.request.env.insert("CONFORMANCE_TOKEN".to_owned(), secret.clone());
    let before = adapter.fake_cli.starts().len();
    let sent = match mode {
        Some(mode) => format!("run/start with permissionMode {mode:?}"),
        None => "run/start without permissionMode".to_owned(),
    };
    adapter.begin(&prepared)?;
    let limit = adapter.limit(GATE_TIMEOUT);
    // If the gate is not reached, the wait for the end of the run reports it.
    let is_over = |start: &Invocation| start.ended || start.expect_failed.is_some();
    adapter.fake_cli.wait_until(limit, |starts| {
        let mut starts = starts.iter().filter(|start| !start.is_probe).skip(before);
        starts.any(|start| start.gates.contains(&gate) || is_over(start))
    });
    adapter.pump(limit, |inbox| {
        inbox.runs.get(prepared.run_id()).is_some_and(|run| !run.events.is_empty())
    });
    let invocation = adapter.fake_cli.starts().into_iter().nth(before);
    let is_own_process = is_own_process(adapter, &prepared, invocation.as_ref());
    adapter.fake_cli.open_gate(&gate)?;
    let record = adapter.finish(prepared.run_id(), SHORT_RUN_TIMEOUT)?;
    let event = record.of_type("run_started").next().map(|received| received.value.clone());
    let prompt = prepared.request.prompt.text.clone();
    let event = event.unwrap_or_default();
    Ok(Started { event, invocation, is_own_process, prompt, secret, sent })
}

fn is_own_process(
    adapter: &AdapterClient,
    prepared: &PreparedRun,
    invocation: Option<&Invocation>,
) -> bool {
    let record = adapter.run(prepared.run_id());
    let started = record.of_type("run_started").next();
    let pid = started.and_then(|received| received.value["pid"].as_u64());
    let Some((pid, invocation)) = pid.and_then(|pid| u32::try_from(pid).ok()).zip(invocation)
    else {
        return true;
    };
    let is_wrapper = || {
        process::descendants(adapter.pid()).contains(&pid)
            && process::descendants(pid).contains(&invocation.pid)
    };
    // A server may serve several runs, so its process can be older than the run.
    let is_older = || adapter.fake_cli.starts().iter().any(|start| start.pid == pid);
    pid == invocation.pid
        || !process::CAN_INSPECT
        || is_wrapper()
        || (invocation.ended && is_older())
}

impl Started {
    fn ensure(&self, condition: bool, expected: String, got: String) -> CheckOutcome {
        if condition {
            return Ok(());
        }
        Err(Failure::new(expected, got).sent(&self.sent).into())
    }
}

fn check_process(started: &Started, executable: &Path) -> CheckOutcome {
    let event = &started.event;
    if let Some(path) = event["cliPath"].as_str() {
        let same = |one: &Path, other: &Path| {
            one == other || one.canonicalize().ok() == other.canonicalize().ok()
        };
        let expected = format!("cliPath {:?}", executable.display());
        started.ensure(same(Path::new(path), executable), expected, format!("cliPath {path:?}"))?;
    }
    let Some(invocation) = &started.invocation else { return Ok(()) };
    let expected = format!("pid {} or that of its wrapper", invocation.pid);
    started.ensure(started.is_own_process, expected, format!("pid {}", event["pid"]))?;
    let argv: Vec<&str> =
        event["argv"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let program = executable.to_string_lossy().into_owned();
    let mut real = std::iter::once(&program).chain(&invocation.args);
    let missing = argv.iter().find(|entry| !real.any(|argument| argument == *entry));
    let expected = format!("argv with entries of {:?} in this order", invocation.args);
    let got = format!("argv {argv:?}; {missing:?} does not follow");
    started.ensure(missing.is_none(), expected, got)
}

fn check_version(context: &CheckContext, started: &Started) -> CheckOutcome {
    let printed = context.suite.pack.as_ref().and_then(|pack| pack.settings.cli.version.clone());
    let Some((version, printed)) = started.event["cliVersion"].as_str().zip(printed) else {
        return Ok(());
    };
    let expected = format!("the version in {printed:?}");
    started.ensure(printed.contains(version), expected, format!("cliVersion {version:?}"))
}

fn check_texts(started: &Started, secrets: &[String]) -> CheckOutcome {
    let text = started.event.to_string();
    let forbidden = secrets.iter().chain([&started.prompt, &started.secret]);
    let found = forbidden.into_iter().find(|value| !value.is_empty() && text.contains(*value));
    let got = format!("{found:?} in {}", shorten(&text, 300));
    started.ensure(found.is_none(), "neither the prompt nor a secret".to_owned(), got)
}
