//! DET: detection is read-only, local, fast and honest.

use std::path::Path;
use std::time::{Duration, Instant};

use od_protocol::{AuthState, DetectAdapterParams, DetectAdapterResult};
use serde_json::{Value, json};

use super::snapshot::Snapshot;
use crate::bench::{Bench, CliPath, Setup};
use crate::case::{Body, Check, Gate, Level, Tier};
use crate::plugin::{Answer, Plugin};
use crate::process;
use crate::stand_in::{Probe, ProbeMode, Script, Step};
use crate::verdict::{Failure, Finding, Verdict, shorten};

/// How long after its answer a process of a detection may still be seen.
const SWEEP_LIMIT: Duration = Duration::from_secs(1);

/// Version texts that real agent CLIs print around or instead of a number.
const ODD_VERSIONS: &[&str] =
    &["", "unknown", "\u{1b}[33mupdate available\u{1b}[0m\nv99.0.0-beta+7 (x)"];

const fn must(
    id: &'static str,
    sentence: &'static str,
    why: &'static str,
    gate: Gate,
    run: fn(&mut Bench) -> Verdict,
) -> Check {
    Check { id, level: Level::Must, sentence, why, gate, tier: Tier::Fast, body: Body::Active(run) }
}

const CLI: Gate = Gate { cli: true, ..Gate::NONE };

/// The chapter's checks.
pub const CHECKS: &[Check] = &[
    must(
        "DET-01",
        "`adapter/detect` finds the agent CLI at `config.cliPath` with its version, and states the \
         login in a word of the protocol",
        "this is what a person sees in the list of agents",
        Gate::NONE,
        finds_it,
    ),
    must(
        "DET-02",
        "an agent CLI that is absent is a result, not an error, and a file of the same name on PATH \
         is never started instead",
        "a stranger of the same name may be anything",
        CLI,
        absent_is_a_result,
    ),
    must(
        "DET-03",
        "detection is answered within 5 s when the agent CLI hangs, floods, fails or cannot be \
         executed",
        "one broken installation must not stall the list of agents",
        CLI,
        bad_installations,
    ),
    must(
        "DET-04",
        "detection leaves no process behind",
        "lists are made often; one process each adds up",
        CLI,
        no_process_left,
    ),
    must(
        "DET-05",
        "a login that is missing is told as missing, one that has run out as expired",
        "the fix differs, and a run that fails after a minute is a bad way to learn it",
        Gate::cli_scenario("auth_missing"),
        login_states,
    ),
    must(
        "DET-06",
        "detection changes no file, and no reply contains a secret",
        "replies are logged, cached and shown",
        Gate::NONE,
        read_only_and_discreet,
    ),
    must(
        "DET-07",
        "an agent CLI below the minimum has `meetsMin` false, and odd version texts are tolerated",
        "an old CLI fails in ways that look like faults of the adapter",
        Gate::cli_scenario("version_old"),
        old_and_odd_versions,
    ),
];

fn finds_it(bench: &mut Bench) -> Verdict {
    let has_cli = bench.suite.has_cli();
    let stated = bench.suite.pack.as_ref().and_then(|pack| pack.settings.cli.version.clone());
    let mut plugin = bench.launch(&Setup::default())?;
    let (result, value) = detect(&mut plugin)?;
    let failure = |expected: String, got: String| Err(failed(&plugin, expected, got));
    let word = value["auth"]["state"].as_str().unwrap_or_default();
    if AuthState::from_known(word).is_none() {
        return failure(
            "auth.state ok, missing, expired or unknown".to_owned(),
            format!("{word:?}"),
        );
    }
    if !has_cli || bench.suite.pack.is_none() {
        return Ok(());
    }
    if !result.installed {
        return failure("installed: true".to_owned(), shorten(&value.to_string(), 400));
    }
    let wanted = plugin.stand_in.executable();
    if result.path.as_deref().map(Path::new) != Some(wanted) {
        return failure(format!("path {}", wanted.display()), format!("path {:?}", result.path));
    }
    let version = result.version.clone().unwrap_or_default();
    if version.is_empty() || stated.is_some_and(|stated| !stated.contains(&version)) {
        let expected = "the version that the agent CLI states".to_owned();
        return failure(expected, format!("version {:?}", result.version));
    }
    match AuthState::from_wire(word) {
        AuthState::Ok | AuthState::Unknown => Ok(()),
        _ => failure(
            "auth.state ok with the pack's working login".to_owned(),
            format!("{}", value["auth"]),
        ),
    }
}

fn absent_is_a_result(bench: &mut Bench) -> Verdict {
    let nowhere = bench.folder("nowhere")?.join(bench.suite.cli_name());
    let setup = Setup { cli_path: CliPath::At(nowhere), ..Setup::default() };
    let mut plugin = bench.launch(&setup)?;
    let (result, value) = detect(&mut plugin)?;
    if result.installed {
        let expected = "installed: false, since config.cliPath names no file";
        return Err(failed(&plugin, expected, shorten(&value.to_string(), 400)));
    }
    if let Some(start) = plugin.stand_in.invocations().first() {
        let got = format!("the file of that name on PATH was started with {:?}", start.args);
        return Err(failed(&plugin, "no file but config.cliPath is started", got));
    }
    Ok(())
}

fn bad_installations(bench: &mut Bench) -> Verdict {
    for (mode, step) in bad_scripts() {
        let mut plugin = bench.launch(&Setup::default())?;
        play_for_probes(bench, &plugin, mode, step)?;
        detect(&mut plugin)
            .map_err(|finding| said(finding, &format!("a CLI in the mode {mode:?}")))?;
    }
    let plain = bench.folder("plain")?.join(bench.suite.cli_name());
    std::fs::write(&plain, "this is no program\n")?;
    let setup = Setup { cli_path: CliPath::At(plain), ..Setup::default() };
    let mut plugin = bench.launch(&setup)?;
    detect(&mut plugin).map(drop).map_err(|finding| said(finding, "a CLI that is not executable"))
}

fn no_process_left(bench: &mut Bench) -> Verdict {
    if !process::CAN_INSPECT {
        let reason = "the suite cannot look at other processes on this system";
        return Err(Finding::Skip(reason.to_owned()));
    }
    for (mode, step) in bad_scripts() {
        let mut plugin = bench.launch(&Setup::default())?;
        play_for_probes(bench, &plugin, mode, step)?;
        // DET-03 judges the answer; here only what stays behind counts.
        if let Err(Finding::Suite(reason)) = detect(&mut plugin) {
            return Err(Finding::Suite(reason));
        }
        let deadline = Instant::now() + plugin.limit(SWEEP_LIMIT);
        while !plugin.stand_in.processes().is_empty() {
            if Instant::now() >= deadline {
                let got = format!("alive after the answer: {:?}", plugin.stand_in.processes());
                let expected = format!("no process is left by a CLI in the mode {mode:?}");
                return Err(failed(&plugin, expected, got));
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }
    Ok(())
}

fn login_states(bench: &mut Bench) -> Verdict {
    login_state(bench, "auth_missing", AuthState::Missing)?;
    let pack = bench.suite.pack.as_ref();
    if pack.is_some_and(|pack| pack.has("auth_expired")) {
        return login_state(bench, "auth_expired", AuthState::Expired);
    }
    let is_excused =
        pack.is_some_and(|pack| pack.settings.not_applicable.contains_key("auth_expired"));
    if is_excused {
        return Ok(());
    }
    Err(Finding::Untestable("the pack has no scenario auth_expired".to_owned()))
}

fn login_state(bench: &mut Bench, scenario: &'static str, wanted: AuthState) -> Verdict {
    let mut plugin = bench.launch(&Setup { scenario: Some(scenario), ..Setup::default() })?;
    let (result, value) = detect(&mut plugin)?;
    if result.auth.state == wanted {
        return Ok(());
    }
    let expected = format!("auth.state {wanted} in the scenario {scenario}");
    Err(failed(&plugin, expected, format!("auth {}", value["auth"])))
}

fn read_only_and_discreet(bench: &mut Bench) -> Verdict {
    let mut plugin = bench.launch(&Setup::default())?;
    let before = Snapshot::take(&plugin.home);
    detect(&mut plugin)?;
    plugin.request("adapter/health", json!({}))?;
    let changes = before.changes(&Snapshot::take(&plugin.home));
    if !changes.is_empty() {
        return Err(failed(&plugin, "no file below HOME is changed", changes.join(", ")));
    }
    let leak = plugin.inbox.answers.values().find_map(|line| {
        let text = line.value.to_string();
        let found = plugin.secrets.iter().find(|secret| text.contains(secret.as_str()))?;
        Some((found.clone(), line.place.clone()))
    });
    match leak {
        None => Ok(()),
        Some((secret, place)) => {
            let got = format!("the value {secret:?}, which the suite gave as a secret");
            Err(Failure::new("replies name variables and files, never values", got)
                .at(place)
                .into())
        }
    }
}

fn old_and_odd_versions(bench: &mut Bench) -> Verdict {
    let setup = Setup { scenario: Some("version_old"), ..Setup::default() };
    let mut plugin = bench.launch(&setup)?;
    let (result, value) = detect(&mut plugin)?;
    if result.meets_min != Some(false) || !result.installed {
        let expected = "installed: true and meetsMin: false in the scenario version_old";
        return Err(failed(&plugin, expected, shorten(&value.to_string(), 400)));
    }
    for text in ODD_VERSIONS {
        let mut plugin = bench.launch(&Setup::default())?;
        let version = Probe {
            args: vec!["--version".to_owned()],
            stdout: format!("{text}\n"),
            ..Probe::default()
        };
        plugin.stand_in.play(&Script { probes: vec![version], ..Script::default() })?;
        let (result, value) = detect(&mut plugin)
            .map_err(|finding| said(finding, &format!("a CLI that calls itself {text:?}")))?;
        if !result.installed {
            let expected = format!("installed: true for a CLI that calls itself {text:?}");
            return Err(failed(&plugin, expected, shorten(&value.to_string(), 400)));
        }
    }
    Ok(())
}

/// How an installation can be broken: how probes are answered, and what any other start does.
fn bad_scripts() -> [(ProbeMode, Step); 3] {
    let flood =
        Step::Flood { stderr: false, lines: 50_000_000, text: "0123456789abcdef".to_owned() };
    [
        (ProbeMode::Hang, Step::Hang),
        (ProbeMode::Flood, flood),
        (ProbeMode::Fail, Step::Exit { code: 1 }),
    ]
}

/// Makes every start of the stand-in behave badly, whatever it is asked.
fn play_for_probes(bench: &Bench, plugin: &Plugin, mode: ProbeMode, step: Step) -> Verdict {
    let settings = bench.suite.pack.as_ref().map(|pack| pack.settings.cli.probe.clone());
    let version = Probe { args: vec!["--version".to_owned()], ..Probe::default() };
    let probes = settings.unwrap_or_default().into_iter().chain([version]).collect();
    let script = Script { probes, probe_mode: mode, steps: vec![step], ..Script::default() };
    Ok(plugin.stand_in.play(&script)?)
}

fn detect(plugin: &mut Plugin) -> Result<(DetectAdapterResult, Value), Finding> {
    let params = serde_json::to_value(DetectAdapterParams { refresh: true }).unwrap_or_default();
    let answer = plugin.request("adapter/detect", params)?;
    let place = plugin.place();
    let expected = "a DetectAdapterResult";
    match answer {
        Answer::Result(value) => match serde_json::from_value(value.clone()) {
            Ok(result) => Ok((result, value)),
            Err(error) => Err(Failure::new(expected, error.to_string()).at(place).into()),
        },
        error @ Answer::Error(_) => {
            let failure = Failure::new(expected, error.summary()).sent("adapter/detect");
            Err(failure.at(place).into())
        }
    }
}

fn failed(plugin: &Plugin, expected: impl Into<String>, got: impl Into<String>) -> Finding {
    Failure::new(expected, got).sent("adapter/detect").at(plugin.place()).into()
}

/// Adds the circumstances to a failure.
fn said(finding: Finding, circumstances: &str) -> Finding {
    match finding {
        Finding::Fail(failure) => {
            failure.sent(format!("adapter/detect with {circumstances}")).into()
        }
        other => other,
    }
}
