//! One test per recording: the lines of the real CLI in, the expected events out.

#[path = "it/host_actions.rs"]
mod host_actions;
#[path = "it/replay.rs"]
mod replay;

use std::process::ExitCode;

use od_sdk::testing::{RecordingSuite, run_suites};

fn main() -> ExitCode {
    run_suites(&[RecordingSuite {
        name: "claude-code",
        folder: concat!(env!("CARGO_MANIFEST_DIR"), "/recordings"),
        input: "stdout.jsonl",
        replay: replay::replay,
        checked_elsewhere: &[],
    }])
}
