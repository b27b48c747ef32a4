//! One test per recording of `stream-json`: the lines of the real CLI in, the expected events out.

use std::process::ExitCode;

use od_adapter_gemini_cli::events::Events;
use od_adapter_gemini_cli::options;
use od_protocol::adapter::StartRunParams;
use od_protocol::{JsonObject, SessionChoice, SessionMode};
use od_sdk::testing::{Recording, RecordingSuite, Replay, replay, run_suites};
use od_sdk::{Exit, Install};

fn main() -> ExitCode {
    run_suites(&[RecordingSuite {
        name: "gemini-cli",
        folder: concat!(env!("CARGO_MANIFEST_DIR"), "/recordings"),
        input: "stdout.jsonl",
        replay: replay_recording,
        // Over ACP, see `it/acp.rs`.
        checked_elsewhere: &["main_talk", "nofs_talk", "load_talk", "noauth_talk"],
    }])
}

/// The run that led to the recorded command line. Recordings of refusals contain all retries of the
/// CLI, so the run allows them.
fn start_run_params(recording: &Recording) -> StartRunParams {
    let mode = match recording.flag("--resume") {
        Some(_) => SessionMode::Resume,
        None => SessionMode::New,
    };
    let retries = ("maxRateLimitRetries".to_owned(), 9.into());
    assert!(options::schema()["properties"].get(&retries.0).is_some());
    StartRunParams {
        run_id: "run".to_owned(),
        cwd: "/workspace".to_owned(),
        session: SessionChoice { mode, id: None },
        adapter_options: JsonObject::from_iter([retries]),
        ..StartRunParams::default()
    }
}

fn replay_recording(recording: &Recording) -> Replay {
    let mut events = Events::new(&start_run_params(recording), &Install::default());
    let exit = recording.exit();
    // The runner removes colours.
    let stderr_tail = exit.stderr_tail.replace("\u{1b}[31m", "").replace("\u{1b}[0m", "");
    let stdout = recording.read("stdout.jsonl");
    replay(&mut events, stdout.as_bytes(), &Exit { stderr_tail, ..exit })
}
