//! Replays a recording. In a folder `<version>-rpc` the CLI ran with `--mode rpc`, and
//! `<scenario>.stdin.jsonl` has what was written to it: each line with the number of output lines
//! before it.

use od_protocol::adapter::StartRunParams;
use od_protocol::{ApprovalOutcome, InputOutcome, SessionChoice, SessionMode};
use serde::Deserialize;
use serde_json::Value;

use od_sdk::testing::{Recording, Replay, cancel, decide, decision, replay_with};
use od_sdk::{Install, Mapper, PoliteStop, RunOutput};
use pi_family::{Dialect, PiEvents};

/// The end of the name of such a folder.
const RPC: &str = "-rpc";

/// A line that was written to the CLI.
#[derive(Debug, Deserialize)]
struct Written {
    /// The number of output lines before it.
    after: usize,
    msg: Value,
}

/// Replays a recording; the host does what it did then.
pub(crate) fn replay(dialect: &Dialect, recording: &Recording) -> Replay {
    let version = recording.version();
    let (number, mode) = match version.strip_suffix(RPC) {
        Some(number) => (number, "rpc"),
        None => (version.as_str(), "json"),
    };
    let install = Install {
        version: Some(number.to_owned()),
        host_answers_approvals: true,
        ..Install::default()
    };
    let mut start_run_params = start_run_params(recording, dialect);
    start_run_params.adapter_options.insert("mode".to_owned(), mode.into());
    let written = match mode {
        "rpc" => written_lines(&recording.read("stdin.jsonl")),
        _ => Vec::new(),
    };
    let mut events = PiEvents::new(*dialect, &start_run_params, &install);
    let stdout = recording.read("stdout.jsonl");
    let mut lines = 0;
    replay_with(&mut events, stdout.as_bytes(), &recording.exit(), |mapper, output| {
        lines += 1;
        for written in written.iter().filter(|written| written.after == lines) {
            act(&written.msg, mapper, output);
        }
    })
}

/// The written lines, without the run's own prompt.
fn written_lines(stdin: &str) -> Vec<Written> {
    let mut has_prompt = false;
    let lines = stdin.lines().map(|line| serde_json::from_str(line).expect("a line is JSON"));
    lines
        .filter(|written: &Written| {
            let is_prompt = written.msg["type"] == "prompt";
            !is_prompt || std::mem::replace(&mut has_prompt, true)
        })
        .collect()
}

/// Does what the host did when this line was written.
fn act(written: &Value, mapper: &mut dyn Mapper, output: &mut RunOutput) {
    match written["type"].as_str().unwrap_or_default() {
        "abort" => {
            assert_eq!(cancel(mapper, output), PoliteStop::Written);
        }
        "prompt" | "steer" | "follow_up" => {
            let text = written["message"].as_str().unwrap_or_default();
            assert_eq!(mapper.on_input(text.into(), output), InputOutcome::Steered);
        }
        "extension_ui_response" => answer(written, mapper, output),
        _ => {}
    }
}

fn answer(written: &Value, mapper: &mut dyn Mapper, output: &mut RunOutput) {
    let text = match (&written["value"], written["confirmed"].as_bool()) {
        (Value::String(value), _) => value.clone(),
        (_, Some(true)) => "yes".to_owned(),
        _ => "no".to_owned(),
    };
    let outcome = match text.as_str() {
        "Approve" => ApprovalOutcome::AllowOnce,
        _ if text == "Deny" || written["cancelled"] == true => ApprovalOutcome::RejectOnce,
        _ => {
            assert_eq!(mapper.on_input(text.as_str().into(), output), InputOutcome::Steered);
            return;
        }
    };
    let approval_id = written["id"].as_str().unwrap_or_default();
    decide(&decision(approval_id, outcome), mapper, output);
}

/// The run that led to the recorded command line.
fn start_run_params(recording: &Recording, dialect: &Dialect) -> StartRunParams {
    let session = match (recording.flag("--fork"), recording.flag(dialect.resume_flag)) {
        (Some(id), _) => SessionChoice { mode: SessionMode::Fork, id: Some(id) },
        (None, Some(id)) => SessionChoice { mode: SessionMode::Resume, id: Some(id) },
        (None, None) => {
            SessionChoice { mode: SessionMode::New, id: recording.flag("--session-id") }
        }
    };
    StartRunParams {
        run_id: "run".to_owned(),
        cwd: "/workspace".to_owned(),
        session,
        ..StartRunParams::default()
    }
}
