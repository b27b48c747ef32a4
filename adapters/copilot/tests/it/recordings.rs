//! Every recording of `--output-format json`: the real CLI's lines in, the expected events out.

use od_adapter_copilot::events::Events;
use od_protocol::adapter::StartRunParams;
use od_protocol::{JsonObject, SessionChoice, SessionMode};
use od_sdk::testing::{Recording, check_complete, replay};

use crate::talks::TALKS;

const ADAPTER: &str = env!("CARGO_MANIFEST_DIR");
const VERSION: &str = "1.0.102";

pub(crate) fn recording(scenario: &str) -> Recording {
    Recording::new(ADAPTER, VERSION, scenario)
}

/// The run that led to the recorded command line. The recordings of refusals show all of the CLI's
/// own attempts, so the run has the patience for them.
fn start_run_params(recording: &Recording) -> StartRunParams {
    let arguments = recording.arguments();
    let resumed = arguments.iter().find_map(|argument| argument.strip_prefix("--resume="));
    let mode = if resumed.is_some() { SessionMode::Resume } else { SessionMode::New };
    let id = resumed.map(str::to_owned).or(recording.flag("--session-id"));
    StartRunParams {
        run_id: "run".to_owned(),
        cwd: "/workspace".to_owned(),
        session: SessionChoice { mode, id },
        adapter_options: JsonObject::from_iter([("maxRetries".to_owned(), 5.into())]),
        ..StartRunParams::default()
    }
}

fn check(scenario: &str) {
    let recording = recording(scenario);
    let mut events = Events::new(&start_run_params(&recording));
    let stdout = recording.read("stdout.jsonl");
    recording.check(&replay(&mut events, stdout.as_bytes(), &recording.exit()));
}

macro_rules! recordings {
    ($($scenario:ident)+) => {
        $(#[test] fn $scenario() { check(stringify!($scenario)); })+

        #[test]
        fn every_recording_is_a_test() {
            let tested = [&[$(stringify!($scenario)),+], TALKS].concat();
            check_complete(ADAPTER, VERSION, &tested);
        }
    };
}

recordings! {
    argv_plus_stdin bad400 bad_cwd badtool cd_flag continue_flag ctx400 drop effort_bad empty
    faketoken_nonet huge200k maxtok mcp_call native_sigint_slow native_sigterm_slow
    native_sigterm_tool no_custom_instr noaskuser noauth p_empty parallel plain plain_argv quota
    r401 r403 r404 r429 r429long r500 r529 refusal resume_bad resume_turn2 session_turn1 shell
    shell_allowtool shell_denytool shell_noallow sigint_slow sigterm_slow sigterm_tool skills_list
    skills_list_trust sseerr stream_off think think_anthropic think_responses unicode usage_file
    write write_allowtool write_anthropic write_claude_model write_noallow
}
