//! Maps `run/start` to the command line of the app server and to its first requests.

use od_adapter_codex::Codex;
use od_adapter_codex::requests::{self, Handshake};
use od_protocol::adapter::StartRunParams;
use od_protocol::{
    Credential, CredentialKind, ErrorKind, ImageInput, McpServer, McpTransport, SessionChoice,
    SessionMode,
};
use od_sdk::invocation::StdinMode;
use od_sdk::testing::{self, SESSION, args, start_params as params, started_with, stdin_lines};
use od_sdk::{Adapter, Install, Invocation, Machine};
use serde_json::{Value, json};

pub(crate) fn start(change: impl FnOnce(&mut StartRunParams)) -> Invocation {
    testing::started(&Codex, change)
}

pub(crate) fn refused(change: impl FnOnce(&mut StartRunParams)) -> ErrorKind {
    testing::refused(&Codex, change)
}

/// The requests for the thread and for the turn.
fn thread_and_turn(change: impl FnOnce(&mut StartRunParams)) -> (Value, Value) {
    let install = Install { host_answers_approvals: true, ..Install::default() };
    let handshake = Handshake::of(&params(change), &install).expect("valid options");
    let mut requests = requests::new_requests();
    (handshake.thread(&mut requests), handshake.turn(&mut requests, "t", Some("high")))
}

#[test]
fn prompt_is_sent_in_turn_request_only() {
    let text = "/cost @secret $(x) \u{2028} \"quoted\"\n-";
    let invocation = start(|params| params.prompt.text = text.to_owned());
    assert_eq!(args(&invocation), ["app-server"]);
    assert_eq!(invocation.stdin_mode, StdinMode::KeepOpen);
    let lines = stdin_lines(&invocation);
    assert_eq!(lines[0]["method"], "initialize");
    assert_eq!(lines[1], json!({"method": "initialized"}));
    let (_, turn) = thread_and_turn(|params| params.prompt.text = text.to_owned());
    assert_eq!(turn["params"]["input"], json!([{"type": "text", "text": text}]));
    assert_eq!(turn["params"]["effort"], "high");
}

#[test]
fn api_key_is_sent_for_one_process() {
    let machine = Machine {
        env: [("CODEX_API_KEY".to_owned(), "sk-mine".to_owned())].into(),
        ..Machine::default()
    };
    let with_credential = |kind, name: &str| Install {
        credential: Some(Credential { kind, name: name.to_owned() }),
        ..Install::default()
    };
    let by_key = with_credential(CredentialKind::ApiKey, "CODEX_API_KEY");
    let invocation =
        Codex.invocation_on(&machine, &params(|_| {}), &by_key).expect("valid options");
    assert_eq!(args(&invocation)[2], r#"cli_auth_credentials_store="ephemeral""#);
    let login = &stdin_lines(&invocation)[2];
    assert_eq!(login["method"], "account/login/start");
    assert_eq!(login["params"], json!({"type": "apiKey", "apiKey": "sk-mine"}));
    assert!(!invocation.shown_args().iter().any(|argument| argument.contains("sk-mine")));
    let by_login = with_credential(CredentialKind::Subscription, "ChatGPT in ~/.codex/auth.json");
    let invocation =
        Codex.invocation_on(&machine, &params(|_| {}), &by_login).expect("valid options");
    assert_eq!(stdin_lines(&invocation).len(), 2);
    assert!(invocation.pass_env.is_empty());
}

#[test]
fn custom_provider_key_is_passed() {
    let credential = Credential { kind: CredentialKind::ApiKey, name: "MY_KEY".to_owned() };
    let install = Install { credential: Some(credential), ..Install::default() };
    let invocation = started_with(&Codex, &install, |_| {});
    assert_eq!(invocation.pass_env, ["MY_KEY"]);
}

#[test]
fn session_mode_selects_thread_method() {
    let session = |mode, id: Option<&str>| {
        let id = id.map(str::to_owned);
        move |params: &mut StartRunParams| params.session = SessionChoice { mode, id }
    };
    let (new, _) = thread_and_turn(|_| {});
    assert_eq!(new["method"], "thread/start");
    assert_eq!(new["params"], json!({"cwd": "/workspace"}));
    let (resume, _) = thread_and_turn(session(SessionMode::Resume, Some(SESSION)));
    assert_eq!(resume["method"], "thread/resume");
    assert_eq!(resume["params"]["threadId"], SESSION);
    assert_eq!(resume["params"]["excludeTurns"], true);
    let (fork, _) = thread_and_turn(session(SessionMode::Fork, Some(SESSION)));
    assert_eq!(fork["method"], "thread/fork");
    let wrong = refused(session(SessionMode::Resume, Some("--help")));
    assert_eq!(wrong, ErrorKind::SessionUnknown);
    let chosen = refused(session(SessionMode::New, Some(SESSION)));
    assert_eq!(chosen, ErrorKind::ConfigInvalid);
}

#[test]
fn model_mode_and_instructions_reach_thread() {
    let (thread, _) = thread_and_turn(|params| {
        params.model = Some("gpt-5.5".to_owned());
        params.permission_mode = Some("workspace-write".to_owned());
        params.prompt.system = Some("be brief".to_owned());
        params.adapter_options.insert("approvalPolicy".to_owned(), json!("untrusted"));
        params.adapter_options.insert("ephemeral".to_owned(), json!(true));
    });
    let expected = json!({
        "cwd": "/workspace", "model": "gpt-5.5", "sandbox": "workspace-write",
        "developerInstructions": "be brief", "approvalPolicy": "untrusted", "ephemeral": true,
    });
    assert_eq!(thread["params"], expected);
    let (thread, _) = thread_and_turn(|params| {
        params.prompt.system = Some("mine".to_owned());
        params.adapter_options.insert("systemMode".to_owned(), json!("replace"));
    });
    assert_eq!(thread["params"]["baseInstructions"], "mine");
}

#[test]
fn approval_policy_without_answers_is_never() {
    let handshake = Handshake::of(&params(|_| {}), &Install::default()).expect("valid options");
    let thread = handshake.thread(&mut requests::new_requests());
    assert_eq!(thread["params"]["approvalPolicy"], "never");
}

#[test]
fn folders_network_and_servers_reach_thread_config() {
    let (thread, _) = thread_and_turn(|params| {
        params.add_dirs = vec!["/one".to_owned(), "/two words".to_owned()];
        params.adapter_options.insert("networkAccess".to_owned(), json!(true));
        params.mcp_servers =
            vec![server("local", McpTransport::Stdio), server("remote", McpTransport::Http)];
    });
    let config = &thread["params"]["config"];
    let sandbox = json!({"writable_roots": ["/one", "/two words"], "network_access": true});
    assert_eq!(config["sandbox_workspace_write"], sandbox);
    let local = json!({"command": "/bin/x", "args": ["-v"], "env": {"TOKEN": "hidden"}});
    assert_eq!(config["mcp_servers"]["local"], local);
    let remote = json!({"url": "http://[::1]/", "http_headers": {"X": "hidden"}});
    assert_eq!(config["mcp_servers"]["remote"], remote);
    let relative = |params: &mut StartRunParams| params.add_dirs = vec!["--help".to_owned()];
    assert_eq!(refused(relative), ErrorKind::ConfigInvalid);
}

fn server(name: &str, transport: McpTransport) -> McpServer {
    McpServer {
        name: name.to_owned(),
        transport,
        command: Some("/bin/x".to_owned()),
        args: vec!["-v".to_owned()],
        env: [("TOKEN".to_owned(), "hidden".to_owned())].into(),
        url: Some("http://[::1]/".to_owned()),
        headers: [("X".to_owned(), "hidden".to_owned())].into(),
    }
}

#[test]
fn images_files_and_schema_reach_turn() {
    let image = |data: Option<&str>, path: Option<&str>| ImageInput {
        mime: "image/png".to_owned(),
        data: data.map(str::to_owned),
        path: path.map(str::to_owned),
    };
    let (_, turn) = thread_and_turn(|params| {
        params.prompt.images = vec![image(Some("AAAA"), None), image(None, Some("/p.png"))];
        params.prompt.attachments = vec!["/a b.txt".to_owned(), "/c.txt".to_owned()];
        params.output_schema = json!({"type": "object"}).as_object().cloned();
        params.adapter_options.insert("reasoningSummary".to_owned(), json!("detailed"));
    });
    let input = json!([
        {"type": "text", "text": "hello"},
        {"type": "image", "url": "data:image/png;base64,AAAA"},
        {"type": "localImage", "path": "/p.png"},
        {"type": "text", "text": "Attached files:\n/a b.txt\n/c.txt"},
    ]);
    assert_eq!(turn["params"]["input"], input);
    assert_eq!(turn["params"]["outputSchema"], json!({"type": "object"}));
    assert_eq!(turn["params"]["summary"], "detailed");
    let empty = |params: &mut StartRunParams| params.prompt.images = vec![image(None, None)];
    assert_eq!(refused(empty), ErrorKind::ConfigInvalid);
}

#[test]
fn skill_files_become_folders() {
    let skills = ["/s/greet", "/s/skills/", "/s/solo/SKILL.md"].map(str::to_owned).to_vec();
    let handshake = Handshake::of(&params(|params| params.skills = skills), &Install::default());
    assert_eq!(handshake.expect("valid options").skills, ["/s/greet", "/s/skills", "/s/solo"]);
}

#[test]
fn without_plugins_disables_plugins_and_apps() {
    let invocation = start(|params| {
        params.adapter_options.insert("withoutPlugins".to_owned(), json!(true));
    });
    assert_eq!(args(&invocation)[1..], ["--disable", "apps", "--disable", "plugins"]);
    let unknown = |params: &mut StartRunParams| {
        params.adapter_options.insert("plugins".to_owned(), json!(false));
    };
    assert_eq!(refused(unknown), ErrorKind::ConfigInvalid);
}
