//! One test per recording: the lines of the CLI in, the expected events out.

use std::process::ExitCode;

use od_adapter_my_agent::events::Events;
use od_sdk::testing::{Recording, RecordingSuite, Replay, replay, run_suites};

fn main() -> ExitCode {
    run_suites(&[RecordingSuite {
        name: "my-agent",
        folder: concat!(env!("CARGO_MANIFEST_DIR"), "/recordings"),
        input: "stdout.jsonl",
        replay: replay_recording,
        checked_elsewhere: &[],
    }])
}

fn replay_recording(recording: &Recording) -> Replay {
    replay(&mut Events, recording.read("stdout.jsonl").as_bytes(), &recording.exit())
}
