//! One test per recording: the output of the real CLI in, the expected events out.

#[path = "../it/http/handshake.rs"]
mod handshake;
mod http;
mod opencode;

use std::process::ExitCode;

use od_sdk::testing::{RecordingSuite, run_suites};

fn main() -> ExitCode {
    run_suites(&[
        RecordingSuite {
            name: "opencode",
            folder: concat!(env!("CARGO_MANIFEST_DIR"), "/opencode/recordings"),
            input: "stdout.jsonl",
            replay: opencode::replay_recording,
            checked_elsewhere: &[],
        },
        RecordingSuite {
            name: "opencode-http",
            folder: concat!(env!("CARGO_MANIFEST_DIR"), "/opencode-http/recordings"),
            input: "sse.jsonl",
            replay: http::replay_recording,
            checked_elsewhere: &[],
        },
    ])
}
