//! `run/start` → the server's command line, and the requests that follow.

use od_protocol::adapter::StartRunParams;
use od_protocol::{Effort, ErrorKind, ImageInput, McpServer, McpTransport, Policy};
use od_sdk::http::Request;
use od_sdk::invocation::ProcessUse;
use od_sdk::testing::ScriptedHttpRun;
use od_sdk::{Adapter, Install, Secret};
use opencode_family::OpenCodeHttp;
use opencode_family::http::requests;
use serde_json::{Value, json};

use crate::http::live_run::{SESSION, events, params, until_session};

/// Returns every request of a run up to its prompt.
fn requests_until_prompt(change: impl FnOnce(&mut StartRunParams)) -> Vec<Request> {
    let start_run_params = params(change);
    let mut mapper = events(&start_run_params);
    let mut run = ScriptedHttpRun::begin(&mut mapper);
    until_session(&mut run, &json!({"id": SESSION}));
    for tag in [requests::RULES, requests::MCP, requests::MODELS] {
        run.reply(tag, 200, "{}");
    }
    run.requests()
}

fn prompt(change: impl FnOnce(&mut StartRunParams)) -> Value {
    let sent = requests_until_prompt(change);
    let prompt = sent.iter().find(|request| request.tag == requests::PROMPT);
    prompt.and_then(|request| request.body.clone()).expect("a prompt")
}

#[test]
fn server_password_is_never_shown() {
    let install = Install { secret: Secret::fresh(), ..Install::default() };
    let invocation = OpenCodeHttp.invocation(&params(|_| {}), &install).expect("fine");
    assert_eq!(invocation.process, ProcessUse::Server);
    assert_eq!(invocation.env["OPENCODE_SERVER_PASSWORD"], install.secret.reveal());
    assert!(install.secret.reveal().len() >= 32);
    let shown = format!("{:?} {:?}", invocation.shown_args(), install);
    assert!(!shown.contains(install.secret.reveal()), "{shown}");
    assert!(invocation.shown_args().windows(2).any(|pair| pair == ["--hostname", "127.0.0.1"]));
}

#[test]
fn folder_and_prompt_are_encoded() {
    let text = "/cost @secret $(x) \u{2028} \"quoted\"\n-";
    let asked = requests_until_prompt(|params| params.prompt.text = text.to_owned());
    let paths: Vec<&str> = asked.iter().map(|request| request.path.as_str()).collect();
    assert_eq!(
        paths,
        [
            "/global/health",
            "/event?directory=%2Fwork%20space",
            "/session?directory=%2Fwork%20space",
            "/session/ses_1/prompt_async?directory=%2Fwork%20space",
        ]
    );
    assert_eq!(asked[3].body, Some(json!({"parts": [{"type": "text", "text": text}]})));
}

#[test]
fn prompt_has_all_requested_options() {
    let body = prompt(|params| {
        params.model = Some("anthropic/claude/opus".to_owned());
        params.effort = Some(Effort::High);
        params.permission_mode = Some("plan".to_owned());
        params.prompt.system = Some("be brief".to_owned());
        params.prompt.attachments = vec!["/work space/a.txt".to_owned(), "/b.PNG".to_owned()];
        params.prompt.images = vec![ImageInput {
            mime: "image/png".to_owned(),
            data: Some("iVBO".to_owned()),
            path: None,
        }];
        params.output_schema = json!({"type": "object"}).as_object().cloned();
    });
    assert_eq!(body["model"], json!({"providerID": "anthropic", "modelID": "claude/opus"}));
    assert_eq!((body["variant"].as_str(), body["agent"].as_str()), (Some("high"), Some("plan")));
    assert_eq!(body["system"], "be brief");
    assert_eq!(body["format"], json!({"type": "json_schema", "schema": {"type": "object"}}));
    assert_eq!(body["parts"][1]["url"], "data:image/png;base64,iVBO");
    assert_eq!(body["parts"][2]["url"], "file:///work%20space/a.txt");
    assert_eq!(body["parts"][3]["mime"], "image/png");
}

#[test]
fn rules_are_set_for_new_and_old_session() {
    let policy = || Some(Policy { shell_deny: vec!["rm ".to_owned()], ..Policy::default() });
    let rules = json!([{"permission": "bash", "pattern": "rm *", "action": "deny"}]);
    let new = requests_until_prompt(|params| params.policy = policy());
    assert_eq!(new[2].body, Some(json!({"permission": rules})));
    let old = requests_until_prompt(|params| {
        params.policy = policy();
        params.session.mode = od_protocol::SessionMode::Resume;
        params.session.id = Some("ses_1".to_owned());
    });
    assert_eq!((old[2].method, old[2].path.starts_with("/session/ses_1?")), ("GET", true));
    assert_eq!((old[3].method, &old[3].body), ("PATCH", &Some(json!({"permission": rules}))));
}

#[test]
fn mcp_servers_are_added_before_prompt() {
    let server = |name: &str, transport| McpServer {
        name: name.to_owned(),
        transport,
        command: Some("run".to_owned()),
        args: vec!["it".to_owned()],
        env: Default::default(),
        url: Some("http://localhost:1".to_owned()),
        headers: Default::default(),
    };
    let asked = requests_until_prompt(|params| {
        params.mcp_servers = vec![server("local", McpTransport::Stdio)]
    });
    let body = asked[3].body.as_ref().expect("a body");
    assert_eq!(body["config"]["command"], json!(["run", "it"]));
    assert_eq!(asked[4].tag, requests::PROMPT);
    let asked = requests_until_prompt(|params| {
        params.mcp_servers = vec![server("far", McpTransport::Http)]
    });
    let body = asked[3].body.as_ref().expect("a body");
    assert_eq!(body["config"]["url"], "http://localhost:1");
}

#[test]
fn unsupported_options_are_rejected() {
    let refused = |change: fn(&mut StartRunParams)| {
        let refused = OpenCodeHttp.invocation(&params(change), &Install::default());
        refused.expect_err("the option is not supported").kind()
    };
    assert_eq!(refused(|params| params.model = Some("gpt-5".to_owned())), ErrorKind::ModelUnknown);
    assert_eq!(
        refused(|params| params.session.id = Some("ses_1".to_owned())),
        ErrorKind::CapabilityUnsupported
    );
    assert_eq!(
        refused(|params| params.prompt.attachments = vec!["a.txt".to_owned()]),
        ErrorKind::ConfigInvalid
    );
    assert_eq!(
        refused(|params| drop(params.adapter_options.insert("nope".to_owned(), json!(1)))),
        ErrorKind::ConfigInvalid
    );
}

#[test]
fn unsupported_effort_is_rejected_before_prompt() {
    const PROVIDERS: &str =
        include_str!("../../../opencode-http/recordings/1.18.33/config_providers.json");
    for (effort, is_supported) in [(Effort::High, true), (Effort::Max, false)] {
        let start_run_params = params(|params| {
            params.model = Some("fake/fake-thinker".to_owned());
            params.effort = Some(effort);
        });
        let mut mapper = events(&start_run_params);
        let mut run = ScriptedHttpRun::begin(&mut mapper);
        until_session(&mut run, &json!({"id": SESSION}));
        run.reply(requests::MODELS, 200, PROVIDERS);
        let has_prompt = run.requests().iter().any(|request| request.tag == requests::PROMPT);
        assert_eq!(has_prompt, is_supported, "{effort:?}");
        let replay = run.finish(&od_sdk::Exit::default());
        let error = replay.events.iter().find(|event| event["type"] == "error").expect("an error");
        assert_eq!(error["kind"] == "capability_unsupported", !is_supported, "{error}");
    }
}
