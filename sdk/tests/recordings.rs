//! One test per recorded ACP session of a real agent: the agent's messages in, the expected events out.

use std::process::ExitCode;

use od_protocol::Prompt;
use od_protocol::adapter::StartRunParams;
use od_sdk::Exit;
use od_sdk::acp::{AcpMapper, Dialect, Handshake};
use od_sdk::testing::{AcpRecording, Recording, RecordingSuite, Replay, run_suites};

/// An agent that follows ACP without any differences.
struct PlainDialect;

impl Dialect for PlainDialect {}

fn main() -> ExitCode {
    run_suites(&[RecordingSuite {
        name: "acp",
        folder: concat!(env!("CARGO_MANIFEST_DIR"), "/recordings/acp"),
        input: "acp.jsonl",
        replay,
        checked_elsewhere: &[],
    }])
}

fn replay(recording: &Recording) -> Replay {
    let start_run_params = StartRunParams {
        cwd: "/workspace".to_owned(),
        prompt: Prompt { text: "hello".to_owned(), ..Prompt::default() },
        ..StartRunParams::default()
    };
    let handshake = Handshake::of(&start_run_params).expect("the options are valid");
    let handshake = Handshake { settings: Vec::new(), ..handshake };
    let mut mapper = AcpMapper::new(handshake, Box::new(PlainDialect));
    let session = AcpRecording::read(&recording.read("acp.jsonl"));
    session.replay(&mut mapper, &Exit { code: Some(0), ..Exit::default() })
}
