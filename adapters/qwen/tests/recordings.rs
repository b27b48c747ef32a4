//! One test per recording: the lines of the real CLI in, the expected events out.

use std::process::ExitCode;

use od_adapter_qwen::events::Events;
use od_protocol::adapter::{RespondRunParams, StartRunParams};
use od_protocol::{ApprovalOutcome, InputOutcome, SessionChoice, SessionMode};
use od_sdk::testing::{
    Recording, RecordingSuite, Replay, decide, decision, replay_with, run_suites,
};
use od_sdk::{Mapper, PoliteStop, RunOutput};
use serde_json::Value;

fn main() -> ExitCode {
    run_suites(&[RecordingSuite {
        name: "qwen",
        folder: concat!(env!("CARGO_MANIFEST_DIR"), "/recordings"),
        input: "stdout.jsonl",
        replay,
        checked_elsewhere: &[],
    }])
}

/// The run that led to the recorded command line.
fn start_run_params(recording: &Recording) -> StartRunParams {
    let id = recording.flag("--resume");
    let mode = if id.is_some() { SessionMode::Resume } else { SessionMode::New };
    StartRunParams {
        run_id: "run".to_owned(),
        cwd: "/workspace".to_owned(),
        session: SessionChoice { mode, id },
        ..StartRunParams::default()
    }
}

fn replay(recording: &Recording) -> Replay {
    let stdout = recording.read("stdout.jsonl");
    let mut lines = stdout.lines();
    let mut host = Host { is_live: recording.scenario() == "bidi", approvals: 0 };
    let mut events = Events::new(&start_run_params(recording));
    replay_with(&mut events, stdout.as_bytes(), &recording.exit(), |mapper, output| {
        host.act(lines.next().unwrap_or_default(), mapper, output);
    })
}

/// What the host does in the bidirectional recording: it allows, denies, sends input twice and
/// cancels.
struct Host {
    is_live: bool,
    approvals: usize,
}

impl Host {
    fn act(&mut self, line: &str, mapper: &mut dyn Mapper, output: &mut RunOutput) {
        if !self.is_live {
            return;
        }
        if line.contains(r#""subtype":"can_use_tool""#) {
            self.decide(line, mapper, output);
        }
        // In the recording the host waited for the result; here it sends the input during the turn.
        if self.approvals > 0 && line.contains(r#""text":"finished.""#) {
            assert_eq!(mapper.on_input("more".into(), output), InputOutcome::Queued);
        }
        if line.contains("word3 ") {
            assert_eq!(mapper.on_cancel(output), PoliteStop::Written);
        }
    }

    fn decide(&mut self, line: &str, mapper: &mut dyn Mapper, output: &mut RunOutput) {
        let line: Value = serde_json::from_str(line).expect("an approval request is JSON");
        let approval_id = line["request_id"].as_str().unwrap_or_default();
        let outcome = match self.approvals {
            0 => ApprovalOutcome::AllowOnce,
            _ => ApprovalOutcome::RejectOnce,
        };
        self.approvals += 1;
        let message = Some("denied by host".to_owned());
        let respond_run_params = RespondRunParams { message, ..decision(approval_id, outcome) };
        decide(&respond_run_params, mapper, output);
    }
}
