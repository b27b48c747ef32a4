//! `run/start` → command line, variables, stdin.

use od_protocol::adapter::StartRunParams;
use od_protocol::{Effort, ErrorKind, ImageInput, SessionChoice, SessionMode};
use od_sdk::invocation::StdinMode;
use od_sdk::testing::{args, start_params as params, started_with, stdin_lines, values};
use od_sdk::{Adapter, Install, Invocation};
use pi_family::PI;
use serde_json::json;

fn version(version: &str) -> Install {
    Install { version: Some(version.to_owned()), ..Install::default() }
}

fn start(change: impl FnOnce(&mut StartRunParams)) -> Invocation {
    started_with(&PI, &version("0.87.1"), change)
}

fn refused(install: &Install, change: impl FnOnce(&mut StartRunParams)) -> ErrorKind {
    let error = PI.invocation(&params(change), install).expect_err("the option is not supported");
    assert!(error.hint().is_some(), "{error:?}");
    error.kind()
}

#[test]
fn current_version_uses_rpc() {
    let text = "/cost @secret $(x) \"quoted\"\n-";
    let invocation = start(|params| params.prompt.text = text.to_owned());
    assert_eq!(args(&invocation), ["--mode", "rpc"]);
    assert_eq!(invocation.stdin_mode, StdinMode::KeepOpen);
    let lines = stdin_lines(&invocation);
    assert_eq!(lines[0]["type"], "get_state");
    assert_eq!(lines[1], json!({"id": "od-prompt", "type": "prompt", "message": text}));
}

#[test]
fn old_version_uses_json_mode() {
    let invocation = PI.invocation(&params(|_| {}), &version("0.73.1")).expect("fine");
    assert_eq!(args(&invocation), ["--mode", "json"]);
    assert_eq!(invocation.stdin, b"hello");
    assert_eq!(invocation.stdin_mode, StdinMode::Close);
    let json_mode = |params: &mut StartRunParams| {
        params.adapter_options.insert("mode".to_owned(), json!("json"));
    };
    assert_eq!(args(&start(json_mode)), ["--mode", "json"]);
}

#[test]
fn session_becomes_flags() {
    let session = |mode, id: &str| {
        let id = Some(id.to_owned());
        move |params: &mut StartRunParams| params.session = SessionChoice { mode, id }
    };
    let started = |mode| start(session(mode, "od.run-1"));
    assert_eq!(values(&started(SessionMode::New), "--session-id"), ["od.run-1"]);
    assert_eq!(values(&started(SessionMode::Resume), "--session"), ["od.run-1"]);
    assert_eq!(values(&started(SessionMode::Fork), "--fork"), ["od.run-1"]);
    let current = version("0.87.1");
    for id in ["--help", "../../x.jsonl", "a b", "", "-x", "x-"] {
        assert_eq!(refused(&current, session(SessionMode::Resume, id)), ErrorKind::SessionUnknown);
        assert_eq!(refused(&current, session(SessionMode::New, id)), ErrorKind::ConfigInvalid);
    }
    let old = version("0.73.1");
    let new_id = session(SessionMode::New, "od");
    assert_eq!(refused(&old, new_id), ErrorKind::CapabilityUnsupported);
}

#[test]
fn model_and_effort_become_flags() {
    let invocation = start(|params| {
        params.model = Some("anthropic/claude-opus".to_owned());
        params.effort = Some(Effort::Max);
    });
    assert_eq!(values(&invocation, "--model"), ["anthropic/claude-opus"]);
    assert_eq!(values(&invocation, "--thinking"), ["max"]);
    // Older versions have `xhigh` as the highest level.
    let highest = params(|params| params.effort = Some(Effort::Max));
    let invocation = PI.invocation(&highest, &version("0.80.5")).expect("fine");
    assert_eq!(values(&invocation, "--thinking"), ["xhigh"]);
}

#[test]
fn system_prompt_is_literal_and_hidden() {
    let system = |text: &str| {
        let text = Some(text.to_owned());
        move |params: &mut StartRunParams| params.prompt.system = text
    };
    let invocation = start(system("/etc/passwd"));
    assert_eq!(values(&invocation, "--append-system-prompt"), ["/etc/passwd\n"]);
    assert!(!invocation.shown_args().iter().any(|argument| argument.contains("passwd")));
    let replaced = start(|params| {
        system("mine")(params);
        params.adapter_options.insert("systemMode".to_owned(), json!("replace"));
    });
    assert_eq!(values(&replaced, "--system-prompt"), ["mine\n"]);
    let long = system(&"x".repeat(200_000));
    assert_eq!(refused(&version("0.87.1"), long), ErrorKind::PromptTooLarge);
}

#[test]
fn images_and_files_are_attached() {
    let image = |data: Option<&str>, path: Option<&str>| ImageInput {
        mime: "image/png".to_owned(),
        data: data.map(str::to_owned),
        path: path.map(str::to_owned),
    };
    let invocation = start(|params| {
        params.prompt.attachments = vec!["/workspace/a b.txt".to_owned()];
        params.prompt.images = vec![image(Some("AAAA"), None), image(None, Some("/p.png"))];
    });
    let prompt = &stdin_lines(&invocation)[1];
    assert_eq!(prompt["message"], "hello\n\nAttached files:\n/workspace/a b.txt\n/p.png");
    let expected = json!([{"type": "image", "data": "AAAA", "mimeType": "image/png"}]);
    assert_eq!(prompt["images"], expected);
    let by_value =
        |params: &mut StartRunParams| params.prompt.images = vec![image(Some("AAAA"), None)];
    assert_eq!(refused(&version("0.73.1"), by_value), ErrorKind::CapabilityUnsupported);
    let neither = |params: &mut StartRunParams| params.prompt.images = vec![image(None, None)];
    assert_eq!(refused(&version("0.87.1"), neither), ErrorKind::ConfigInvalid);
}

#[test]
fn tools_and_skills_become_flags() {
    let invocation = start(|params| {
        params.allowed_tools = Some(vec!["read".to_owned(), "bash".to_owned()]);
        params.denied_tools = Some(vec!["write".to_owned()]);
        params.skills = vec!["/skills/one".to_owned(), "/skills/two".to_owned()];
    });
    assert_eq!(values(&invocation, "--tools"), ["read,bash"]);
    assert_eq!(values(&invocation, "--exclude-tools"), ["write"]);
    assert_eq!(values(&invocation, "--skill"), ["/skills/one", "/skills/two"]);
    let none = start(|params| params.allowed_tools = Some(Vec::new()));
    assert!(args(&none).contains(&"--no-tools"));
    let current = version("0.87.1");
    let flag = |params: &mut StartRunParams| params.denied_tools = Some(vec!["--help".to_owned()]);
    assert_eq!(refused(&current, flag), ErrorKind::ConfigInvalid);
    let relative = |params: &mut StartRunParams| params.skills = vec!["--help".to_owned()];
    assert_eq!(refused(&current, relative), ErrorKind::ConfigInvalid);
    let denied = |params: &mut StartRunParams| params.denied_tools = Some(vec!["bash".to_owned()]);
    assert_eq!(refused(&version("0.76.9"), denied), ErrorKind::CapabilityUnsupported);
}

#[test]
fn unknown_option_is_rejected() {
    let unknown = |params: &mut StartRunParams| {
        params.adapter_options.insert("maxRetry".to_owned(), json!(7));
    };
    assert_eq!(refused(&version("0.87.1"), unknown), ErrorKind::ConfigInvalid);
}
