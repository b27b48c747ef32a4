//! `run/start` → command line, variables, stdin.

use od_protocol::adapter::StartRunParams;
use od_protocol::{Effort, ErrorKind, McpServer, McpTransport, Policy, SessionChoice, SessionMode};
use od_sdk::testing::{self, args, started_with, values};
use od_sdk::{Install, Invocation};
use opencode_family::OpenCode;
use serde_json::json;

const SESSION: &str = "ses_e1e6fb0b3ffes15hYm1HU4J4ui";

fn start(change: impl FnOnce(&mut StartRunParams)) -> Invocation {
    testing::started(&OpenCode, change)
}

fn start_with_approvals(change: impl FnOnce(&mut StartRunParams)) -> Invocation {
    let install = Install { host_answers_approvals: true, ..Install::default() };
    started_with(&OpenCode, &install, change)
}

fn refused(change: impl FnOnce(&mut StartRunParams)) -> ErrorKind {
    testing::refused(&OpenCode, change)
}

fn value<'a>(invocation: &'a Invocation, flag: &str) -> Option<&'a str> {
    values(invocation, flag).first().copied()
}

fn mcp_server() -> McpServer {
    McpServer {
        name: "echo".to_owned(),
        transport: McpTransport::Stdio,
        command: Some("echo".to_owned()),
        args: Vec::new(),
        env: Default::default(),
        url: None,
        headers: Default::default(),
    }
}

#[test]
fn prompt_is_only_on_stdin() {
    let text = "/cost @secret $(x) \u{2028} \"quoted\"\n-";
    let invocation = start(|params| params.prompt.text = text.to_owned());
    assert_eq!(invocation.stdin, text.as_bytes());
    assert_eq!(args(&invocation)[..3], ["run", "--format", "json"]);
    assert!(!args(&invocation).iter().any(|argument| argument.contains("/cost")));
}

#[test]
fn approvals_and_mcp_servers_select_acp() {
    assert_eq!(args(&start_with_approvals(|_| {}))[0], "acp");
    assert_eq!(
        args(&start_with_approvals(|params| params.permission_mode = Some("auto".to_owned())))[0],
        "run"
    );
    assert_eq!(args(&start_with_approvals(|params| params.effort = Some(Effort::High)))[0], "acp");
    assert_eq!(args(&start(|params| params.mcp_servers = vec![mcp_server()]))[0], "acp");
    let with_mode = |mode: &str| {
        let mode = json!(mode);
        start_with_approvals(move |params| {
            drop(params.adapter_options.insert("mode".to_owned(), mode))
        })
    };
    assert_eq!(args(&with_mode("json"))[0], "run");
    assert_eq!(args(&with_mode("acp"))[0], "acp");
}

#[test]
fn mode_rejects_unsupported_options() {
    let servers_by_lines = |params: &mut StartRunParams| {
        params.mcp_servers = vec![mcp_server()];
        params.adapter_options.insert("mode".to_owned(), json!("json"));
    };
    assert_eq!(refused(servers_by_lines), ErrorKind::CapabilityUnsupported);
    let unknown = |params: &mut StartRunParams| {
        params.adapter_options.insert("nope".to_owned(), json!(1));
    };
    assert_eq!(refused(unknown), ErrorKind::ConfigInvalid);
}

#[test]
fn session_becomes_flags() {
    let session = |mode| {
        start(move |params| {
            params.session = SessionChoice { mode, id: Some(SESSION.to_owned()) };
        })
    };
    assert_eq!(value(&session(SessionMode::Resume), "--session"), Some(SESSION));
    assert!(!args(&session(SessionMode::Resume)).contains(&"--fork"));
    assert!(args(&session(SessionMode::Fork)).contains(&"--fork"));
    let with_id = |mode, id: &'static str| {
        move |params: &mut StartRunParams| {
            params.session = SessionChoice { mode, id: Some(id.to_owned()) };
        }
    };
    assert_eq!(refused(with_id(SessionMode::Resume, "--help")), ErrorKind::SessionUnknown);
    assert_eq!(refused(with_id(SessionMode::New, SESSION)), ErrorKind::CapabilityUnsupported);
    let bare_model = |params: &mut StartRunParams| params.model = Some("gpt-5".to_owned());
    assert_eq!(refused(bare_model), ErrorKind::ModelUnknown);
}

#[test]
fn options_become_flags() {
    let invocation = start(|params| {
        params.model = Some("anthropic/claude-opus-4-7".to_owned());
        params.effort = Some(Effort::Max);
        params.permission_mode = Some("plan".to_owned());
        params.prompt.attachments = vec!["/workspace/a b.txt".to_owned()];
    });
    assert_eq!(value(&invocation, "--model"), Some("anthropic/claude-opus-4-7"));
    assert_eq!(value(&invocation, "--variant"), Some("max"));
    assert_eq!(value(&invocation, "--agent"), Some("plan"));
    assert_eq!(value(&invocation, "--file"), Some("/workspace/a b.txt"));
    assert_eq!(value(&invocation, "--log-level"), Some("ERROR"));
    let auto = start(|params| params.permission_mode = Some("auto".to_owned()));
    assert!(args(&auto).contains(&"--auto"));
}

#[test]
fn rules_are_passed_in_variable() {
    let plain = start(|_| {});
    assert!(!plain.env.contains_key("OPENCODE_PERMISSION"));
    let ruled = start(|params| {
        params.policy = Some(Policy { shell_deny: vec!["rm ".to_owned()], ..Policy::default() });
    });
    assert_eq!(ruled.env["OPENCODE_PERMISSION"], r#"{"bash":{"rm *":"deny"}}"#);
}
