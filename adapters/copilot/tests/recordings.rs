//! One test per recording: the lines of the real CLI in, the expected events out. A recording over ACP
//! has both directions in `<scenario>.acp.jsonl`.

use std::process::ExitCode;

use od_adapter_copilot::acp;
use od_adapter_copilot::events::Events;
use od_protocol::adapter::StartRunParams;
use od_protocol::{JsonObject, Prompt, SessionChoice, SessionMode};
use od_sdk::Exit;
use od_sdk::testing::{AcpRecording, Recording, RecordingSuite, Replay, replay, run_suites};

fn main() -> ExitCode {
    run_suites(&[RecordingSuite {
        name: "copilot",
        folder: concat!(env!("CARGO_MANIFEST_DIR"), "/recordings"),
        input: "stdout.jsonl",
        replay: |recording| match recording.has("acp.jsonl") {
            true => replay_acp(recording),
            false => replay_json(recording),
        },
        checked_elsewhere: &[],
    }])
}

/// The run that led to the recorded command line. Recordings of refusals contain all retries of the
/// CLI, so the run allows them.
fn start_run_params(recording: &Recording) -> StartRunParams {
    let arguments = recording.arguments();
    let resumed = arguments.iter().find_map(|argument| argument.strip_prefix("--resume="));
    let mode = if resumed.is_some() { SessionMode::Resume } else { SessionMode::New };
    let id = resumed.map(str::to_owned).or(recording.flag("--session-id"));
    StartRunParams {
        run_id: "run".to_owned(),
        cwd: "/workspace".to_owned(),
        session: SessionChoice { mode, id },
        adapter_options: JsonObject::from_iter([("maxRetries".to_owned(), 5.into())]),
        ..StartRunParams::default()
    }
}

fn replay_json(recording: &Recording) -> Replay {
    let mut events = Events::new(&start_run_params(recording));
    replay(&mut events, recording.read("stdout.jsonl").as_bytes(), &recording.exit())
}

fn replay_acp(recording: &Recording) -> Replay {
    let start_run_params = StartRunParams {
        cwd: "/workspace".to_owned(),
        prompt: Prompt { text: "hello".to_owned(), ..Prompt::default() },
        ..StartRunParams::default()
    };
    let mut mapper = acp::mapper(&start_run_params);
    let talk = AcpRecording::read(&recording.read("acp.jsonl"));
    talk.replay(&mut *mapper, &Exit { code: Some(0), ..Exit::default() })
}
