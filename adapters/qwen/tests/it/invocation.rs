//! `run/start` → command line, environment, stdin.

use od_adapter_qwen::Qwen;
use od_protocol::adapter::StartRunParams;
use od_protocol::{
    Credential, CredentialKind, ErrorKind, McpServer, McpTransport, SessionChoice, SessionMode,
};
use od_sdk::testing::{self, SESSION, has, started_with, stdin_lines};
use od_sdk::{Install, Invocation};
use serde_json::{Value, json};

fn start(change: impl FnOnce(&mut StartRunParams)) -> Invocation {
    testing::started(&Qwen, change)
}

fn refused(change: impl FnOnce(&mut StartRunParams)) -> ErrorKind {
    testing::refused(&Qwen, change)
}

fn content(invocation: &Invocation) -> Value {
    let lines = stdin_lines(invocation);
    // Without this request first, Qwen Code never requests an approval.
    assert_eq!(lines[0]["request"]["subtype"], "initialize");
    lines[1]["message"]["content"].clone()
}

#[test]
fn prompt_is_passed_on_stdin_only() {
    let text = "@secret $(x) \u{2028} \"quoted\"\n-";
    let invocation = start(|params| params.prompt.text = text.to_owned());
    assert_eq!(
        content(&invocation),
        json!([{"type": "text", "text": ""}, {"type": "text", "text": text}])
    );
    assert!(invocation.args.iter().all(|argument| !argument.text.contains("secret")));
}

#[test]
fn slash_prompt_is_not_a_command() {
    let invocation = start(|params| params.prompt.text = "/clear".to_owned());
    let expected = json!([{"type": "text", "text": " "}, {"type": "text", "text": "/clear"}]);
    assert_eq!(content(&invocation), expected);
}

#[test]
fn stream_json_flags_are_always_set() {
    let invocation = start(|_| {});
    assert!(has(&invocation, &["--input-format", "stream-json", "--output-format", "stream-json"]));
    assert!(has(&invocation, &["--include-partial-messages"]));
    assert_eq!(invocation.env["QWEN_CODE_NO_RELAUNCH"], "true");
}

#[test]
fn credential_selects_auth_type() {
    let credential = |name: &str| Install {
        credential: Some(Credential { kind: CredentialKind::ApiKey, name: name.to_owned() }),
        ..Install::default()
    };
    let started = |install| started_with(&Qwen, &install, |_| {});
    assert!(has(&started(credential("OPENAI_API_KEY")), &["--auth-type", "openai"]));
    assert!(has(&started(credential("GOOGLE_API_KEY")), &["--auth-type", "vertex-ai"]));
    assert!(!has(&started(credential("ROUTER_KEY")), &["--auth-type"]));
}

#[test]
fn session_modes_become_flags() {
    let session = |mode, id: &str| {
        let id = Some(id.to_owned());
        move |params: &mut StartRunParams| params.session = SessionChoice { mode, id }
    };
    assert!(has(&start(session(SessionMode::New, SESSION)), &["--session-id", SESSION]));
    assert!(has(&start(session(SessionMode::Resume, SESSION)), &["--resume", SESSION]));
    assert_eq!(refused(session(SessionMode::Resume, "-x")), ErrorKind::SessionUnknown);
    assert_eq!(refused(session(SessionMode::New, "-x")), ErrorKind::ConfigInvalid);
}

#[test]
fn model_prompt_and_limits_become_flags() {
    let invocation = start(|params| {
        params.model = Some("big".to_owned());
        params.prompt.system = Some("--be brief".to_owned());
        params.max_turns = Some(3);
        params.add_dirs = vec!["/a b".to_owned()];
    });
    assert!(has(&invocation, &["--model", "big"]));
    assert!(has(&invocation, &["--append-system-prompt=--be brief"]));
    assert!(has(&invocation, &["--max-session-turns", "3"]));
    assert!(has(&invocation, &["--include-directories", "/a b"]));
    assert!(invocation.shown_args().iter().all(|argument| !argument.contains("brief")));
    let replaced = start(|params| {
        params.prompt.system = Some("mine".to_owned());
        params.adapter_options.insert("systemMode".to_owned(), json!("replace"));
    });
    assert!(has(&replaced, &["--system-prompt=mine"]));
    assert_eq!(refused(|params| params.max_turns = Some(0)), ErrorKind::ConfigInvalid);
    let relative = |params: &mut StartRunParams| params.add_dirs = vec!["a".to_owned()];
    assert_eq!(refused(relative), ErrorKind::ConfigInvalid);
    let comma = |params: &mut StartRunParams| params.add_dirs = vec!["/a,b".to_owned()];
    assert_eq!(refused(comma), ErrorKind::ConfigInvalid);
    let option = |params: &mut StartRunParams| {
        params.adapter_options.insert("maxSilence".to_owned(), json!(1));
    };
    assert_eq!(refused(option), ErrorKind::ConfigInvalid);
}

#[test]
fn tool_lists_and_modes_become_flags() {
    let invocation = start(|params| {
        params.permission_mode = Some("auto-edit".to_owned());
        params.allowed_tools = Some(vec!["run_shell_command(git status)".to_owned()]);
        params.denied_tools = Some(vec!["web_fetch".to_owned()]);
    });
    assert!(has(&invocation, &["--approval-mode", "auto-edit"]));
    assert!(has(&invocation, &["--allowed-tools=run_shell_command(git status)"]));
    assert!(has(&invocation, &["--exclude-tools=web_fetch"]));
    let flag = |params: &mut StartRunParams| params.denied_tools = Some(vec!["--yolo".to_owned()]);
    assert_eq!(refused(flag), ErrorKind::ConfigInvalid);
}

#[test]
fn mcp_servers_are_hidden_from_argv() {
    let invocation = start(|params| {
        params.mcp_servers = vec![McpServer {
            name: "files".to_owned(),
            transport: McpTransport::Http,
            url: Some("http://127.0.0.1:1".to_owned()),
            headers: [("Authorization".to_owned(), "secret".to_owned())].into(),
            command: None,
            args: Vec::new(),
            env: Default::default(),
        }];
    });
    let config = invocation.args.iter().find(|argument| argument.text.contains("mcpServers"));
    let config: Value =
        serde_json::from_str(&config.expect("the flag is set").text).expect("the flag holds JSON");
    assert_eq!(config["mcpServers"]["files"]["httpUrl"], "http://127.0.0.1:1");
    assert!(invocation.shown_args().iter().all(|argument| !argument.contains("secret")));
}
