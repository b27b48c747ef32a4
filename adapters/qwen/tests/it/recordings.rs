//! Every recording: the real CLI's lines in, the expected events out.

use od_adapter_qwen::events::Events;
use od_protocol::adapter::{RespondRunParams, StartRunParams};
use od_protocol::{ApprovalOutcome, InputOutcome, SessionChoice, SessionMode};
use od_sdk::testing::{Recording, check_complete, decide, decision, replay_with};
use od_sdk::{Mapper, PoliteStop, RunOutput};
use serde_json::Value;

const ADAPTER: &str = env!("CARGO_MANIFEST_DIR");
const VERSION: &str = "0.15.10";

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

fn check(scenario: &str) {
    let recording = Recording::new(ADAPTER, VERSION, scenario);
    let stdout = recording.read("stdout.jsonl");
    let mut lines = stdout.lines();
    let mut host = Host { is_live: scenario == "bidi", asked: 0 };
    let mut events = Events::new(&start_run_params(&recording));
    let replay =
        replay_with(&mut events, stdout.as_bytes(), &recording.exit(), |mapper, output| {
            host.act(lines.next().unwrap_or_default(), mapper, output);
        });
    recording.check(&replay);
}

/// The host's part in the recording that was made live: yes, then no, then two more lines, then
/// the end.
struct Host {
    is_live: bool,
    asked: usize,
}

impl Host {
    fn act(&mut self, line: &str, mapper: &mut dyn Mapper, output: &mut RunOutput) {
        if !self.is_live {
            return;
        }
        if line.contains(r#""subtype":"can_use_tool""#) {
            self.decide(line, mapper, output);
        }
        // The recording's host waited for the result; ours says it while the turn runs.
        if self.asked > 0 && line.contains(r#""text":"finished.""#) {
            assert_eq!(mapper.on_input("more", None, output), InputOutcome::Queued);
        }
        if line.contains("word3 ") {
            assert_eq!(mapper.on_cancel(output), PoliteStop::Written);
        }
    }

    fn decide(&mut self, line: &str, mapper: &mut dyn Mapper, output: &mut RunOutput) {
        let line: Value = serde_json::from_str(line).expect("a line that asks is JSON");
        let approval_id = line["request_id"].as_str().unwrap_or_default();
        let outcome = match self.asked {
            0 => ApprovalOutcome::AllowOnce,
            _ => ApprovalOutcome::RejectOnce,
        };
        self.asked += 1;
        let message = Some("denied by host".to_owned());
        let respond_run_params = RespondRunParams { message, ..decision(approval_id, outcome) };
        decide(&respond_run_params, mapper, output);
    }
}

macro_rules! recordings {
    ($($scenario:ident)+) => {
        $(#[test] fn $scenario() {
            check(stringify!($scenario));
        })+

        #[test]
        fn every_recording_is_a_test() {
            check_complete(ADAPTER, VERSION, &[$(stringify!($scenario)),+]);
        }
    };
}

recordings! {
    approval_default auth bidi ctx drop err500 huge_stdin no_auto_memory rate rate_full rateafter
    resume shell sigint_slow sigterm_group_in_tool sigterm_in_tool sigterm_norelaunch sigterm_slow
    text text_nopartial think tool
}
