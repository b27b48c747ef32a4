//! Messages that no recording has; the recordings are in `tests/recordings.rs`.

use od_protocol::adapter::StartRunParams;
use od_protocol::{McpServer, McpTransport, Prompt, SessionChoice, SessionMode};
use serde_json::{Value, json};

use super::*;
use crate::Exit;
use crate::testing::{Replay, replay, stdin_values};
use crate::usage::Tokens;

/// An agent that does nothing differently.
struct Plain;

impl Dialect for Plain {}

fn handshake(session: SessionChoice, settings: Vec<Setting>) -> Handshake {
    let start_run_params = StartRunParams {
        cwd: "/workspace".to_owned(),
        prompt: Prompt { text: "hello".to_owned(), ..Prompt::default() },
        session,
        ..StartRunParams::default()
    };
    let handshake = Handshake::of(&start_run_params).expect("the options are valid");
    Handshake { settings, ..handshake }
}

fn mapper() -> AcpMapper {
    AcpMapper::new(handshake(SessionChoice::default(), Vec::new()), Box::new(Plain))
}

const INITIALIZED: &str = r#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1,"agentCapabilities":{"loadSession":true}}}"#;
const SESSION: &str = r#"{"jsonrpc":"2.0","id":2,"result":{"sessionId":"s","models":{"currentModelId":"one","availableModels":[]}}}"#;

fn feed(mapper: &mut AcpMapper, lines: &[&str]) -> Replay {
    let exit = Exit { code: Some(0), ..Exit::default() };
    replay(mapper, format!("{}\n", lines.join("\n")).as_bytes(), &exit)
}

fn events<'a>(replay: &'a Replay, kind: &str) -> Vec<&'a Value> {
    replay.events.iter().filter(|event| event["type"] == kind).collect()
}

#[test]
fn settings_are_applied_before_prompt() {
    let settings = vec![
        Setting::Model("two".to_owned()),
        Setting::Mode("plan".to_owned()),
        Setting::ConfigOption { id: "effort".to_owned(), value: "high".to_owned() },
    ];
    let mut mapper = AcpMapper::new(handshake(SessionChoice::default(), settings), Box::new(Plain));
    let replay = feed(
        &mut mapper,
        &[
            INITIALIZED,
            SESSION,
            r#"{"jsonrpc":"2.0","id":3,"result":{}}"#,
            r#"{"jsonrpc":"2.0","id":4,"result":{}}"#,
            r#"{"jsonrpc":"2.0","id":5,"result":{}}"#,
            r#"{"jsonrpc":"2.0","id":6,"result":{"stopReason":"max_tokens"}}"#,
        ],
    );
    let methods: Vec<Value> =
        stdin_values(&replay).iter().map(|message| message["method"].clone()).collect();
    assert_eq!(
        methods,
        [
            "session/new",
            "session/set_model",
            "session/set_mode",
            "session/set_config_option",
            "session/prompt"
        ]
    );
    assert_eq!(events(&replay, "mode_changed")[0]["model"], "two");
    assert_eq!(events(&replay, "done")[0]["stopReason"], "max_tokens");
    assert_eq!(events(&replay, "done")[0]["status"], "completed");
}

#[test]
fn unknown_model_has_its_error_kind() {
    let settings = vec![Setting::Model("two".to_owned())];
    let mut mapper = AcpMapper::new(handshake(SessionChoice::default(), settings), Box::new(Plain));
    let refusal = r#"{"jsonrpc":"2.0","id":3,"error":{"code":-32603,"message":"no such model"}}"#;
    let replay = feed(&mut mapper, &[INITIALIZED, SESSION, refusal]);
    assert_eq!(events(&replay, "done")[0]["errorKind"], "model_unknown");
}

#[test]
fn history_of_loaded_session_is_not_emitted() {
    let session = SessionChoice { mode: SessionMode::Resume, id: Some("s".to_owned()) };
    let mut mapper = AcpMapper::new(handshake(session, Vec::new()), Box::new(Plain));
    let chunk = |text: &str| {
        json!({"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s", "update":
            {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}}}})
        .to_string()
    };
    let (old, new) = (chunk("old"), chunk("new"));
    let loaded = r#"{"jsonrpc":"2.0","id":2,"result":null}"#;
    let answer = r#"{"jsonrpc":"2.0","id":3,"result":{"stopReason":"end_turn"}}"#;
    let replay = feed(&mut mapper, &[INITIALIZED, &old, loaded, &new, answer]);
    let texts: Vec<&Value> =
        events(&replay, "text_delta").iter().map(|event| &event["text"]).collect();
    assert_eq!(texts, ["new"]);
    assert_eq!(events(&replay, "session_started")[0]["mode"], "resume");
    assert_eq!(stdin_values(&replay)[0]["method"], "session/load");
}

#[test]
fn unsupported_client_request_is_rejected() {
    let replay = feed(
        &mut mapper(),
        &[
            "hello",
            INITIALIZED,
            r#"{"jsonrpc":"2.0","id":99,"result":{}}"#,
            SESSION,
            r#"{"jsonrpc":"2.0","id":"x","method":"fs/read_text_file","params":{"path":"/etc/passwd"}}"#,
            r#"{"jsonrpc":"2.0","id":7,"method":"elicitation/create","params":{}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"brand_new"}}}"#,
            r#"{"jsonrpc":"2.0","method":"_vendor/thing","params":{}}"#,
            r#"{"jsonrpc":"2.0","id":3,"result":{"stopReason":"end_turn"}}"#,
        ],
    );
    let sent = stdin_values(&replay);
    let refusal = sent.iter().find(|message| message["id"] == "x").expect("it is answered");
    assert_eq!(refusal["error"]["code"], -32601);
    let form = sent.iter().find(|message| message["id"] == 7).expect("it is answered");
    assert_eq!(form["result"]["action"], "cancel");
    let unmapped: Vec<&Value> =
        events(&replay, "unmapped").iter().map(|event| &event["nativeType"]).collect();
    assert_eq!(unmapped, ["session/update/brand_new", "_vendor/thing"]);
    assert_eq!(events(&replay, "done")[0]["status"], "completed");
}

#[test]
fn other_protocol_version_is_an_error() {
    let initialized = r#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":2}}"#;
    let replay = feed(&mut mapper(), &[initialized]);
    assert_eq!(events(&replay, "done")[0]["errorKind"], "cli_version_unsupported");
}

#[test]
fn total_shows_what_figures_include() {
    let usage = |input, output, total, thought, cached| TokenUsage {
        input_tokens: input,
        output_tokens: output,
        total_tokens: total,
        thought_tokens: thought,
        cached_read_tokens: cached,
        cached_write_tokens: 0,
    };
    let figures = |tokens: Tokens| (tokens.input, tokens.output, tokens.cache_read);
    let with_cache_and_thinking = tokens_of(usage(100, 23, 123, Some(5), 11));
    assert_eq!(figures(with_cache_and_thinking), (89, 23, 11));
    let without_both = tokens_of(usage(800, 14, 1025, Some(11), 200));
    assert_eq!(figures(without_both), (800, 25, 200));
}

#[test]
fn prompt_becomes_blocks_and_servers_become_lists() {
    let prompt = Prompt {
        text: "/look".to_owned(),
        attachments: vec!["/a b/ü.txt".to_owned()],
        ..Prompt::default()
    };
    let blocks = prompt_blocks(&prompt).expect("the prompt is valid");
    assert_eq!(blocks[0], json!({"type": "text", "text": "/look"}));
    assert_eq!(blocks[1]["uri"], "file:///a%20b/%C3%BC.txt");
    let server = McpServer {
        name: "m".to_owned(),
        transport: McpTransport::Stdio,
        command: Some("/bin/m".to_owned()),
        args: Vec::new(),
        env: [("K".to_owned(), "v".to_owned())].into(),
        url: None,
        headers: Default::default(),
    };
    assert_eq!(mcp_servers(&[server])[0]["env"], json!([{"name": "K", "value": "v"}]));
}

#[test]
fn models_are_read_from_either_place() {
    let models = json!({"sessionId": "s", "models": {"currentModelId": "b", "availableModels":
        [{"modelId": "a", "name": "A"}, {"modelId": "b"}, {"modelId": "a"}]}});
    let listed = models_of(&models).expect("there are models");
    assert_eq!(listed.models.len(), 2);
    assert!(listed.models[1].default);
    let options = json!({"sessionId": "s", "configOptions": [{"id": "x", "category": "model",
        "currentValue": "p/a", "options": [{"value": "p/a", "name": "A"},
        {"name": "group", "options": [{"value": "p/b"}]}]}]});
    let listed = models_of(&options).expect("there are models");
    assert_eq!(listed.current.as_deref(), Some("p/a"));
    assert_eq!(listed.models[1].id, "p/b");
    assert!(models_of(&json!({"sessionId": "s"})).is_none());
}
