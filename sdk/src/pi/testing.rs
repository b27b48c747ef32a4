//! For the tests of an adapter of the family: a recording and the run that led to it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use od_protocol::{
    ApprovalOutcome, ApprovalResolved, ApprovalResolver, Event, InputOutcome, RespondRunParams,
    SessionChoice, SessionMode, StartRunParams,
};
use serde_json::Value;

use super::{Dialect, PiEvents};
use crate::testing::{Replay, check_events, replay_with};
use crate::{Exit, Install, Mapper, PoliteStop, RunOutput};

/// A recording of an adapter: `recordings/<version>/<scenario>.*`. A talk both ways is in
/// `.rpc.jsonl`, one line a message; what the CLI only says is in `.stdout.jsonl`.
#[derive(Debug, Clone, Copy)]
pub struct Recording<'a> {
    /// How the CLI speaks.
    pub dialect: Dialect,
    /// The adapter's folder `recordings`.
    pub recordings: &'a str,
    /// The CLI's version.
    pub version: &'a str,
    /// What happened.
    pub scenario: &'a str,
}

impl Recording<'_> {
    /// Compares the events with those in `.events.jsonl`.
    ///
    /// # Panics
    /// When they differ, or a file is missing.
    pub fn check(&self) {
        check_events(&self.file("events.jsonl"), &self.replay());
    }

    /// Plays the recording; the host answers, says and stops what it did then.
    ///
    /// # Panics
    /// When a file is missing.
    pub fn replay(&self) -> Replay {
        let meta: Value = serde_json::from_str(&self.read("meta.json")).expect("meta is JSON");
        let install = Install {
            version: Some(self.version.to_owned()),
            host_answers_approvals: true,
            ..Install::default()
        };
        let mut start_run_params = start_run_params(&meta, &self.dialect);
        let talk = match self.file("rpc.jsonl").exists() {
            true => Talk::read(&self.read("rpc.jsonl")),
            false => {
                start_run_params.adapter_options.insert("mode".to_owned(), "json".into());
                Talk::listen(&self.read("stdout.jsonl"))
            }
        };
        let mut events = PiEvents::new(self.dialect, &start_run_params, &install);
        let mut lines = talk.lines.iter();
        let stdout = talk.lines.iter().map(|line| format!("{}\n", line.heard)).collect::<String>();
        replay_with(&mut events, stdout.as_bytes(), &self.exit(&meta), |mapper, output| {
            for said in lines.next().map(|line| line.said.as_slice()).unwrap_or_default() {
                act(said, mapper, output);
            }
        })
    }

    fn file(&self, part: &str) -> PathBuf {
        let folder = Path::new(self.recordings).join(self.version);
        folder.join(format!("{}.{part}", self.scenario))
    }

    fn read(&self, part: &str) -> String {
        let path = self.file(part);
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    fn exit(&self, meta: &Value) -> Exit {
        let code = meta["exit_code"].as_i64().expect("a recording has an exit code") as i32;
        Exit {
            code: (code >= 0).then_some(code),
            signal: (code < 0).then_some(-code),
            stderr_tail: self.read("stderr.txt"),
        }
    }
}

/// Every recording of a version is a test, and every test has its recording.
///
/// # Panics
/// When it is not so.
pub fn check_complete(recordings: &str, version: &str, scenarios: &[&str]) {
    let files = fs::read_dir(Path::new(recordings).join(version)).expect("there are recordings");
    let names = files.filter_map(|file| file.ok()?.file_name().into_string().ok());
    let recorded: BTreeSet<String> =
        names.filter_map(|name| name.strip_suffix(".meta.json").map(str::to_owned)).collect();
    let tested: BTreeSet<String> = scenarios.iter().map(|name| (*name).to_owned()).collect();
    assert_eq!(recorded, tested);
}

/// What was heard, and what was said after it.
#[derive(Debug, Default)]
struct Line {
    heard: String,
    said: Vec<Value>,
}

#[derive(Debug, Default)]
struct Talk {
    lines: Vec<Line>,
}

impl Talk {
    /// Only the CLI speaks. Lines end with `\n` and nothing else: U+2028 is part of a text.
    fn listen(stdout: &str) -> Self {
        let lines = stdout.split('\n').filter(|line| !line.trim().is_empty());
        let line = |heard: &str| Line { heard: heard.to_owned(), said: Vec::new() };
        Self { lines: lines.map(line).collect() }
    }

    /// The first prompt is the run's own.
    fn read(recording: &str) -> Self {
        let mut talk = Self::default();
        let mut has_prompt = false;
        for line in recording.split('\n').filter(|line| !line.trim().is_empty()) {
            let line: Value = serde_json::from_str(line).expect("a line of a talk is JSON");
            match (line["dir"].as_str(), talk.lines.last_mut()) {
                (Some("recv"), _) => {
                    let heard = line["msg"].to_string();
                    talk.lines.push(Line { heard, said: Vec::new() });
                }
                (Some("send"), _) if line["msg"]["type"] == "prompt" && !has_prompt => {
                    has_prompt = true;
                }
                (Some("send"), Some(last)) => last.said.push(line["msg"].clone()),
                _ => {}
            }
        }
        talk
    }
}

/// Does as a host what was said to the CLI.
fn act(said: &Value, mapper: &mut dyn Mapper, output: &mut RunOutput) {
    match said["type"].as_str().unwrap_or_default() {
        "abort" => {
            // The runner knows that it is being stopped before the mapper is asked.
            output.cancelling = true;
            assert_eq!(mapper.on_cancel(output), PoliteStop::Written);
        }
        "prompt" | "steer" | "follow_up" => {
            let text = said["message"].as_str().unwrap_or_default();
            assert_eq!(mapper.on_input(text, None, output), InputOutcome::Steered);
        }
        "extension_ui_response" => answer(said, mapper, output),
        _ => {}
    }
}

fn answer(said: &Value, mapper: &mut dyn Mapper, output: &mut RunOutput) {
    let approval_id = said["id"].as_str().unwrap_or_default().to_owned();
    let text = match (&said["value"], said["confirmed"].as_bool()) {
        (Value::String(value), _) => value.clone(),
        (_, Some(true)) => "yes".to_owned(),
        _ => "no".to_owned(),
    };
    let outcome = match text.as_str() {
        "Approve" => ApprovalOutcome::AllowOnce,
        _ if text == "Deny" || said["cancelled"] == true => ApprovalOutcome::RejectOnce,
        _ => {
            assert_eq!(mapper.on_input(&text, None, output), InputOutcome::Steered);
            return;
        }
    };
    // The runner tells the decision before it hands it on.
    output.event(Event::ApprovalResolved(ApprovalResolved {
        approval_id: approval_id.clone(),
        outcome,
        by: ApprovalResolver::User,
    }));
    let run_id = "run".to_owned();
    let respond_run_params = RespondRunParams {
        run_id,
        approval_id,
        outcome,
        updated_input: None,
        message: None,
        by: None,
    };
    mapper.on_decision(&respond_run_params, output);
}

/// The run that led to the recorded command line.
fn start_run_params(meta: &Value, dialect: &Dialect) -> StartRunParams {
    let argv: Vec<&str> =
        meta["argv"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let value_of = |flag: &str| {
        let index = argv.iter().position(|argument| *argument == flag)?;
        argv.get(index + 1).map(|value| (*value).to_owned())
    };
    let session = match (value_of("--fork"), value_of(dialect.resume_flag)) {
        (Some(id), _) => SessionChoice { mode: SessionMode::Fork, id: Some(id) },
        (None, Some(id)) => SessionChoice { mode: SessionMode::Resume, id: Some(id) },
        (None, None) => SessionChoice { mode: SessionMode::New, id: value_of("--session-id") },
    };
    StartRunParams {
        run_id: "run".to_owned(),
        cwd: "/workspace".to_owned(),
        session,
        ..StartRunParams::default()
    }
}
