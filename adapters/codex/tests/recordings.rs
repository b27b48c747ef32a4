//! One test per recording: the lines of the real CLI in, the expected events out.

#[path = "it/replay.rs"]
mod replay;
#[path = "it/scripted_host.rs"]
mod scripted_host;

use std::process::ExitCode;

use od_sdk::testing::{RecordingSuite, run_suites};

fn main() -> ExitCode {
    run_suites(&[RecordingSuite {
        name: "codex",
        folder: concat!(env!("CARGO_MANIFEST_DIR"), "/recordings"),
        input: "stdout.jsonl",
        replay: replay::replay,
        checked_elsewhere: &[],
    }])
}
