//! `run/start` → command line.

use od_adapter_gemini_cli::invocation::invocation;
use od_adapter_gemini_cli::mode::{self, Mode};
use od_adapter_gemini_cli::{GeminiCli, acp};
use od_protocol::adapter::StartRunParams;
use od_protocol::{
    ErrorKind, ErrorObject, ImageInput, JsonObject, McpServer, McpTransport, Prompt, SessionChoice,
    SessionMode,
};
use od_sdk::Flags;
use od_sdk::invocation::StdinMode;
use od_sdk::testing::args;
use od_sdk::{Adapter, Install, Invocation};
use serde_json::{Value, json};

const ID: &str = "11111111-2222-4333-8444-555555555555";

fn run(prompt: &str) -> StartRunParams {
    StartRunParams {
        run_id: "run".to_owned(),
        cwd: "/workspace".to_owned(),
        prompt: Prompt { text: prompt.to_owned(), ..Prompt::default() },
        ..StartRunParams::default()
    }
}

/// A run without approvals.
fn yolo(prompt: &str) -> StartRunParams {
    StartRunParams { permission_mode: Some("yolo".to_owned()), ..run(prompt) }
}

fn with_approvals() -> Install {
    Install { host_answers_approvals: true, ..Install::default() }
}

fn options(value: Value) -> JsonObject {
    value.as_object().expect("options are an object").clone()
}

fn kind(result: Result<Invocation, ErrorObject>) -> ErrorKind {
    result.expect_err("it is refused").kind()
}

#[test]
fn run_without_approvals_uses_stream_json() {
    let made = invocation(&yolo("hello"), &with_approvals()).expect("a valid invocation");
    assert_eq!(args(&made), ["--output-format", "stream-json", "--approval-mode", "yolo"]);
    assert_eq!(made.stdin, b"hello");
    assert_eq!(made.stdin_mode, StdinMode::Close);
    assert_eq!(made.env["GEMINI_CLI_TRUST_WORKSPACE"], "true");
    assert_eq!(made.env["GEMINI_CLI_NO_RELAUNCH"], "true");
}

#[test]
fn run_with_approvals_uses_acp() {
    let made = invocation(&run("hello"), &with_approvals()).expect("a valid invocation");
    assert_eq!(args(&made), ["--acp"]);
    assert_eq!(made.stdin_mode, StdinMode::KeepOpen);
    let greeting: Value = serde_json::from_slice(&made.stdin).expect("a line of JSON");
    assert_eq!(greeting["method"], "initialize");
    assert_eq!(greeting["params"]["clientCapabilities"]["fs"]["readTextFile"], false);
    // Without approvals the CLI's strict default applies.
    assert_eq!(mode::of(&run("hello"), &Install::default()), Mode::StreamJson);
}

#[test]
fn unsupported_prompt_uses_acp() {
    let image =
        ImageInput { mime: "image/png".to_owned(), data: Some("AA==".to_owned()), path: None };
    let server = McpServer {
        name: "m".to_owned(),
        transport: McpTransport::Stdio,
        command: Some("/bin/m".to_owned()),
        args: Vec::new(),
        env: Default::default(),
        url: None,
        headers: Default::default(),
    };
    let prompt = |change: Prompt| StartRunParams { prompt: change, ..yolo("") };
    let runs = [
        yolo("/memory show"),
        yolo("read @/etc/passwd"),
        yolo("  ?"),
        prompt(Prompt { text: "x".into(), images: vec![image], ..Prompt::default() }),
        prompt(Prompt { text: "x".into(), attachments: vec!["/a".into()], ..Prompt::default() }),
        StartRunParams { mcp_servers: vec![server], ..yolo("x") },
        StartRunParams { adapter_options: options(json!({"mode": "live"})), ..yolo("x") },
    ];
    for start_run_params in runs {
        assert_eq!(
            mode::of(&start_run_params, &with_approvals()),
            Mode::Acp,
            "{start_run_params:?}"
        );
    }
    let forced = StartRunParams {
        adapter_options: options(json!({"mode": "one_shot"})),
        ..yolo("/memory show")
    };
    assert_eq!(kind(invocation(&forced, &with_approvals())), ErrorKind::ConfigInvalid);
}

/// A prompt that looks like a command is sent as text.
#[test]
fn slash_prompt_is_not_a_command() {
    let said = |text: &str| {
        let handshake = acp::handshake(&run(text)).expect("a valid invocation");
        handshake.prompt[0]["text"].as_str().expect("text").to_owned()
    };
    assert_eq!(said("hello /x @y"), "hello /x @y");
    assert_eq!(said("/memory show"), "\u{200b}/memory show");
    assert_eq!(said(" $x"), "\u{200b} $x");
}

#[test]
fn attachment_links_use_literal_path() {
    let prompt = Prompt {
        text: "look".to_owned(),
        attachments: vec!["/a b/ü.txt".to_owned()],
        ..Prompt::default()
    };
    let handshake =
        acp::handshake(&StartRunParams { prompt, ..run("") }).expect("a valid invocation");
    assert_eq!(handshake.prompt[1]["uri"], "file:///a b/ü.txt");
    assert_eq!(handshake.prompt[1]["name"], "ü.txt");
}

#[test]
fn options_become_flags_in_both_modes() {
    for start_run_params in [run("x"), yolo("x")] {
        let mode = start_run_params.permission_mode.clone().or(Some("plan".to_owned()));
        let start_run_params = StartRunParams {
            model: Some("gemini-2.5-pro".to_owned()),
            add_dirs: vec!["/one".to_owned(), "/two".to_owned()],
            permission_mode: mode.clone(),
            ..start_run_params
        };
        let made = invocation(&start_run_params, &with_approvals()).expect("a valid invocation");
        let shown = args(&made).join(" ");
        assert!(shown.contains("--model gemini-2.5-pro"), "{shown}");
        assert!(shown.contains("--include-directories /one --include-directories /two"), "{shown}");
        assert!(shown.contains(&format!("--approval-mode {}", mode.expect("a mode"))), "{shown}");
    }
    let relative = StartRunParams { add_dirs: vec!["one".to_owned()], ..run("x") };
    assert_eq!(kind(invocation(&relative, &with_approvals())), ErrorKind::ConfigInvalid);
    let list = StartRunParams { add_dirs: vec!["/a,/b".to_owned()], ..run("x") };
    assert_eq!(kind(invocation(&list, &with_approvals())), ErrorKind::ConfigInvalid);
}

#[test]
fn system_prompt_is_a_run_file() {
    let prompt =
        Prompt { text: "x".to_owned(), system: Some("be brief".to_owned()), ..Prompt::default() };
    let append = StartRunParams { prompt, ..yolo("") };
    let made = invocation(&append, &with_approvals()).expect("a valid invocation");
    assert_eq!(made.files[0].name, "GEMINI.md");
    assert_eq!(made.files[0].contents, b"be brief");
    assert!(args(&made).join(" ").contains("--include-directories {run-folder}"));
    let replace =
        StartRunParams { adapter_options: options(json!({"systemMode": "replace"})), ..append };
    let made = invocation(&replace, &with_approvals()).expect("a valid invocation");
    assert_eq!(made.env["GEMINI_SYSTEM_MD"], "{run-folder}/system.md");
}

#[test]
fn session_id_becomes_flag() {
    let session = |mode, id: &str| SessionChoice { mode, id: Some(id.to_owned()) };
    let with = |session| StartRunParams { session, ..yolo("x") };
    let resume = invocation(&with(session(SessionMode::Resume, ID)), &with_approvals());
    assert!(
        args(&resume.expect("a valid invocation")).join(" ").contains(&format!("--resume {ID}"))
    );
    let new = invocation(&with(session(SessionMode::New, ID)), &with_approvals());
    assert!(
        args(&new.expect("a valid invocation")).join(" ").contains(&format!("--session-id {ID}"))
    );
    // `latest` and numbers could select a foreign session.
    let latest = invocation(&with(session(SessionMode::Resume, "latest")), &with_approvals());
    assert_eq!(kind(latest), ErrorKind::SessionUnknown);
    let talk = StartRunParams { session: session(SessionMode::Resume, "3"), ..run("x") };
    assert_eq!(kind(invocation(&talk, &with_approvals())), ErrorKind::SessionUnknown);
}

#[test]
fn unknown_options_are_refused() {
    let wrong = StartRunParams { adapter_options: options(json!({"speed": 3})), ..yolo("x") };
    assert_eq!(kind(invocation(&wrong, &with_approvals())), ErrorKind::ConfigInvalid);
}

/// Effort is configured in the settings, so it is not declared and the sdk refuses it.
#[test]
fn effort_is_not_declared() {
    let capabilities = GeminiCli.manifest().capabilities;
    assert!(capabilities.effort.is_none() && capabilities.thinking_budget.is_none());
}

/// The CLI's help decides about newer flags; without a help page they are assumed.
#[test]
fn missing_flags_are_omitted() {
    let old = Install {
        flags: Some(Flags::parse("--experimental-acp --model --approval-mode --resume")),
        ..with_approvals()
    };
    let talk = invocation(&run("hello"), &old).expect("a valid invocation");
    assert_eq!(args(&talk), ["--experimental-acp"]);
    let session = SessionChoice { mode: SessionMode::New, id: Some(ID.to_owned()) };
    let new = StartRunParams { session, ..yolo("x") };
    let made = invocation(&new, &old).expect("a valid invocation");
    assert!(!args(&made).contains(&"--session-id"));
}
