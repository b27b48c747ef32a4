//! Recordings of `opencode run`.

use od_protocol::adapter::StartRunParams;
use od_protocol::{SessionChoice, SessionMode};
use od_sdk::testing::{Recording, Replay, replay};
use od_sdk::{Adapter, Install};
use opencode_family::OpenCode;

pub(crate) fn replay_recording(recording: &Recording) -> Replay {
    let id = recording.flag("--session");
    let mode = if id.is_some() { SessionMode::Resume } else { SessionMode::New };
    let start_run_params = StartRunParams {
        run_id: "run".to_owned(),
        cwd: "/workspace".to_owned(),
        session: SessionChoice { mode, id },
        ..StartRunParams::default()
    };
    let mut mapper = OpenCode.mapper(&start_run_params, &Install::default());
    replay(&mut *mapper, recording.read("stdout.jsonl").as_bytes(), &recording.exit())
}
