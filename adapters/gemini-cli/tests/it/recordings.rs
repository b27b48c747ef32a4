//! Every recording of `stream-json`: the real CLI's lines in, the expected events out.

use od_adapter_gemini_cli::events::Events;
use od_adapter_gemini_cli::options;
use od_protocol::adapter::StartRunParams;
use od_protocol::{JsonObject, SessionChoice, SessionMode};
use od_sdk::testing::{Recording, check_complete, replay};
use od_sdk::{Exit, Install};

const FOLDER: &str = env!("CARGO_MANIFEST_DIR");
const VERSION: &str = "0.61.0";

pub(crate) fn recording(scenario: &str) -> Recording {
    Recording::new(FOLDER, VERSION, scenario)
}

/// The run that led to the recorded command line. The recordings of refusals show all of the CLI's
/// own attempts, so the run has the patience for them.
fn start_run_params(recording: &Recording) -> StartRunParams {
    let mode = match recording.flag("--resume") {
        Some(_) => SessionMode::Resume,
        None => SessionMode::New,
    };
    let patience = ("maxRateLimitRetries".to_owned(), 9.into());
    assert!(options::schema()["properties"].get(&patience.0).is_some());
    StartRunParams {
        run_id: "run".to_owned(),
        cwd: "/workspace".to_owned(),
        session: SessionChoice { mode, id: None },
        adapter_options: JsonObject::from_iter([patience]),
        ..StartRunParams::default()
    }
}

fn check(scenario: &str) {
    let recording = recording(scenario);
    let mut events = Events::new(&start_run_params(&recording), &Install::default());
    let exit = recording.exit();
    // The runner takes colours away.
    let stderr_tail = exit.stderr_tail.replace("\u{1b}[31m", "").replace("\u{1b}[0m", "");
    let stdout = recording.read("stdout.jsonl");
    recording.check(&replay(&mut events, stdout.as_bytes(), &Exit { stderr_tail, ..exit }));
}

macro_rules! recordings {
    ($($scenario:ident)+) => {
        $(#[test] fn $scenario() { check(stringify!($scenario)); })+

        #[test]
        fn every_recording_is_a_test() {
            let talks = crate::talks::TALKS.iter().map(|name| format!("{name}_talk"));
            let lines = [$(stringify!($scenario)),+].map(str::to_owned);
            let all: Vec<String> = lines.into_iter().chain(talks).collect();
            let all: Vec<&str> = all.iter().map(String::as_str).collect();
            check_complete(FOLDER, VERSION, &all);
        }
    };
}

recordings! {
    approval_default approval_plan auth ctx default_model drop failtool gateway_auth_invalid
    json_format list_sessions list_sessions2 maxattempts2 noauth p_empty p_plus_stdin rate
    rate_full ratequota resume session_id shell sigint_group sigint_slow sigterm_group_in_tool
    sigterm_in_tool sigterm_norelaunch sigterm_slow text think tool two untrusted
}
