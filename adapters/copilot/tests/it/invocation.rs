//! `run/start` → command line, environment, stdin.

use od_adapter_copilot::Copilot;
use od_protocol::adapter::StartRunParams;
use od_protocol::{
    Effort, ErrorKind, ImageInput, McpServer, McpTransport, SessionChoice, SessionMode,
};
use od_sdk::testing::{self, SESSION, has, started_with};
use od_sdk::{Install, Invocation};
use serde_json::{Value, json};

fn start(change: impl FnOnce(&mut StartRunParams)) -> Invocation {
    testing::started(&Copilot, change)
}

fn start_with_approvals(change: impl FnOnce(&mut StartRunParams)) -> Invocation {
    let install = Install { host_answers_approvals: true, ..Install::default() };
    started_with(&Copilot, &install, change)
}

fn refused(change: impl FnOnce(&mut StartRunParams)) -> ErrorKind {
    testing::refused(&Copilot, change)
}

#[test]
fn prompt_is_passed_on_stdin_only() {
    let text = "/clear @secret $(x) \u{2028} \"quoted\"\n-";
    let invocation = start(|params| params.prompt.text = text.to_owned());
    assert_eq!(invocation.stdin, text.as_bytes());
    assert!(invocation.args.iter().all(|argument| !argument.text.contains("secret")));
}

#[test]
fn run_with_approvals_uses_acp() {
    assert!(has(&start(|_| {}), &["--output-format", "json"]));
    assert!(has(&start_with_approvals(|_| {}), &["--acp"]));
    let without_approvals =
        start_with_approvals(|params| params.permission_mode = Some("yolo".to_owned()));
    assert!(
        has(&without_approvals, &["--output-format", "json"])
            && has(&without_approvals, &["--yolo"])
    );
    let with_image = start(|params| {
        params.prompt.images = vec![ImageInput {
            mime: "image/png".to_owned(),
            data: Some("AAAA".to_owned()),
            path: None,
        }];
    });
    assert!(has(&with_image, &["--acp"]));
}

#[test]
fn session_modes_become_flags() {
    let session = |mode, id: &str| {
        let id = Some(id.to_owned());
        move |params: &mut StartRunParams| params.session = SessionChoice { mode, id }
    };
    assert!(has(&start(session(SessionMode::New, SESSION)), &["--session-id", SESSION]));
    let resumed = start(session(SessionMode::Resume, SESSION));
    assert!(has(&resumed, &[&format!("--resume={SESSION}")]));
    assert!(!has(&resumed, &["--session-id"]));
    assert_eq!(refused(session(SessionMode::Resume, "-x")), ErrorKind::SessionUnknown);
    assert_ne!(start(|_| {}).args, start(|_| {}).args, "every new session has its own id");
}

#[test]
fn options_become_flags() {
    let invocation = start(|params| {
        params.model = Some("gpt-5.4".to_owned());
        params.effort = Some(Effort::Max);
        params.add_dirs = vec!["/a b".to_owned()];
        params.prompt.attachments = vec!["/a b/c.png".to_owned()];
        params.allowed_tools = Some(vec!["shell(git:*)".to_owned()]);
        params.denied_tools = Some(vec!["write".to_owned()]);
    });
    assert!(has(&invocation, &["--model", "gpt-5.4", "--reasoning-effort", "max"]));
    assert!(has(&invocation, &["--add-dir", "/a b"]));
    assert!(has(&invocation, &["--attachment", "/a b/c.png"]));
    assert!(has(&invocation, &["--allow-tool=shell(git:*)", "--deny-tool=write"]));
    let flag = |params: &mut StartRunParams| params.denied_tools = Some(vec!["--yolo".to_owned()]);
    assert_eq!(refused(flag), ErrorKind::ConfigInvalid);
    let relative = |params: &mut StartRunParams| params.add_dirs = vec!["a".to_owned()];
    assert_eq!(refused(relative), ErrorKind::ConfigInvalid);
    let option = |params: &mut StartRunParams| {
        params.adapter_options.insert("retries".to_owned(), json!(1));
    };
    assert_eq!(refused(option), ErrorKind::ConfigInvalid);
}

#[test]
fn usage_report_is_in_run_folder() {
    let invocation = start(|_| {});
    assert_eq!(invocation.report.as_deref(), Some("usage.json"));
    assert!(has(&invocation, &["--usage-output-file", "{run-folder}/usage.json"]));
}

#[test]
fn mcp_servers_are_hidden_from_argv() {
    let invocation = start(|params| {
        params.mcp_servers = vec![McpServer {
            name: "files".to_owned(),
            transport: McpTransport::Stdio,
            command: Some("serve".to_owned()),
            args: vec!["-x".to_owned()],
            env: [("TOKEN".to_owned(), "secret".to_owned())].into(),
            url: None,
            headers: Default::default(),
        }];
    });
    let config = invocation.args.iter().find(|argument| argument.text.contains("mcpServers"));
    let config: Value =
        serde_json::from_str(&config.expect("the flag is set").text).expect("the flag holds JSON");
    assert_eq!(config["mcpServers"]["files"]["command"], "serve");
    assert!(invocation.shown_args().iter().all(|argument| !argument.contains("secret")));
}
