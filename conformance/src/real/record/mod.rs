//! Recordings and step files from a run with the real agent CLI. `known_values` are the values of the
//! suite, `template` turns the log of the relay into steps with `fragments` and `expect`, `scrub`
//! removes what belongs to a person, a machine or a vendor.

mod expect;
mod fragments;
mod known_values;
mod scrub;
mod template;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use serde_json::{Value, json};

use self::known_values::{KnownValues, Surroundings};
use self::scrub::{REDACTED, Scrub, is_uuid};
use super::drift::flags_in;
use super::relay::{RelayLog, RelayRecord};
use super::scenario_context::{ScenarioContext, ScenarioContextOptions};
use super::scenario_runner::{RealOptions, reason_to_skip};
use super::scenarios::{REAL_SCENARIOS, completed, ends_with_text, results, tool_prompt};
use crate::outcome::{CheckOutcome, Finding};
use crate::parallel;
use crate::process;
use crate::runner::catch_panic;

/// The folder of the run in every recording.
const RECORDED_CWD: &str = "/workspace";

/// The session in every recording. Sessions that are UUIDs are numbered instead.
const RECORDED_SESSION: &str = "session-0001";

/// Makes the model call tools without text before: a template supports one answer only.
const PROMPT_SUFFIX: &str = " LEAD=none";

/// A scenario that can be recorded.
pub struct RecordedScenario {
    /// Its name in packs, or in `--real` if packs do not have it.
    pub name: &'static str,
    /// The scenario of `--real` that records it.
    pub real: &'static str,
    /// The name of its recording.
    pub recording: &'static str,
    /// Whether packs have the scenario, so that a step file is written.
    pub has_steps: bool,
    run_prompt: Option<fn(&mut ScenarioContext) -> CheckOutcome>,
}

/// Every scenario that can be recorded.
pub const RECORDED: &[RecordedScenario] = &[
    recorded("text", "plain"),
    recorded("thinking", "think"),
    RecordedScenario {
        name: "tool_ok",
        real: "write",
        recording: "shell",
        has_steps: true,
        run_prompt: Some(command_works),
    },
    recorded("tool_error", "toolfail"),
    recorded("tool_parallel", "parallel"),
    recorded("file_write", "write"),
    recorded("approval", "approval_allow"),
    recorded("resume", "resume"),
    recorded("fork", "fork"),
    recorded("cancel", "cancel_stream"),
    recorded("auth_fail_run", "r401"),
    recorded("rate_limit", "r429"),
    recorded("context_exceeded", "ctx400"),
    output_only("unicode"),
    output_only("approval_deny"),
    output_only("cancel_tool"),
    output_only("drop"),
];

const fn recorded(name: &'static str, real: &'static str) -> RecordedScenario {
    RecordedScenario { name, real, recording: real, has_steps: true, run_prompt: None }
}

/// A scenario that packs do not have: its output is recorded for `drift`.
const fn output_only(real: &'static str) -> RecordedScenario {
    RecordedScenario { has_steps: false, ..recorded(real, real) }
}

/// The recording of one scenario.
pub struct Recorded {
    /// The scenario.
    pub scenario: &'static RecordedScenario,
    /// Why nothing was recorded.
    pub missing: Option<Finding>,
    /// Its stdout, scrubbed.
    pub stdout: String,
    /// Its stderr, scrubbed.
    pub stderr: String,
    /// How it was started and how it ended.
    pub meta: Value,
    /// The step file.
    pub steps: String,
    /// How the prompt reached it: `rpc`, `stdin` or `argv`.
    pub prompt_transport: &'static str,
    /// Its answers to probes, by arguments.
    pub probes: BTreeMap<Vec<String>, String>,
    /// Texts that no written file may contain.
    pub forbidden: BTreeSet<String>,
}

/// Runs the scenarios in parallel and returns their recordings.
pub fn record(
    options: RealOptions<'_>,
    jobs: usize,
    show: &mut dyn FnMut(&Recorded),
) -> Vec<Recorded> {
    let is_wanted = |scenario: &&RecordedScenario| {
        options.only.is_empty() || options.only.iter().any(|name| name == scenario.name)
    };
    let wanted: Vec<&'static RecordedScenario> = RECORDED.iter().filter(is_wanted).collect();
    parallel::each(&wanted, jobs, |scenario| run_one(options, scenario), show)
}

fn run_one(options: RealOptions<'_>, scenario: &'static RecordedScenario) -> Recorded {
    let mut recorded = Recorded {
        scenario,
        missing: None,
        stdout: String::new(),
        stderr: String::new(),
        meta: Value::Null,
        steps: String::new(),
        prompt_transport: "rpc",
        probes: BTreeMap::new(),
        forbidden: BTreeSet::new(),
    };
    let outcome = catch_panic(|| run_prompt(options, scenario, &mut recorded));
    recorded.missing = outcome.err();
    recorded
}

fn run_prompt(
    options: RealOptions<'_>,
    scenario: &RecordedScenario,
    recorded: &mut Recorded,
) -> CheckOutcome {
    let Some(real) = REAL_SCENARIOS.iter().find(|it| it.name == scenario.real) else {
        return Err(Finding::Suite(format!("unknown scenario {}", scenario.real)));
    };
    if let Some(reason) = reason_to_skip(options, real) {
        return Err(Finding::Skip(reason));
    }
    let context_options = ScenarioContextOptions {
        suite: options.suite,
        settings: options.settings,
        cli: options.cli,
        is_relayed: true,
        prompt_suffix: PROMPT_SUFFIX,
    };
    let folder = PathBuf::from(format!("record-{}", scenario.name));
    let mut context = ScenarioContext::new(&context_options, scenario.real, &folder)?;
    scenario.run_prompt.unwrap_or(real.run)(&mut context)?;
    fill(options, &context, recorded)
}

/// A successful command, then an answer.
fn command_works(context: &mut ScenarioContext) -> CheckOutcome {
    let (nonce, text) = (context.nonce(), format!("It works: {}.", context.nonce()));
    let record = context.run_prompt(&tool_prompt(context, "shell", &nonce, &text))?;
    completed(&record)?;
    ends_with_text(&record, &text)?;
    results(&record, &["ok"])
}

/// Fills the recording from the last run.
fn fill(
    options: RealOptions<'_>,
    context: &ScenarioContext,
    recorded: &mut Recorded,
) -> CheckOutcome {
    let prompt = context.prompts.last().cloned().unwrap_or_default();
    let relay_logs = context.relay_logs();
    let Some(index) = relay_logs.iter().rposition(|relay_log| has(relay_log, &prompt)) else {
        let reason = "the prompt was neither in an argument nor on stdin".to_owned();
        return Err(Finding::Blocked(reason));
    };
    let relay_log = &relay_logs[index];
    let mut records = context.records();
    let record = records.pop().unwrap_or_default();
    let earlier = records.first().and_then(|record| {
        record.of_type("session_started").next()?.value["sessionId"].as_str().map(str::to_owned)
    });
    let cwd = context.cwd.to_string_lossy().into_owned();
    let surroundings = Surroundings {
        prompt: &prompt,
        cwd: &cwd,
        secret: &context.secret,
        earlier: earlier.as_deref(),
    };
    let known = KnownValues::of(&record, &surroundings);
    recorded.steps = template::template(relay_log, &known);
    recorded.prompt_transport = prompt_transport(relay_log, &prompt);
    let mut scrub = Scrub::new(fixed(context, &known, &cwd));
    let lines = template::unsplit(relay_log, &known);
    recorded.stdout = lines.iter().map(|line| clean_line(&mut scrub, line)).collect();
    recorded.stderr = stderr(relay_log, &mut scrub);
    recorded.meta = meta(options, relay_log, recorded.scenario.recording, &mut scrub, context);
    let probes =
        relay_logs.iter().filter(|relay_log| !context.prompts.iter().any(|it| has(relay_log, it)));
    recorded.probes =
        template::probes(probes, |relay_log| probe_answer(relay_log, &mut scrub.clone()));
    recorded.forbidden = forbidden(options, context);
    Ok(())
}

/// Texts that no written file may contain: the key, folders, names, and a unique part of each in
/// case it was split.
fn forbidden(options: RealOptions<'_>, context: &ScenarioContext) -> BTreeSet<String> {
    let work = options.suite.work.to_string_lossy().into_owned();
    let last = |text: &str| text.rsplit('-').next().unwrap_or_default().to_owned();
    let parts = [last(&context.secret), last(&work), context.secret.clone(), work];
    parts.into_iter().chain(process::user_names()).collect()
}

fn has(relay_log: &RelayLog, prompt: &str) -> bool {
    let received =
        |entry: &RelayRecord| matches!(entry, RelayRecord::Stdin { line } if line.contains(prompt));
    relay_log.arguments.iter().any(|it| it.contains(prompt))
        || relay_log.records.iter().any(received)
}

fn prompt_transport(relay_log: &RelayLog, prompt: &str) -> &'static str {
    if relay_log.arguments.iter().any(|argument| argument.contains(prompt)) {
        return "argv";
    }
    let is_json = |entry: &RelayRecord| match entry {
        RelayRecord::Stdin { line } => {
            line.contains(prompt) && serde_json::from_str::<Value>(line).is_ok()
        }
        _ => false,
    };
    if relay_log.records.iter().any(is_json) { "rpc" } else { "stdin" }
}

/// Fixed replacements of values that differ between runs.
fn fixed(context: &ScenarioContext, known: &KnownValues, cwd: &str) -> Vec<(String, String)> {
    let home = context.folder.join("home").to_string_lossy().into_owned();
    let is_session = |(value, name): &&(String, &str)| *name == "session_id" && !is_uuid(value);
    let session = known.values.iter().filter(is_session);
    let mut fixed: Vec<(String, String)> =
        session.map(|(value, _)| (value.clone(), RECORDED_SESSION.to_owned())).collect();
    fixed.push((cwd.to_owned(), RECORDED_CWD.to_owned()));
    fixed.push((home, "/home/user".to_owned()));
    fixed.push((context.secret.clone(), REDACTED.to_owned()));
    fixed.extend(process::user_names().into_iter().map(|name| (name, "user".to_owned())));
    fixed
}

fn clean_line(scrub: &mut Scrub, line: &str) -> String {
    match serde_json::from_str::<Value>(line) {
        Ok(value) => format!("{}\n", scrub.value(&value)),
        Err(_) => format!("{}\n", scrub.text(line)),
    }
}

fn stderr(relay_log: &RelayLog, scrub: &mut Scrub) -> String {
    let mut text = String::new();
    for entry in &relay_log.records {
        if let RelayRecord::Stderr { line } = entry {
            text.push_str(&scrub.text(line));
            text.push('\n');
        }
    }
    text
}

fn meta(
    options: RealOptions<'_>,
    relay_log: &RelayLog,
    recording: &str,
    scrub: &mut Scrub,
    context: &ScenarioContext,
) -> Value {
    let name = options.suite.cli_name();
    let argv: Vec<String> = std::iter::once(name.clone())
        .chain(relay_log.arguments.iter().map(|argument| scrub.text(argument)))
        .collect();
    let stdin: String = relay_log
        .records
        .iter()
        .filter_map(|entry| match entry {
            RelayRecord::Stdin { line } => Some(clean_line(scrub, line)),
            _ => None,
        })
        .collect();
    let mut env_names = relay_log.env_names.clone();
    env_names.sort();
    let exit_code = relay_log.records.iter().find_map(|entry| match entry {
        RelayRecord::Exit { code } => *code,
        _ => None,
    });
    json!({
        "cli": name,
        "scenario": recording,
        "argv": argv,
        "env_names": env_names,
        "stdin": stdin,
        "exit_code": exit_code,
        "model_requests": context.model_requests().len(),
    })
}

/// The answer to a probe; of a help text only the flags.
fn probe_answer(relay_log: &RelayLog, scrub: &mut Scrub) -> String {
    let text = relay_log.stdout();
    if relay_log.arguments.iter().any(|argument| argument == "--help" || argument == "-h") {
        return flags_in(&text).iter().map(|flag| format!("  {flag}\n")).collect();
    }
    text.lines().map(|line| clean_line(scrub, line)).collect()
}
