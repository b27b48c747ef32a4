//! `run/start` → command line, environment, stdin.

use od_adapter_claude_code::ClaudeCode;
use od_protocol::adapter::StartRunParams;
use od_protocol::{
    Effort, ErrorKind, McpServer, McpTransport, NetworkMode, Policy, SessionChoice, SessionMode,
};
use od_sdk::testing::{self, SESSION, args, started_with, stdin_lines, values};
use od_sdk::{Install, Invocation};
use serde_json::{Value, json};

fn start(change: impl FnOnce(&mut StartRunParams)) -> Invocation {
    testing::started(&ClaudeCode, change)
}

fn refused(change: impl FnOnce(&mut StartRunParams)) -> ErrorKind {
    testing::refused(&ClaudeCode, change)
}

#[test]
fn prompt_is_passed_on_stdin_only() {
    let text = "/cost @secret $(x) \u{2028} \"quoted\"\n-";
    let invocation = start(|params| params.prompt.text = text.to_owned());
    assert!(!args(&invocation).iter().any(|argument| argument.contains("/cost")));
    let lines = stdin_lines(&invocation);
    assert_eq!(lines.len(), 1);
    let content = &lines[0]["message"]["content"];
    assert_eq!(content[0]["text"], text);
    // The CLI searches only the last block for commands and files.
    assert_eq!(content[1]["text"], "");
}

#[test]
fn system_prompt_precedes_prompt_on_stdin() {
    let system = "x".repeat(300_000);
    let invocation = start(|params| params.prompt.system = Some(system.clone()));
    assert!(args(&invocation).iter().all(|argument| argument.len() < 100));
    let lines = stdin_lines(&invocation);
    assert_eq!(lines[0]["request"]["subtype"], "initialize");
    assert_eq!(lines[0]["request"]["appendSystemPrompt"], system);
    assert_eq!(lines[1]["type"], "user");
    let invocation = start(|params| {
        params.prompt.system = Some("mine".to_owned());
        params.adapter_options.insert("systemMode".to_owned(), json!("replace"));
    });
    assert_eq!(stdin_lines(&invocation)[0]["request"]["systemPrompt"], "mine");
}

#[test]
fn attachments_are_mentioned_in_last_block() {
    let invocation = start(|params| {
        params.prompt.attachments = vec!["/workspace/a b.txt".to_owned()];
    });
    let content = &stdin_lines(&invocation)[0]["message"]["content"];
    assert_eq!(content[1]["text"], "Attached files:\n@\"/workspace/a b.txt\"");
    let quote = |params: &mut StartRunParams| params.prompt.attachments = vec!["/a\"b".to_owned()];
    assert_eq!(refused(quote), ErrorKind::ConfigInvalid);
}

#[test]
fn approval_flag_depends_on_host() {
    let invocation = start(|_| {});
    for flag in ["-p", "--verbose", "--include-partial-messages", "--replay-user-messages"] {
        assert!(args(&invocation).contains(&flag), "{flag}");
    }
    assert_eq!(values(&invocation, "--input-format"), ["stream-json"]);
    assert!(values(&invocation, "--permission-prompt-tool").is_empty());
    let install = Install { host_answers_approvals: true, ..Install::default() };
    let invocation = started_with(&ClaudeCode, &install, |_| {});
    assert_eq!(values(&invocation, "--permission-prompt-tool"), ["stdio"]);
}

#[test]
fn session_modes_become_flags() {
    let session = |mode| {
        start(move |params| {
            params.session = SessionChoice { mode, id: Some(SESSION.to_owned()) };
        })
    };
    assert_eq!(values(&session(SessionMode::New), "--session-id"), [SESSION]);
    assert_eq!(values(&session(SessionMode::Resume), "--resume"), [SESSION]);
    assert!(!args(&session(SessionMode::Resume)).contains(&"--fork-session"));
    let fork = session(SessionMode::Fork);
    assert_eq!(values(&fork, "--resume"), [SESSION]);
    assert!(args(&fork).contains(&"--fork-session"));
    let wrong = |mode| {
        move |params: &mut StartRunParams| {
            params.session = SessionChoice { mode, id: Some("--help".to_owned()) };
        }
    };
    assert_eq!(refused(wrong(SessionMode::Resume)), ErrorKind::SessionUnknown);
    assert_eq!(refused(wrong(SessionMode::New)), ErrorKind::ConfigInvalid);
}

#[test]
fn model_effort_and_limits_become_flags() {
    let invocation = start(|params| {
        params.model = Some("opus[1m]".to_owned());
        params.effort = Some(Effort::Max);
        params.max_turns = Some(3);
        params.adapter_options.insert("maxBudgetUsd".to_owned(), json!(0.5));
    });
    assert_eq!(values(&invocation, "--model"), ["opus[1m]"]);
    assert_eq!(values(&invocation, "--effort"), ["max"]);
    assert_eq!(values(&invocation, "--max-turns"), ["3"]);
    assert_eq!(values(&invocation, "--max-budget-usd"), ["0.5"]);
    assert_eq!(refused(|params| params.max_turns = Some(0)), ErrorKind::ConfigInvalid);
}

#[test]
fn max_retries_option_sets_environment() {
    let retries = |invocation: &Invocation| invocation.env["CLAUDE_CODE_MAX_RETRIES"].clone();
    assert_eq!(retries(&start(|_| {})), "2");
    let configured = start(|params| {
        params.adapter_options.insert("maxRetries".to_owned(), json!(7));
    });
    assert_eq!(retries(&configured), "7");
}

#[test]
fn unknown_option_is_refused() {
    let unknown = |params: &mut StartRunParams| {
        params.adapter_options.insert("maxRetry".to_owned(), json!(7));
    };
    assert_eq!(refused(unknown), ErrorKind::ConfigInvalid);
}

#[test]
fn folders_and_skills_become_flags() {
    let invocation = start(|params| {
        params.add_dirs = vec!["/one".to_owned(), "/two words".to_owned()];
        params.skills = ["/s/greet", "/s/skills/", "/s/solo/SKILL.md"].map(str::to_owned).to_vec();
    });
    assert_eq!(values(&invocation, "--add-dir"), ["/one", "/two words"]);
    assert_eq!(values(&invocation, "--plugin-dir"), ["/s/greet", "/s", "/s/solo"]);
    let relative = |params: &mut StartRunParams| params.add_dirs = vec!["--help".to_owned()];
    assert_eq!(refused(relative), ErrorKind::ConfigInvalid);
}

#[test]
fn tool_lists_and_policy_become_rules() {
    let invocation = start(|params| {
        params.allowed_tools = Some(vec!["Read".to_owned()]);
        params.denied_tools = Some(vec!["Write".to_owned()]);
        params.permission_mode = Some("acceptEdits".to_owned());
        params.policy = Some(Policy {
            shell_allow: vec!["git status".to_owned()],
            shell_deny: vec!["rm".to_owned()],
            ask: vec![od_protocol::ApprovalCategory::Edit],
            network: Some(NetworkMode::None),
        });
    });
    assert_eq!(values(&invocation, "--allowedTools"), ["Read", "Bash(git status:*)"]);
    let denied = values(&invocation, "--disallowedTools");
    assert_eq!(denied, ["Write", "Bash(rm:*)", "WebFetch", "WebSearch"]);
    assert_eq!(values(&invocation, "--permission-mode"), ["acceptEdits"]);
    let settings: Value = serde_json::from_str(values(&invocation, "--settings")[0]).expect("JSON");
    let ask = json!(["Edit", "Write", "NotebookEdit", "Bash"]);
    assert_eq!(settings["permissions"]["ask"], ask);
    let flag = |params: &mut StartRunParams| params.denied_tools = Some(vec!["--help".to_owned()]);
    assert_eq!(refused(flag), ErrorKind::ConfigInvalid);
}

#[test]
fn mcp_servers_are_hidden_from_argv() {
    let invocation = start(|params| {
        params.mcp_servers = vec![McpServer {
            name: "echo".to_owned(),
            transport: McpTransport::Stdio,
            command: Some("/bin/echo".to_owned()),
            args: vec!["x".to_owned()],
            env: [("TOKEN".to_owned(), "hidden".to_owned())].into(),
            url: None,
            headers: Default::default(),
        }];
        params.adapter_options.insert("strictMcpConfig".to_owned(), json!(true));
    });
    let config: Value = serde_json::from_str(values(&invocation, "--mcp-config")[0]).expect("JSON");
    assert_eq!(config["mcpServers"]["echo"]["command"], "/bin/echo");
    assert_eq!(config["mcpServers"]["echo"]["env"]["TOKEN"], "hidden");
    assert!(args(&invocation).contains(&"--strict-mcp-config"));
    assert!(!invocation.shown_args().iter().any(|argument| argument.contains("hidden")));
}

#[test]
fn images_become_blocks_or_mentions() {
    let invocation = start(|params| {
        params.prompt.images = vec![
            od_protocol::ImageInput {
                mime: "image/png".to_owned(),
                data: Some("AAAA".to_owned()),
                path: None,
            },
            od_protocol::ImageInput {
                mime: "image/png".to_owned(),
                data: None,
                path: Some("/workspace/p.png".to_owned()),
            },
        ];
    });
    let content = &stdin_lines(&invocation)[0]["message"]["content"];
    assert_eq!(content[1]["source"]["data"], "AAAA");
    assert_eq!(content[2]["text"], "Attached files:\n@\"/workspace/p.png\"");
}

#[test]
fn output_schema_becomes_flag() {
    let invocation = start(|params| {
        params.output_schema = json!({"type": "object"}).as_object().cloned();
    });
    assert_eq!(values(&invocation, "--json-schema"), [r#"{"type":"object"}"#]);
}
