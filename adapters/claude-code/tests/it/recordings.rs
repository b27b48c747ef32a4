//! Every recording: the real CLI's lines in, the expected events out.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use od_adapter_claude_code::events::Events;
use od_protocol::adapter::StartRunParams;
use od_protocol::{SessionChoice, SessionMode};
use od_sdk::testing::{Replay, check_events, replay_with};
use od_sdk::{Exit, Install};
use serde_json::Value;

use crate::host;

/// A recording: the CLI's version and what happened.
#[derive(Clone, Copy)]
struct Recording {
    version: &'static str,
    scenario: &'static str,
}

fn folder(version: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("recordings").join(version)
}

fn read(recording: Recording, part: &str) -> String {
    let path = folder(recording.version).join(format!("{}.{part}", recording.scenario));
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Lines we sent carry these ids in the recordings, the prompt being the first.
fn recorded_id() -> String {
    thread_local! { static NEXT: Cell<u32> = const { Cell::new(2) } }
    let number = NEXT.replace(NEXT.get() + 1);
    format!("00000000-0000-4000-8000-{number:012}")
}

fn exit(recording: Recording, meta: &Value) -> Exit {
    let code = meta["exit_code"].as_i64().expect("a recording has an exit code") as i32;
    Exit {
        code: (code >= 0).then_some(code),
        signal: (code < 0).then_some(-code),
        stderr_tail: read(recording, "stderr.txt"),
    }
}

/// The run that led to the recorded command line.
fn start_run_params(meta: &Value) -> StartRunParams {
    let argv: Vec<&str> =
        meta["argv"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let value_of = |flag: &str| {
        let index = argv.iter().position(|argument| *argument == flag)?;
        argv.get(index + 1).map(|value| (*value).to_owned())
    };
    let mode = match value_of("--resume") {
        Some(_) if argv.contains(&"--fork-session") => SessionMode::Fork,
        Some(_) => SessionMode::Resume,
        None => SessionMode::New,
    };
    StartRunParams {
        run_id: "run".to_owned(),
        cwd: "/workspace".to_owned(),
        session: SessionChoice { mode, id: value_of("--resume").or(value_of("--session-id")) },
        output_schema: value_of("--json-schema")
            .and_then(|schema| serde_json::from_str(&schema).ok()),
        ..StartRunParams::default()
    }
}

fn replay(recording: Recording) -> Replay {
    let meta: Value = serde_json::from_str(&read(recording, "meta.json")).expect("meta is JSON");
    let stdout = read(recording, "stdout.jsonl");
    let mut lines = stdout.lines();
    let mut acts = host::acts(recording.scenario).into_iter().peekable();
    let mut events = Events::new(&start_run_params(&meta), &Install::default(), recorded_id);
    let replay =
        replay_with(&mut events, stdout.as_bytes(), &exit(recording, &meta), |mapper, output| {
            let line = lines.next().unwrap_or_default();
            while let Some((_, act)) = acts.next_if(|(after, _)| line.contains(after)) {
                act.perform(line, mapper, output);
            }
        });
    assert!(acts.peek().is_none(), "{}: the host did not get to act", recording.scenario);
    replay
}

fn check(recording: Recording) {
    let file = format!("{}.events.jsonl", recording.scenario);
    check_events(&folder(recording.version).join(file), &replay(recording));
}

/// Every recording of a version is a test, and every test has its recording.
fn check_complete(version: &str, scenarios: &[&str]) {
    let files = fs::read_dir(folder(version)).expect("the recordings are there");
    let names = files.filter_map(|file| file.ok()?.file_name().into_string().ok());
    let recorded: BTreeSet<String> =
        names.filter_map(|name| name.strip_suffix(".stdout.jsonl").map(str::to_owned)).collect();
    let tested: BTreeSet<String> = scenarios.iter().map(|name| (*name).to_owned()).collect();
    assert_eq!(recorded, tested);
}

macro_rules! recordings {
    ($module:ident, $version:literal: $($scenario:ident)+) => {
        mod $module {
            use super::{Recording, check, check_complete};

            $(#[test] fn $scenario() {
                check(Recording { version: $version, scenario: stringify!($scenario) });
            })+

            #[test]
            fn every_recording_is_a_test() {
                check_complete($version, &[$(stringify!($scenario)),+]);
            }
        }
    };
}

recordings! { v2_1_197, "2.1.197":
    adddir_eats_prompt adddir_missing appendsys argv_plus_stdin authtoken bad400 bad_cwd
    bad_fork bad_session bad_system bad_system_mode bad_thinking_budget budget continue_flag
    ctx400 disallowed drop effort_bad empty hooks_events json_output jsonschema long
    max_thinking_tokens maxtok maxturns1_tool mcp_call model model_not_found name_flag noauth
    noprompt noverbose parallel perm_plan perm_tool_stdio_flag plain plain_argv quota r401
    r403 r404 r429 r429_default_retries r429_oauth r429long r500 refusal
    resume_after_sigterm_a resume_after_sigterm_b resume_bad resume_other_cwd resume_turn2
    rlhdr rlhdr_oauth session_id_bad session_id_reuse session_turn1 settingsources
    sigint_slow sigterm_slow sigterm_tool sj_approval_always sj_approval_deny
    sj_approval_edit sj_background_agent sj_badline sj_close_stdin_midturn sj_compact sj_control_misc
    sj_err_then_ok sj_interrupt sj_interrupt_tool sj_malformed sj_multiturn sj_perm_allow
    sj_perm_allow_mod sj_perm_error sj_perm_hang sj_perm_noflag sj_question sj_queue sj_r429_retry_after
    sj_slash_blocks sj_slash_string sj_sseerr sj_state_background_agent sj_state_interrupt
    sj_state_plain sj_state_queue sj_state_r401 sj_steer sj_structured sj_system_prompt
    sj_tasks sj_unreachable skill_add_dir skill_plugin_dir slash_cost slash_unknown
    subagent_agent sysprompt text_output think thinking_flag toolfail tools_none
    tools_restrict unicode write_accept write_bypass_root write_bypass_sandboxenv
    write_denied
}

// The newest version at the time of writing: what changed since is in command_lifecycle lines,
// thinking tokens and built-in plugins.
recordings! { v2_1_325, "2.1.325":
    sj_approval_edit sj_drop sj_interrupt_text sj_plain sj_queue sj_r401 sj_r429_retry_after
    sj_steer sj_subagent sj_think_write
}

/// What is written to the CLI while a recording plays.
fn written(scenario: &'static str) -> Vec<Value> {
    let recording = Recording { version: "2.1.197", scenario };
    let stdin = String::from_utf8(replay(recording).stdin).expect("what we write is text");
    stdin.lines().map(|line| serde_json::from_str(line).expect("a line is JSON")).collect()
}

#[test]
fn an_edited_input_is_the_one_that_runs() {
    let written = written("sj_approval_edit");
    let decision = &written[0]["response"]["response"];
    assert_eq!(decision["behavior"], "allow");
    assert_eq!(decision["updatedInput"]["command"], "echo edited");
    assert_eq!(decision.get("updatedPermissions"), None);
}

#[test]
fn always_means_this_session_and_not_the_settings_of_the_project() {
    let written = written("sj_approval_always");
    let decision = &written[0]["response"]["response"];
    assert_eq!(decision["behavior"], "allow");
    assert_eq!(decision["updatedInput"]["content"], "hello from fake model\n");
    assert_eq!(decision["updatedPermissions"][0]["destination"], "session");
}

#[test]
fn a_denial_carries_its_reason_and_lets_the_agent_go_on() {
    let written = written("sj_approval_deny");
    let decision = &written[0]["response"]["response"];
    assert_eq!(decision["behavior"], "deny");
    assert_eq!(decision["message"], "not today");
    assert_eq!(decision["interrupt"], false);
}

#[test]
fn cancelling_is_the_interrupt_request() {
    let written = written("sj_interrupt_tool");
    assert_eq!(written[0]["request"]["subtype"], "interrupt");
}

#[test]
fn input_is_followed_by_an_empty_block_so_that_it_is_data() {
    let written = written("sj_queue");
    assert_eq!(written.len(), 2);
    let content = &written[0]["message"]["content"];
    assert_eq!(content[0]["text"], "two");
    assert_eq!(content[1]["text"], "");
}

#[test]
fn a_question_in_words_is_answered_in_words() {
    let written = written("sj_question");
    let decision = &written[0]["response"]["response"];
    assert_eq!(decision["behavior"], "allow");
    assert_eq!(decision["updatedInput"]["answers"]["Which one?"], "B");
    assert_eq!(decision["updatedInput"]["questions"][0]["question"], "Which one?");
}
