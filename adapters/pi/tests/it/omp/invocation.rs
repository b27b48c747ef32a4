//! `run/start` → command line and stdin, where oh-my-pi differs from Pi.

use od_protocol::adapter::StartRunParams;
use od_protocol::{ErrorKind, SessionChoice, SessionMode};
use od_sdk::Flags;
use od_sdk::testing::{args, start_params as params, started, stdin_lines};
use od_sdk::{Adapter, Install, Invocation};
use pi_family::OMP;
use serde_json::{Value, json};

fn start(change: impl FnOnce(&mut StartRunParams)) -> Invocation {
    started(&OMP, change)
}

fn prompt(invocation: &Invocation) -> Value {
    stdin_lines(invocation).swap_remove(1)
}

#[test]
fn run_uses_rpc_without_title() {
    let invocation = start(|_| {});
    assert_eq!(args(&invocation), ["--mode", "rpc", "--no-title"]);
    assert_eq!(prompt(&invocation)["type"], "prompt");
    let json = start(|params| {
        params.adapter_options.insert("mode".to_owned(), json!("json"));
    });
    assert_eq!(args(&json), ["-p", "--mode", "json", "--no-title"]);
}

#[test]
fn prompt_with_slash_is_literal() {
    let prompt = prompt(&start(|params| params.prompt.text = "/model x".to_owned()));
    assert_eq!(
        (&prompt["type"], &prompt["message"]),
        (&json!("abort_and_prompt"), &json!("/model x"))
    );
}

#[test]
fn options_become_flags() {
    let session = |mode| {
        let id = Some("01a1e1a8-74d2".to_owned());
        start(move |params| params.session = SessionChoice { mode, id })
    };
    assert!(args(&session(SessionMode::Resume)).ends_with(&["--resume", "01a1e1a8-74d2"]));
    assert!(args(&session(SessionMode::Fork)).ends_with(&["--fork", "01a1e1a8-74d2"]));
    let new = params(|params| params.session.id = Some("mine".to_owned()));
    let error = OMP.invocation(&new, &Install::default()).expect_err("it chooses ids itself");
    assert_eq!(error.kind(), ErrorKind::CapabilityUnsupported);
    let invocation = start(|params| {
        params.add_dirs = vec!["/one".to_owned(), "/two words".to_owned()];
        params.permission_mode = Some("always-ask".to_owned());
    });
    let expected =
        ["--add-dir", "/one", "--add-dir", "/two words", "--approval-mode", "always-ask"];
    assert!(args(&invocation).ends_with(&expected));
    assert_eq!(invocation.permission_mode.as_deref(), Some("always-ask"));
}

/// An optional flag is left out if the help does not list it; `--fork` is hidden and always used.
#[test]
fn missing_flag_is_left_out_with_notice() {
    let install = Install { flags: Some(Flags::parse("--mode --resume")), ..Install::default() };
    let fork = params(|params| {
        params.session = SessionChoice { mode: SessionMode::Fork, id: Some("s1".to_owned()) };
    });
    let invocation = OMP.invocation(&fork, &install).expect("the run is accepted");
    assert_eq!(args(&invocation), ["--mode", "rpc", "--fork", "s1"]);
    let mut mapper = OMP.mapper(&fork, &install);
    let line = br#"{"type":"ready"}"#.as_slice();
    let replay = od_sdk::testing::replay(&mut *mapper, line, &od_sdk::Exit::default());
    assert_eq!(replay.events[1]["code"], "degraded");
}
