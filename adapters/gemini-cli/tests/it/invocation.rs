//! `run/start` in, command line out.

use od_adapter_gemini_cli::invocation::invocation;
use od_adapter_gemini_cli::mode::{self, Mode};
use od_adapter_gemini_cli::{GeminiCli, live};
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

/// Nobody is asked about a run in this mode.
fn yolo(prompt: &str) -> StartRunParams {
    StartRunParams { permission_mode: Some("yolo".to_owned()), ..run(prompt) }
}

fn answered() -> Install {
    Install { host_answers_approvals: true, ..Install::default() }
}

fn options(value: Value) -> JsonObject {
    value.as_object().expect("options are an object").clone()
}

fn kind(result: Result<Invocation, ErrorObject>) -> ErrorKind {
    result.expect_err("it is refused").kind()
}

#[test]
fn a_run_nobody_is_asked_about_is_one_shot() {
    let made = invocation(&yolo("hello"), &answered()).expect("it is fine");
    assert_eq!(args(&made), ["--output-format", "stream-json", "--approval-mode", "yolo"]);
    assert_eq!(made.stdin, b"hello");
    assert_eq!(made.stdin_mode, StdinMode::Close);
    assert_eq!(made.env["GEMINI_CLI_TRUST_WORKSPACE"], "true");
    assert_eq!(made.env["GEMINI_CLI_NO_RELAUNCH"], "true");
}

#[test]
fn a_run_somebody_is_asked_about_is_a_talk() {
    let made = invocation(&run("hello"), &answered()).expect("it is fine");
    assert_eq!(args(&made), ["--acp"]);
    assert_eq!(made.stdin_mode, StdinMode::KeepOpen);
    let greeting: Value = serde_json::from_slice(&made.stdin).expect("a line of JSON");
    assert_eq!(greeting["method"], "initialize");
    assert_eq!(greeting["params"]["clientCapabilities"]["fs"]["readTextFile"], false);
    // Without anybody to ask, the strict default of the CLI holds.
    assert_eq!(mode::of(&run("hello"), &Install::default()), Mode::OneShot);
}

#[test]
fn what_one_shot_cannot_say_is_a_talk() {
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
        assert_eq!(mode::of(&start_run_params, &answered()), Mode::Live, "{start_run_params:?}");
    }
    let forced = StartRunParams {
        adapter_options: options(json!({"mode": "one_shot"})),
        ..yolo("/memory show")
    };
    assert_eq!(kind(invocation(&forced, &answered())), ErrorKind::ConfigInvalid);
}

/// A prompt that looks like a command is data.
#[test]
fn a_command_is_said_as_text() {
    let said = |text: &str| {
        let opening = live::opening(&run(text)).expect("it is fine");
        opening.prompt[0]["text"].as_str().expect("it is text").to_owned()
    };
    assert_eq!(said("hello /x @y"), "hello /x @y");
    assert_eq!(said("/memory show"), "\u{200b}/memory show");
    assert_eq!(said(" $x"), "\u{200b} $x");
}

#[test]
fn files_are_linked_by_their_plain_path() {
    let prompt = Prompt {
        text: "look".to_owned(),
        attachments: vec!["/a b/ü.txt".to_owned()],
        ..Prompt::default()
    };
    let opening = live::opening(&StartRunParams { prompt, ..run("") }).expect("it is fine");
    assert_eq!(opening.prompt[1]["uri"], "file:///a b/ü.txt");
    assert_eq!(opening.prompt[1]["name"], "ü.txt");
}

#[test]
fn model_folders_and_mode_are_flags_in_both_ways() {
    for start_run_params in [run("x"), yolo("x")] {
        let mode = start_run_params.permission_mode.clone().or(Some("plan".to_owned()));
        let start_run_params = StartRunParams {
            model: Some("gemini-2.5-pro".to_owned()),
            add_dirs: vec!["/one".to_owned(), "/two".to_owned()],
            permission_mode: mode.clone(),
            ..start_run_params
        };
        let made = invocation(&start_run_params, &answered()).expect("it is fine");
        let shown = args(&made).join(" ");
        assert!(shown.contains("--model gemini-2.5-pro"), "{shown}");
        assert!(shown.contains("--include-directories /one --include-directories /two"), "{shown}");
        assert!(
            shown.contains(&format!("--approval-mode {}", mode.expect("it is set"))),
            "{shown}"
        );
    }
    let relative = StartRunParams { add_dirs: vec!["one".to_owned()], ..run("x") };
    assert_eq!(kind(invocation(&relative, &answered())), ErrorKind::ConfigInvalid);
    let list = StartRunParams { add_dirs: vec!["/a,/b".to_owned()], ..run("x") };
    assert_eq!(kind(invocation(&list, &answered())), ErrorKind::ConfigInvalid);
}

#[test]
fn instructions_are_a_file_of_the_run() {
    let prompt =
        Prompt { text: "x".to_owned(), system: Some("be brief".to_owned()), ..Prompt::default() };
    let append = StartRunParams { prompt, ..yolo("") };
    let made = invocation(&append, &answered()).expect("it is fine");
    assert_eq!(made.files[0].name, "GEMINI.md");
    assert_eq!(made.files[0].contents, b"be brief");
    assert!(args(&made).join(" ").contains("--include-directories {run-folder}"));
    let replace =
        StartRunParams { adapter_options: options(json!({"systemMode": "replace"})), ..append };
    let made = invocation(&replace, &answered()).expect("it is fine");
    assert_eq!(made.env["GEMINI_SYSTEM_MD"], "{run-folder}/system.md");
}

#[test]
fn a_session_is_named_by_its_id() {
    let session = |mode, id: &str| SessionChoice { mode, id: Some(id.to_owned()) };
    let with = |session| StartRunParams { session, ..yolo("x") };
    let resume = invocation(&with(session(SessionMode::Resume, ID)), &answered());
    assert!(args(&resume.expect("it is fine")).join(" ").contains(&format!("--resume {ID}")));
    let new = invocation(&with(session(SessionMode::New, ID)), &answered());
    assert!(args(&new.expect("it is fine")).join(" ").contains(&format!("--session-id {ID}")));
    // `latest` and numbers are other people's sessions.
    let latest = invocation(&with(session(SessionMode::Resume, "latest")), &answered());
    assert_eq!(kind(latest), ErrorKind::SessionUnknown);
    let talk = StartRunParams { session: session(SessionMode::Resume, "3"), ..run("x") };
    assert_eq!(kind(invocation(&talk, &answered())), ErrorKind::SessionUnknown);
}

#[test]
fn unknown_options_are_refused() {
    let wrong = StartRunParams { adapter_options: options(json!({"speed": 3})), ..yolo("x") };
    assert_eq!(kind(invocation(&wrong, &answered())), ErrorKind::ConfigInvalid);
}

/// How hard to think is a matter of settings, so it is not declared and the sdk refuses it.
#[test]
fn effort_is_not_declared() {
    let capabilities = GeminiCli.manifest().capabilities;
    assert!(capabilities.effort.is_none() && capabilities.thinking_budget.is_none());
}

/// The CLI's help decides about flags that came later; a help that was never read decides nothing.
#[test]
fn flags_that_a_version_lacks_are_done_without() {
    let old = Install {
        flags: Some(Flags::parse("--experimental-acp --model --approval-mode --resume")),
        ..answered()
    };
    let talk = invocation(&run("hello"), &old).expect("it is fine");
    assert_eq!(args(&talk), ["--experimental-acp"]);
    let session = SessionChoice { mode: SessionMode::New, id: Some(ID.to_owned()) };
    let new = StartRunParams { session, ..yolo("x") };
    let made = invocation(&new, &old).expect("it is fine");
    assert!(!args(&made).contains(&"--session-id"));
}
