//! DET: detection is read-only, local, fast and correct.

use std::path::Path;
use std::time::{Duration, Instant};

use od_protocol::AuthState;
use od_protocol::adapter::{DetectAdapterParams, DetectAdapterResult};
use serde_json::{Value, json};

use super::AdapterCheck;
use super::snapshot::Snapshot;
use crate::adapter_client::{AdapterClient, Answer};
use crate::check::{Gate, active};
use crate::context::{CheckContext, CliPath, LaunchOptions};
use crate::fake_cli::{Probe, ProbeMode, Script, Step};
use crate::outcome::{CheckOutcome, Failure, Finding, needs_process_inspection, shorten};

/// The timeout for processes of a detection to end after its response.
const CLEANUP_TIMEOUT: Duration = Duration::from_secs(1);

/// Version texts that real agent CLIs print around or instead of a version number.
const ODD_VERSIONS: &[&str] =
    &["", "unknown", "\u{1b}[33mupdate available\u{1b}[0m\nv99.0.0-beta+7 (x)"];

const CLI: Gate = Gate { cli: true, ..Gate::NONE };

/// The checks of this chapter.
pub const CHECKS: &[AdapterCheck] = &[
    active(
        "DET-01",
        "`adapter/detect` finds the agent CLI at `config.cliPath` with its version, and reports \
         the login state with a value of the protocol",
        "users see this in the list of agents",
        Gate::NONE,
        finds_cli,
    ),
    active(
        "DET-02",
        "a missing agent CLI is a result, not an error, and a file of the same name on PATH is \
         never started instead",
        "a file of the same name can be a different program",
        CLI,
        missing_cli_is_a_result,
    ),
    active(
        "DET-03",
        "detection answers within 5 s when the agent CLI hangs, floods its output, fails or cannot \
         be executed",
        "one broken installation must not delay the list of agents",
        CLI,
        bad_installations,
    ),
    active(
        "DET-04",
        "detection leaves no process behind",
        "agents are listed often, so leftover processes accumulate",
        CLI,
        no_process_left,
    ),
    active(
        "DET-05",
        "a missing login is reported as missing, an expired login as expired",
        "the fix differs, and users should not learn it from a run that fails after a minute",
        Gate::cli_scenario("auth_missing"),
        login_states,
    ),
    active(
        "DET-06",
        "detection changes no file, and no response contains a secret",
        "responses are logged, cached and displayed",
        Gate::NONE,
        read_only_without_secrets,
    ),
    active(
        "DET-07",
        "an agent CLI below the minimum version has `meetsMin` false, and unusual version texts \
         are tolerated",
        "an outdated CLI fails in ways that look like adapter bugs",
        Gate::cli_scenario("version_old"),
        old_and_odd_versions,
    ),
];

fn finds_cli(context: &mut CheckContext) -> CheckOutcome {
    let has_cli = context.suite.has_cli();
    let pack_version =
        context.suite.pack.as_ref().and_then(|pack| pack.settings.cli.version.clone());
    let mut adapter = context.launch()?;
    let (result, value) = detect(&mut adapter)?;
    let failure = |expected: String, got: String| Err(failed(&adapter, expected, got));
    let state = value["auth"]["state"].as_str().unwrap_or_default();
    if AuthState::from_known(state).is_none() {
        return failure(
            "auth.state ok, missing, expired or unknown".to_owned(),
            format!("{state:?}"),
        );
    }
    if !has_cli || context.suite.pack.is_none() {
        return Ok(());
    }
    if !result.installed {
        return failure("installed: true".to_owned(), shorten(&value.to_string(), 400));
    }
    let wanted = adapter.fake_cli.executable();
    if result.path.as_deref().map(Path::new) != Some(wanted) {
        return failure(format!("path {}", wanted.display()), format!("path {:?}", result.path));
    }
    let version = result.version.clone().unwrap_or_default();
    if version.is_empty()
        || pack_version.is_some_and(|pack_version| !pack_version.contains(&version))
    {
        let expected = "the version that the agent CLI prints".to_owned();
        return failure(expected, format!("version {:?}", result.version));
    }
    match AuthState::from_wire(state) {
        AuthState::Ok | AuthState::Unknown => Ok(()),
        _ => failure(
            "auth.state ok with the pack's valid login".to_owned(),
            format!("{}", value["auth"]),
        ),
    }
}

fn missing_cli_is_a_result(context: &mut CheckContext) -> CheckOutcome {
    let missing = context.folder("missing")?.join(context.suite.cli_name());
    let options = LaunchOptions { cli_path: CliPath::At(missing), ..LaunchOptions::default() };
    let mut adapter = context.launch_with(&options)?;
    let (result, value) = detect(&mut adapter)?;
    if result.installed {
        let expected = "installed: false, since the file at config.cliPath does not exist";
        return Err(failed(&adapter, expected, shorten(&value.to_string(), 400)));
    }
    if let Some(start) = adapter.fake_cli.invocations().first() {
        let got = format!("the file of that name on PATH was started with {:?}", start.args);
        return Err(failed(&adapter, "only the file at config.cliPath is started", got));
    }
    Ok(())
}

fn bad_installations(context: &mut CheckContext) -> CheckOutcome {
    for (mode, step) in bad_scripts() {
        let mut adapter = context.launch()?;
        answer_probes_with(context, &adapter, mode, step)?;
        detect(&mut adapter).map_err(|finding| {
            with_circumstances(finding, &format!("a CLI in the mode {mode:?}"))
        })?;
    }
    let plain = context.folder("plain")?.join(context.suite.cli_name());
    std::fs::write(&plain, "this is not a program\n")?;
    let options = LaunchOptions { cli_path: CliPath::At(plain), ..LaunchOptions::default() };
    let mut adapter = context.launch_with(&options)?;
    detect(&mut adapter)
        .map(drop)
        .map_err(|finding| with_circumstances(finding, "a CLI that is not executable"))
}

fn no_process_left(context: &mut CheckContext) -> CheckOutcome {
    needs_process_inspection()?;
    for (mode, step) in bad_scripts() {
        let mut adapter = context.launch()?;
        answer_probes_with(context, &adapter, mode, step)?;
        // DET-03 checks the response; this check inspects only the remaining processes.
        if let Err(Finding::Suite(reason)) = detect(&mut adapter) {
            return Err(Finding::Suite(reason));
        }
        let deadline = Instant::now() + adapter.limit(CLEANUP_TIMEOUT);
        while !adapter.fake_cli.processes().is_empty() {
            if Instant::now() >= deadline {
                let got = format!("alive after the response: {:?}", adapter.fake_cli.processes());
                let expected = format!("a CLI in the mode {mode:?} leaves no process");
                return Err(failed(&adapter, expected, got));
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }
    Ok(())
}

fn login_states(context: &mut CheckContext) -> CheckOutcome {
    login_state(context, "auth_missing", AuthState::Missing)?;
    let pack = context.suite.pack.as_ref();
    if pack.is_some_and(|pack| pack.has("auth_expired")) {
        return login_state(context, "auth_expired", AuthState::Expired);
    }
    match pack.is_some_and(|pack| pack.settings.not_applicable.contains_key("auth_expired")) {
        true => Ok(()),
        false => Err(Finding::Untestable("the pack has no scenario auth_expired".to_owned())),
    }
}

fn login_state(
    context: &mut CheckContext,
    scenario: &'static str,
    wanted: AuthState,
) -> CheckOutcome {
    let mut adapter = context
        .launch_with(&LaunchOptions { scenario: Some(scenario), ..LaunchOptions::default() })?;
    let (result, value) = detect(&mut adapter)?;
    if result.auth.state == wanted {
        return Ok(());
    }
    let expected = format!("auth.state {wanted} in the scenario {scenario}");
    Err(failed(&adapter, expected, format!("auth {}", value["auth"])))
}

fn read_only_without_secrets(context: &mut CheckContext) -> CheckOutcome {
    let mut adapter = context.launch()?;
    let before = Snapshot::take(&adapter.home);
    detect(&mut adapter)?;
    adapter.request("adapter/health", json!({}))?;
    let changes = before.changes(&Snapshot::take(&adapter.home));
    if !changes.is_empty() {
        return Err(failed(&adapter, "no file below HOME is changed", changes.join(", ")));
    }
    let leak = adapter.inbox.answers.values().find_map(|line| {
        let text = line.value.to_string();
        let found = adapter.secrets.iter().find(|secret| text.contains(secret.as_str()))?;
        Some((found.clone(), line.location.clone()))
    });
    match leak {
        None => Ok(()),
        Some((secret, location)) => {
            let got = format!("the value {secret:?}, which is a secret");
            let expected = "responses contain names of variables and files, never their values";
            Err(Failure::new(expected, got).at(location).into())
        }
    }
}

fn old_and_odd_versions(context: &mut CheckContext) -> CheckOutcome {
    let options = LaunchOptions { scenario: Some("version_old"), ..LaunchOptions::default() };
    let mut adapter = context.launch_with(&options)?;
    let (result, value) = detect(&mut adapter)?;
    if result.meets_min != Some(false) || !result.installed {
        let expected = "installed: true and meetsMin: false in the scenario version_old";
        return Err(failed(&adapter, expected, shorten(&value.to_string(), 400)));
    }
    for text in ODD_VERSIONS {
        let mut adapter = context.launch()?;
        let version = Probe {
            args: vec!["--version".to_owned()],
            stdout: format!("{text}\n"),
            ..Probe::default()
        };
        adapter.fake_cli.load_script(&Script { probes: vec![version], ..Script::default() })?;
        let (result, value) = detect(&mut adapter).map_err(|finding| {
            with_circumstances(finding, &format!("a CLI with the version text {text:?}"))
        })?;
        if !result.installed {
            let expected = format!("installed: true for a CLI with the version text {text:?}");
            return Err(failed(&adapter, expected, shorten(&value.to_string(), 400)));
        }
    }
    Ok(())
}

/// Broken installations: how the fake CLI answers probes, and what every other start does.
fn bad_scripts() -> [(ProbeMode, Step); 3] {
    let flood =
        Step::Flood { stderr: false, lines: 50_000_000, text: "0123456789abcdef".to_owned() };
    [
        (ProbeMode::Hang, Step::Hang),
        (ProbeMode::Flood, flood),
        (ProbeMode::Fail, Step::Exit { code: 1 }),
    ]
}

/// Makes every start of the fake CLI fail in this way.
pub(super) fn answer_probes_with(
    context: &CheckContext,
    adapter: &AdapterClient,
    mode: ProbeMode,
    step: Step,
) -> CheckOutcome {
    let settings = context.suite.pack.as_ref().map(|pack| pack.settings.cli.probe.clone());
    let version = Probe { args: vec!["--version".to_owned()], ..Probe::default() };
    let probes = settings.unwrap_or_default().into_iter().chain([version]).collect();
    let script = Script { probes, probe_mode: mode, steps: vec![step], ..Script::default() };
    Ok(adapter.fake_cli.load_script(&script)?)
}

/// Calls `adapter/detect` with `refresh`.
pub(super) fn detect(adapter: &mut AdapterClient) -> Result<(DetectAdapterResult, Value), Finding> {
    detect_with(adapter, DetectAdapterParams { refresh: true })
}

/// Calls `adapter/detect`.
pub(super) fn detect_with(
    adapter: &mut AdapterClient,
    params: DetectAdapterParams,
) -> Result<(DetectAdapterResult, Value), Finding> {
    let params = serde_json::to_value(params).unwrap_or_default();
    let answer = adapter.request("adapter/detect", params)?;
    let got = match answer {
        Answer::Result(value) => match serde_json::from_value(value.clone()) {
            Ok(result) => return Ok((result, value)),
            Err(error) => error.to_string(),
        },
        error @ Answer::Error(_) => error.summary(),
    };
    Err(failed(adapter, "a DetectAdapterResult", got))
}

pub(super) fn failed(
    adapter: &AdapterClient,
    expected: impl Into<String>,
    got: impl Into<String>,
) -> Finding {
    adapter.failure(expected, got, "adapter/detect")
}

/// Adds the circumstances to a failure.
pub(super) fn with_circumstances(finding: Finding, circumstances: &str) -> Finding {
    let sent = format!("adapter/detect with {circumstances}");
    finding.map_failure(|failure| failure.sent(sent).into())
}
