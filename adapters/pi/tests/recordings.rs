//! One test per recording: the lines of the real CLI in, the expected events out.

#[path = "it/replay.rs"]
mod replay;

use std::process::ExitCode;

use od_sdk::testing::{RecordingSuite, run_suites};
use pi_family::{omp, pi};

fn main() -> ExitCode {
    run_suites(&[
        RecordingSuite {
            name: "pi",
            folder: concat!(env!("CARGO_MANIFEST_DIR"), "/pi/recordings"),
            input: "stdout.jsonl",
            replay: |recording| replay::replay(&pi::dialect::DIALECT, recording),
            checked_elsewhere: &[],
        },
        RecordingSuite {
            name: "omp",
            folder: concat!(env!("CARGO_MANIFEST_DIR"), "/omp/recordings"),
            input: "stdout.jsonl",
            replay: |recording| replay::replay(&omp::dialect::DIALECT, recording),
            checked_elsewhere: &[],
        },
    ])
}
