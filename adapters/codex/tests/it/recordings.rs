//! Every recording: the real CLI's lines in, the expected events out.

use od_adapter_codex::Codex;
use od_protocol::adapter::StartRunParams;
use od_protocol::{Credential, CredentialKind, Effort, JsonObject, SessionChoice, SessionMode};
use od_sdk::testing::{Recording, Replay, check_complete, replay_with};
use od_sdk::{Adapter, Install};
use serde_json::{Value, json};

use crate::host;

const ADAPTER: &str = env!("CARGO_MANIFEST_DIR");

/// What was said to the app server when the recording was made.
fn requests(recording: &Recording) -> Vec<Value> {
    let meta = recording.meta();
    let lines = meta["stdin_lines"].as_array().cloned().unwrap_or_default();
    let read = |line: &Value| serde_json::from_str(line[1].as_str()?).ok();
    lines.iter().filter_map(read).collect()
}

fn find<'a>(requests: &'a [Value], method: &str) -> Option<&'a Value> {
    requests.iter().find(|request| request["method"] == method)
}

/// The run that led to what was recorded.
fn start_run_params(recording: &Recording, requests: &[Value]) -> StartRunParams {
    let arguments = recording.arguments();
    let exec = arguments.iter().any(|argument| argument == "exec");
    let thread = requests.iter().find(|request| {
        request["method"].as_str().is_some_and(|method| method.starts_with("thread/"))
    });
    let has = |word: &str| {
        arguments.iter().any(|argument| argument == word)
            || thread.is_some_and(|thread| thread["method"] == format!("thread/{word}"))
    };
    let mode = match (has("resume"), has("fork")) {
        (true, _) => SessionMode::Resume,
        (_, true) => SessionMode::Fork,
        _ => SessionMode::New,
    };
    let of_thread = thread.and_then(|thread| thread["params"]["threadId"].as_str());
    let is_id = |argument: &&String| argument.len() == 36 && argument.matches('-').count() == 4;
    let of_arguments = || arguments.iter().find(is_id).cloned();
    let id = of_thread.map(str::to_owned).or_else(of_arguments);
    let skills = find(requests, "skills/extraRoots/set").map(|_| "/skills".to_owned());
    let mut adapter_options = JsonObject::new();
    adapter_options.insert("mode".to_owned(), json!(if exec { "exec" } else { "app_server" }));
    StartRunParams {
        run_id: "run".to_owned(),
        cwd: "/workspace".to_owned(),
        effort: find(requests, "model/list").map(|_| Effort::Max),
        session: SessionChoice { mode, id },
        skills: skills.into_iter().collect(),
        adapter_options,
        ..StartRunParams::default()
    }
}

fn install(requests: &[Value]) -> Install {
    let by_key = ["account/login/start", "account/read"];
    let is_paid_by_key = by_key.iter().any(|method| find(requests, method).is_some());
    Install {
        credential: is_paid_by_key
            .then(|| Credential { kind: CredentialKind::ApiKey, name: "CODEX_API_KEY".to_owned() }),
        host_answers_approvals: true,
        ..Install::default()
    }
}

fn replay(recording: &Recording) -> Replay {
    let requests = requests(recording);
    let is_live = !requests.is_empty();
    let stdout = recording.read("stdout.jsonl");
    let mut lines = stdout.split('\n');
    let scripted = if is_live { host::acts(recording.scenario()) } else { Vec::new() };
    let mut acts = scripted.into_iter().peekable();
    let mut mapper = Codex.mapper(&start_run_params(recording, &requests), &install(&requests));
    let replay =
        replay_with(&mut *mapper, stdout.as_bytes(), &recording.exit(), |mapper, output| {
            let line = lines.next().unwrap_or_default();
            if let Some((_, act)) = acts.next_if(|(after, _)| line.contains(after)) {
                act.perform(line, mapper, output);
            }
        });
    assert!(acts.peek().is_none(), "{}: the host did not get to act", recording.scenario());
    replay
}

fn check(version: &str, scenario: &str) {
    let recording = Recording::new(ADAPTER, version, scenario);
    recording.check(&replay(&recording));
}

macro_rules! recordings {
    ($module:ident, $version:literal: $($scenario:ident)+) => {
        mod $module {
            use super::{ADAPTER, check, check_complete};

            $(#[test] fn $scenario() {
                check($version, stringify!($scenario));
            })+

            #[test]
            fn every_recording_is_a_test() {
                check_complete(ADAPTER, $version, &[$(stringify!($scenario)),+]);
            }
        }
    };
}

recordings! { v0_166_0, "0.166.0":
    badtool cmd_accept cmd_cancel cmd_decline cmd_session ctx400 ctxsse drop dropall
    effort_max empty flaky fork_turn interrupt interrupt_tool key_ignored key_login
    malformed maxtok mcp mcp_broken mcp_decline mcp_session model_fallback multi parallel
    patch patch_accept patch_decline patch_fails patch_kinds patch_session plain quota r401
    r403 r404 r429 r429long r500 refusal resume_bad resume_fork resume_nouuid resume_turn
    rlhdr shell skills_list skills_roots spawn_agent sseerr steer steer_done think toolfail
    unicode user_input view_image web_search
}

// The same version driven by `codex exec --json`.
recordings! { v0_166_0_exec, "0.166.0-exec":
    approval_flag approve_for_me argv_plus_stdin bad_cwd bad_reasoning bad_session badtool
    cd_flag codex_api_key_env ctx400 devinstr drop drop_default_retries effort_bad effort_c
    empty fork huge200k instr_file long maxtok no_dash_stdin noauth_envkey noauth_openai
    noprompt openai_key_env parallel patch_bypass patch_workspace_write plain plain55 quota
    r401 r401_openai r403 r404 r429 r429long r500 r529 resume_bad resume_flag_after
    resume_last resume_other_cwd resume_parent_flags resume_turn2 rlhdr session_turn1
    shell_bypass sigint_tool sigterm_slow sigterm_tool think toolfail unicode unknown_c
}

// The oldest version whose app server is used.
recordings! { v0_120_0, "0.120.0": badtool }

/// What is written to the CLI while a recording plays.
fn written(scenario: &str) -> Vec<Value> {
    let stdin = replay(&Recording::new(ADAPTER, "0.166.0", scenario)).stdin;
    let stdin = String::from_utf8(stdin).expect("what we write is text");
    stdin.lines().map(|line| serde_json::from_str(line).expect("a line is JSON")).collect()
}

fn methods(written: &[Value]) -> Vec<&str> {
    written.iter().filter_map(|message| message["method"].as_str()).collect()
}

#[test]
fn a_run_opens_with_a_thread_and_a_turn() {
    let written = written("plain");
    assert_eq!(methods(&written), ["thread/start", "turn/start"]);
    assert_eq!(written[1]["params"]["threadId"], "01a1e193-19a2-76b0-9a1b-c72f74930579");
}

#[test]
fn skills_are_said_before_the_thread_and_efforts_asked_for_after_it() {
    let skills = written("skills_roots");
    assert_eq!(methods(&skills), ["skills/extraRoots/set", "thread/start", "turn/start"]);
    let effort = written("effort_max");
    assert_eq!(methods(&effort), ["thread/start", "model/list", "turn/start"]);
    // gpt-5.5 has no max.
    assert_eq!(effort[2]["params"]["effort"], "xhigh");
}

#[test]
fn decisions_in_the_words_of_the_cli() {
    let decision = |scenario: &str| {
        let answers =
            written(scenario).into_iter().filter(|message| message.get("result").is_some());
        answers.map(|answer| answer["result"].clone()).collect::<Vec<Value>>()
    };
    assert_eq!(decision("cmd_accept"), [json!({"decision": "accept"})]);
    assert_eq!(decision("patch_session"), [json!({"decision": "acceptForSession"})]);
    assert_eq!(decision("cmd_decline"), [json!({"decision": "decline"})]);
    assert_eq!(decision("cmd_cancel"), [json!({"decision": "cancel"})]);
    assert_eq!(decision("mcp"), [json!({"action": "accept", "content": {}})]);
    let session = json!({"action": "accept", "content": {}, "_meta": {"persist": "session"}});
    assert_eq!(decision("mcp_session"), [session]);
    assert_eq!(decision("user_input"), [json!({"answers": {"q1": {"answers": ["B"]}}})]);
}

#[test]
fn cancelling_is_the_interrupt_of_the_turn() {
    let written = written("interrupt_tool");
    let interrupt = written.last().expect("something was written");
    assert_eq!(interrupt["method"], "turn/interrupt");
    assert_eq!(interrupt["params"]["turnId"], "01a1e2b2-ccaf-79d3-b14d-19cf92ef98df");
}

#[test]
fn a_rate_limit_is_not_waited_out() {
    let written = written("r429long");
    assert_eq!(written.last().expect("something was written")["method"], "turn/interrupt");
}
