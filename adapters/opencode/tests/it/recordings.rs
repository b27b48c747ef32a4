//! Every recording: the real CLI's lines in, the expected events out.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use od_adapter_opencode::OpenCode;
use od_protocol::{SessionChoice, SessionMode, StartRunParams};
use od_sdk::testing::{check_events, replay_with};
use od_sdk::{Adapter, Exit, Install, PoliteStop};
use serde_json::Value;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("recordings").join("1.18.33")
}

fn read(scenario: &str, part: &str) -> String {
    let path = folder().join(format!("{scenario}.{part}"));
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn exit(scenario: &str, meta: &Value) -> Exit {
    let code = meta["exit_code"].as_i64().expect("a recording has an exit code") as i32;
    Exit {
        code: (code >= 0).then_some(code),
        signal: (code < 0).then_some(-code),
        stderr_tail: read(scenario, "stderr.txt"),
    }
}

/// The run that led to the recorded command line.
fn start_run_params(argv: &[&str]) -> StartRunParams {
    let flag = argv.iter().position(|argument| *argument == "--session");
    let id = flag.and_then(|index| argv.get(index + 1)).map(|id| (*id).to_owned());
    let mode = match id {
        Some(_) if argv.contains(&"--fork") => SessionMode::Fork,
        Some(_) => SessionMode::Resume,
        None => SessionMode::New,
    };
    StartRunParams {
        run_id: "run".to_owned(),
        cwd: "/workspace".to_owned(),
        session: SessionChoice { mode, id },
        ..StartRunParams::default()
    }
}

/// Where somebody cancels: after this text has gone by.
fn cancelled_at(scenario: &str) -> Option<&'static str> {
    match scenario {
        "acp_cancel" => Some("word4"),
        "acp_cancel_tool" => Some("tail -f"),
        _ => None,
    }
}

fn check(scenario: &str) {
    let meta: Value = serde_json::from_str(&read(scenario, "meta.json")).expect("meta is JSON");
    let argv: Vec<&str> =
        meta["argv"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let stdout = read(scenario, "stdout.jsonl");
    let host_answers_approvals = argv.contains(&"acp");
    let install = Install { host_answers_approvals, ..Install::default() };
    let mut mapper = OpenCode.mapper(&start_run_params(&argv), &install);
    let mut lines = stdout.lines();
    let mut cancel = cancelled_at(scenario);
    let replay =
        replay_with(&mut *mapper, stdout.as_bytes(), &exit(scenario, &meta), |mapper, output| {
            let line = lines.next().unwrap_or_default();
            if cancel.is_some_and(|text| line.contains(text)) {
                cancel = None;
                assert_eq!(mapper.on_cancel(output), PoliteStop::Written);
            }
        });
    assert!(cancel.is_none(), "{scenario}: nobody got to cancel");
    check_events(&folder().join(format!("{scenario}.events.jsonl")), &replay);
}

macro_rules! recordings {
    ($($scenario:ident)+) => {
        $(#[test] fn $scenario() {
            check(stringify!($scenario));
        })+

        /// Every recording is a test, and every test has its recording.
        #[test]
        fn every_recording_is_a_test() {
            let files = fs::read_dir(folder()).expect("the recordings are there");
            let names = files.filter_map(|file| file.ok()?.file_name().into_string().ok());
            let recorded: BTreeSet<String> = names
                .filter_map(|name| name.strip_suffix(".stdout.jsonl").map(str::to_owned))
                .collect();
            let tested = [$(stringify!($scenario)),+].map(str::to_owned);
            assert_eq!(recorded, BTreeSet::from(tested));
        }
    };
}

recordings! {
    acp_auth acp_cancel acp_cancel_tool acp_text acp_think acp_tool auth badmodel ctx drop
    emptyprompt failtool rate ratequota resume shell sigint_slow sigterm_in_tool sigterm_slow text
    think tool
}
