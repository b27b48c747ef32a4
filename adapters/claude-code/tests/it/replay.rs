//! Replays a recording of the real CLI; the host acts as it did when the recording was made.

use std::cell::Cell;

use od_adapter_claude_code::events::Events;
use od_protocol::adapter::StartRunParams;
use od_protocol::{SessionChoice, SessionMode};
use od_sdk::Install;
use od_sdk::testing::{Recording, Replay, replay_with};

use crate::host;

/// Lines we sent carry these ids in the recordings; the prompt is the first.
fn recorded_id() -> String {
    thread_local! { static NEXT: Cell<u32> = const { Cell::new(2) } }
    let number = NEXT.replace(NEXT.get() + 1);
    format!("00000000-0000-4000-8000-{number:012}")
}

/// The run that led to the recorded command line.
fn start_run_params(recording: &Recording) -> StartRunParams {
    let is_fork = recording.arguments().iter().any(|argument| argument == "--fork-session");
    let resumed = recording.flag("--resume");
    let mode = match resumed {
        Some(_) if is_fork => SessionMode::Fork,
        Some(_) => SessionMode::Resume,
        None => SessionMode::New,
    };
    let schema = recording.flag("--json-schema");
    StartRunParams {
        run_id: "run".to_owned(),
        cwd: "/workspace".to_owned(),
        session: SessionChoice { mode, id: resumed.or(recording.flag("--session-id")) },
        output_schema: schema.and_then(|schema| serde_json::from_str(&schema).ok()),
        ..StartRunParams::default()
    }
}

pub(crate) fn replay(recording: &Recording) -> Replay {
    let stdout = recording.read("stdout.jsonl");
    let mut lines = stdout.lines();
    let mut acts = host::acts(recording.scenario()).into_iter().peekable();
    let mut events = Events::new(&start_run_params(recording), &Install::default(), recorded_id);
    let replay =
        replay_with(&mut events, stdout.as_bytes(), &recording.exit(), |mapper, output| {
            let line = lines.next().unwrap_or_default();
            while let Some((_, act)) = acts.next_if(|(after, _)| line.contains(after)) {
                act.perform(line, mapper, output);
            }
        });
    assert!(acts.peek().is_none(), "{}: the host did not act", recording.scenario());
    replay
}
