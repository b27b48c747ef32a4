//! Recordings and step files from a real run. The relay heard what passed; `known` says which values
//! the suite itself brought in, `template` turns the journal into steps with the help of `pieces`
//! and `expect`, and `scrub` takes out what belongs to a person, a machine or a vendor.

mod expect;
mod known;
mod pieces;
mod scrub;
mod template;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use serde_json::{Value, json};

use self::known::{Known, Surroundings};
use self::scrub::{REDACTED, Scrub, is_uuid};
use super::drift::flags_in;
use super::judge::{RealOptions, reason_to_skip};
use super::parallel;
use super::relay::{Journal, Passed};
use super::scenarios::{REAL_SCENARIOS, completed, results, says_last, tool_prompt};
use super::stage::{Stage, StageOptions};
use crate::judge::guarded;
use crate::process;
use crate::verdict::{Finding, Verdict};

/// Where the agent works in every recording.
const CWD: &str = "/workspace";

/// The session of every recording, where sessions are no UUIDs: those are numbered anyway.
const SESSION: &str = "session-0001";

/// Tools are called without a word before: an answer in two parts would fit no template.
const PROMPT_END: &str = " LEAD=none";

/// A scenario of packs that can be recorded.
pub struct RecordedScenario {
    /// Its name in packs, or in `--real` where packs have none.
    pub name: &'static str,
    /// The scenario of the real agent CLI that shows it, or whose parameters it borrows.
    pub real: &'static str,
    /// What its recording is called: as the scenario of the real agent CLI, where it is one.
    pub recording: &'static str,
    /// Whether packs have such a scenario, so that steps are made of it.
    pub has_steps: bool,
    play: Option<fn(&mut Stage) -> Verdict>,
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
        play: Some(command_works),
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
    only_heard("unicode"),
    only_heard("approval_deny"),
    only_heard("cancel_tool"),
    only_heard("drop"),
];

const fn recorded(name: &'static str, real: &'static str) -> RecordedScenario {
    RecordedScenario { name, real, recording: real, has_steps: true, play: None }
}

/// A scenario that packs do not have: what is heard is kept for `drift`.
const fn only_heard(real: &'static str) -> RecordedScenario {
    RecordedScenario { has_steps: false, ..recorded(real, real) }
}

/// What was recorded of one scenario.
pub struct Recorded {
    /// The scenario.
    pub scenario: &'static RecordedScenario,
    /// Why there is nothing; `None` when there is.
    pub missing: Option<Finding>,
    /// Everything the agent CLI printed, cleaned.
    pub stdout: String,
    /// Its stderr, cleaned.
    pub stderr: String,
    /// How it was started and how it ended.
    pub meta: Value,
    /// The step file.
    pub steps: String,
    /// How the prompt reached it: `rpc`, `stdin` or `argv`.
    pub prompt_way: &'static str,
    /// What it answered when it was asked something else, by its arguments.
    pub probes: BTreeMap<Vec<String>, String>,
    /// What may be in nothing that is written.
    pub forbidden: BTreeSet<String>,
}

/// Plays the scenarios, so many at once, and gives what was recorded of each.
pub fn record(
    options: RealOptions<'_>,
    jobs: usize,
    show: &mut dyn FnMut(&Recorded),
) -> Vec<Recorded> {
    let is_wanted = |scenario: &&RecordedScenario| {
        options.only.is_empty() || options.only.iter().any(|name| name == scenario.name)
    };
    let wanted: Vec<&'static RecordedScenario> = RECORDED.iter().filter(is_wanted).collect();
    parallel::each(&wanted, jobs, |scenario| one(options, scenario), show)
}

fn one(options: RealOptions<'_>, scenario: &'static RecordedScenario) -> Recorded {
    let mut recorded = Recorded {
        scenario,
        missing: None,
        stdout: String::new(),
        stderr: String::new(),
        meta: Value::Null,
        steps: String::new(),
        prompt_way: "rpc",
        probes: BTreeMap::new(),
        forbidden: BTreeSet::new(),
    };
    let outcome = guarded(|| play(options, scenario, &mut recorded));
    recorded.missing = outcome.err();
    recorded
}

fn play(options: RealOptions<'_>, scenario: &RecordedScenario, recorded: &mut Recorded) -> Verdict {
    let Some(real) = REAL_SCENARIOS.iter().find(|it| it.name == scenario.real) else {
        return Err(Finding::Suite(format!("there is no scenario {}", scenario.real)));
    };
    if let Some(reason) = reason_to_skip(options, real) {
        return Err(Finding::Skip(reason));
    }
    let stage_options = StageOptions {
        suite: options.suite,
        settings: options.settings,
        cli: options.cli,
        is_relayed: true,
        prompt_end: PROMPT_END,
    };
    let folder = PathBuf::from(format!("record-{}", scenario.name));
    let mut stage = Stage::set(&stage_options, scenario.real, &folder)?;
    scenario.play.unwrap_or(real.play)(&mut stage)?;
    fill(options, &stage, recorded)
}

/// A command that works, then an answer.
fn command_works(stage: &mut Stage) -> Verdict {
    let (nonce, text) = (stage.nonce(), format!("It works: {}.", stage.nonce()));
    let record = stage.play(&tool_prompt(stage, "shell", &nonce, &text))?;
    completed(&record)?;
    says_last(&record, &text)?;
    results(&record, &["ok"])
}

/// Makes the recording of what was played last.
fn fill(options: RealOptions<'_>, stage: &Stage, recorded: &mut Recorded) -> Verdict {
    let prompt = stage.prompts.last().cloned().unwrap_or_default();
    let journals = stage.journals();
    let Some(index) = journals.iter().rposition(|journal| has(journal, &prompt)) else {
        let reason = "the prompt passed neither in an argument nor on stdin".to_owned();
        return Err(Finding::Blocked(reason));
    };
    let journal = &journals[index];
    let mut records = stage.records();
    let record = records.pop().unwrap_or_default();
    let earlier = records.first().and_then(|record| {
        record.of_type("session_started").next()?.value["sessionId"].as_str().map(str::to_owned)
    });
    let cwd = stage.cwd.to_string_lossy().into_owned();
    let around = Surroundings {
        prompt: &prompt,
        cwd: &cwd,
        secret: &stage.secret,
        earlier: earlier.as_deref(),
    };
    let known = Known::of(&record, &around);
    recorded.steps = template::template(journal, &known);
    recorded.prompt_way = prompt_way(journal, &prompt);
    let mut scrub = Scrub::new(fixed(stage, &known, &cwd));
    let lines = template::unsplit(journal, &known);
    recorded.stdout = lines.iter().map(|line| clean_line(&mut scrub, line)).collect();
    recorded.stderr = stderr(journal, &mut scrub);
    recorded.meta = meta(options, journal, recorded.scenario.recording, &mut scrub, stage);
    let probes = journals.iter().filter(|journal| !stage.prompts.iter().any(|it| has(journal, it)));
    recorded.probes = template::probes(probes, |journal| probe_answer(journal, &mut scrub.clone()));
    recorded.forbidden = forbidden(options, stage);
    Ok(())
}

/// What may be in nothing that is written: the key, the folders, the names, and of each the part
/// that is in no other place, in case it was cut apart.
fn forbidden(options: RealOptions<'_>, stage: &Stage) -> BTreeSet<String> {
    let work = options.suite.work.to_string_lossy().into_owned();
    let last = |text: &str| text.rsplit('-').next().unwrap_or_default().to_owned();
    let parts = [last(&stage.secret), last(&work), stage.secret.clone(), work];
    parts.into_iter().chain(process::user_names()).collect()
}

fn has(journal: &Journal, prompt: &str) -> bool {
    let said = |passed: &Passed| matches!(passed, Passed::Stdin { line } if line.contains(prompt));
    journal.arguments.iter().any(|it| it.contains(prompt)) || journal.passed.iter().any(said)
}

fn prompt_way(journal: &Journal, prompt: &str) -> &'static str {
    if journal.arguments.iter().any(|argument| argument.contains(prompt)) {
        return "argv";
    }
    let is_json = |passed: &Passed| match passed {
        Passed::Stdin { line } => {
            line.contains(prompt) && serde_json::from_str::<Value>(line).is_ok()
        }
        _ => false,
    };
    if journal.passed.iter().any(is_json) { "rpc" } else { "stdin" }
}

/// What stands in recordings for what differs from one run to the next.
fn fixed(stage: &Stage, known: &Known, cwd: &str) -> Vec<(String, String)> {
    let home = stage.folder.join("home").to_string_lossy().into_owned();
    let is_session = |(value, name): &&(String, &str)| *name == "session_id" && !is_uuid(value);
    let session = known.values.iter().filter(is_session);
    let mut fixed: Vec<(String, String)> =
        session.map(|(value, _)| (value.clone(), SESSION.to_owned())).collect();
    fixed.push((cwd.to_owned(), CWD.to_owned()));
    fixed.push((home, "/home/user".to_owned()));
    fixed.push((stage.secret.clone(), REDACTED.to_owned()));
    fixed.extend(process::user_names().into_iter().map(|name| (name, "user".to_owned())));
    fixed
}

fn clean_line(scrub: &mut Scrub, line: &str) -> String {
    match serde_json::from_str::<Value>(line) {
        Ok(value) => format!("{}\n", scrub.value(&value)),
        Err(_) => format!("{}\n", scrub.text(line)),
    }
}

fn stderr(journal: &Journal, scrub: &mut Scrub) -> String {
    let mut text = String::new();
    for passed in &journal.passed {
        if let Passed::Stderr { line } = passed {
            text.push_str(&scrub.text(line));
            text.push('\n');
        }
    }
    text
}

fn meta(
    options: RealOptions<'_>,
    journal: &Journal,
    recording: &str,
    scrub: &mut Scrub,
    stage: &Stage,
) -> Value {
    let name = options.suite.cli_name();
    let argv: Vec<String> = std::iter::once(name.clone())
        .chain(journal.arguments.iter().map(|argument| scrub.text(argument)))
        .collect();
    let stdin: String = journal
        .passed
        .iter()
        .filter_map(|passed| match passed {
            Passed::Stdin { line } => Some(clean_line(scrub, line)),
            _ => None,
        })
        .collect();
    let mut env_names = journal.env_names.clone();
    env_names.sort();
    let exit_code = journal.passed.iter().find_map(|passed| match passed {
        Passed::Exit { code } => *code,
        _ => None,
    });
    json!({
        "cli": name,
        "scenario": recording,
        "argv": argv,
        "env_names": env_names,
        "stdin": stdin,
        "exit_code": exit_code,
        "model_requests": stage.asked().len(),
    })
}

/// What the agent CLI says when it is asked about itself; of a help text only the flags are kept.
fn probe_answer(journal: &Journal, scrub: &mut Scrub) -> String {
    let text = journal.stdout();
    if journal.arguments.iter().any(|argument| argument == "--help" || argument == "-h") {
        return flags_in(&text).iter().map(|flag| format!("  {flag}\n")).collect();
    }
    text.lines().map(|line| clean_line(scrub, line)).collect()
}
