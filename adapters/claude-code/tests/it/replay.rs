//! Replays a recording of the real CLI, with the actions of the host.

use std::cell::Cell;

use od_adapter_claude_code::events::Events;
use od_protocol::adapter::StartRunParams;
use od_protocol::{SessionChoice, SessionMode};
use od_sdk::Install;
use od_sdk::testing::{Recording, Replay, replay_with};

use crate::host_actions::host_actions;

/// The ids of input lines in the recordings; the prompt has the first.
fn recorded_id() -> String {
    thread_local! { static NEXT: Cell<u32> = const { Cell::new(2) } }
    let number = NEXT.replace(NEXT.get() + 1);
    format!("00000000-0000-4000-8000-{number:012}")
}

/// The parameters that lead to the recorded command line.
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
    let mut actions = host_actions(recording.scenario()).into_iter().peekable();
    let mut events = Events::new(&start_run_params(recording), &Install::default(), recorded_id);
    let replay =
        replay_with(&mut events, stdout.as_bytes(), &recording.exit(), |mapper, output| {
            let line = lines.next().unwrap_or_default();
            while let Some((_, action)) = actions.next_if(|(after, _)| line.contains(after)) {
                action.perform(line, mapper, output);
            }
        });
    assert!(actions.peek().is_none(), "{}: not all host actions happened", recording.scenario());
    replay
}
