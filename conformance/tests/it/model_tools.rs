//! Tool calls of the fake model, built from the schemas of the request.

use od_conformance::model::ModelServer;
use serde_json::{Value, json};

use crate::model_client::{post, server};
use crate::model_format::{Call, FORMATS, Format};

fn calls(server: &ModelServer, format: Format, request: &Value) -> Vec<Call> {
    let response = post(server, format.path(true), request);
    assert_eq!(response.status, 200, "{format:?}: {}", response.text());
    let events = response.events();
    let calls = format.calls(&events);
    let stop = format.stop(&events);
    let waits = ["tool_use", "completed", "tool_calls", "STOP"].contains(&stop.as_str());
    assert!(calls.is_empty() || waits, "{format:?}: {stop}");
    calls
}

/// Sends a request with one tool in every format and compares the call.
#[track_caller]
fn check(prompt: &str, name: &str, schema: Value, expected: &Value) {
    let server = server();
    for format in FORMATS {
        let request = format.with_tools(prompt, &[(name, schema.clone())]);
        let call = Call { name: name.to_owned(), input: expected.clone() };
        assert_eq!(calls(&server, format, &request), [call], "{format:?}");
    }
}

fn write_schema() -> Value {
    json!({"type": "object", "required": ["file_path", "content"], "properties": {
        "file_path": {"type": "string"}, "content": {"type": "string"}}})
}

fn shell_schema() -> Value {
    json!({"type": "object", "required": ["command"], "properties": {
        "command": {"type": "string"}, "timeout": {"type": "number"}}})
}

#[test]
fn file_path_follows_the_prompt() {
    let content = "hello from the fake model q1\n";
    let expected = json!({"file_path": "/some where/hello.txt", "content": content});
    let prompt = "SCN:write CWD=</some where> NONCE=q1";
    if cfg!(unix) {
        check(prompt, "Write", write_schema(), &expected);
    }
}

#[test]
fn path_without_folder_is_relative() {
    let expected = json!({"file_path": "hello.txt", "content": "hello from the fake model\n"});
    check("SCN:write", "write_file", write_schema(), &expected);
}

#[test]
fn command_has_declared_type() {
    let command = "echo shell-ok; echo to-stderr >&2";
    check("SCN:shell", "Bash", shell_schema(), &json!({"command": command}));
    let list = json!({"properties": {"command": {"type": "array", "items": {"type": "string"}}},
                      "required": ["command"]});
    check("SCN:shell", "shell", list, &json!({"command": ["bash", "-lc", command]}));
}

#[test]
fn long_command_has_timeout() {
    let schema = json!({"properties": {"command": {"type": "string"},
        "timeout": {"type": "number", "description": "in milliseconds", "maximum": 600_000}},
        "required": ["command"]});
    check(
        "SCN:sleep",
        "Bash",
        schema,
        &json!({"command": "true && /bin/sleep 60", "timeout": 120_000}),
    );
}

#[test]
fn unknown_tool_is_found_by_arguments() {
    let schema = json!({"required": ["cmd", "why"], "properties": {
        "cmd": {"type": "string"}, "why": {"anyOf": [{"type": "string"}, {"type": "null"}]}}});
    let expected = json!({"cmd": "echo about-to-fail; exit 3", "why": null});
    check("SCN:toolfail", "zsh_in_a_box", schema, &expected);
}

#[test]
fn tool_named_by_prompt_is_called() {
    let schema = json!({"required": ["query", "limit"], "properties": {
        "query": {"type": "string", "minLength": 3}, "limit": {"type": "integer", "minimum": 5}}});
    check("SCN:call_find_it", "find_it", schema, &json!({"query": "xxx", "limit": 5}));
}

#[test]
fn sub_agent_gets_task() {
    let server = server();
    let schema = json!({"required": ["description", "prompt", "subagent_type"], "properties": {
        "description": {"type": "string"}, "prompt": {"type": "string"},
        "subagent_type": {"type": "string", "description": "such as general-purpose"}}});
    for format in FORMATS {
        let request = format.with_tools("SCN:subagent", &[("Task", schema.clone())]);
        let calls = calls(&server, format, &request);
        assert_eq!(calls[0].input["subagent_type"], "general-purpose", "{format:?}");
        let prompt = calls[0].input["prompt"].as_str().unwrap_or_default();
        assert!(prompt.contains("SCN:plain"), "{format:?}: {prompt}");
    }
}

#[test]
fn answer_follows_tool_result() {
    let server = server();
    for format in FORMATS {
        let mut request = format.with_tools("SCN:write", &[("Write", write_schema())]);
        let call = calls(&server, format, &request).remove(0);
        format.add_result(&mut request, &call);
        let response = post(&server, format.path(true), &request);
        let events = response.events();
        assert_eq!(format.calls(&events), [], "{format:?}");
        assert_eq!(format.text(&events), "Done: the tool finished.", "{format:?}");
    }
}

#[test]
fn multi_scenario_has_two_rounds() {
    let server = server();
    let tools = [("Write", write_schema()), ("Bash", shell_schema())];
    for format in FORMATS {
        let mut request = format.with_tools("SCN:multi", &tools);
        let mut names = Vec::new();
        for _ in 0..2 {
            let call = calls(&server, format, &request).remove(0);
            format.add_result(&mut request, &call);
            names.push(call.name);
        }
        assert_eq!(names, ["Bash", "Write"], "{format:?}");
        assert_eq!(calls(&server, format, &request), [], "{format:?}");
    }
}

#[test]
fn parallel_scenario_has_two_calls() {
    let server = server();
    let tools = [("Write", write_schema()), ("Bash", shell_schema())];
    for format in FORMATS {
        let calls = calls(&server, format, &format.with_tools("SCN:parallel", &tools));
        let names: Vec<&str> = calls.iter().map(|call| call.name.as_str()).collect();
        assert_eq!(names, ["Bash", "Write"], "{format:?}");
    }
}

#[test]
fn request_without_tools_gets_plain_answer() {
    let server = server();
    for format in FORMATS {
        let request = format.request("SCN:write", true);
        assert_eq!(calls(&server, format, &request), [], "{format:?}");
    }
}

const PATCH: &str =
    "*** Begin Patch\n*** Add File: hello.txt\n+hello from the fake model\n*** End Patch\n";

#[test]
fn patch_goes_to_text_tool() {
    let server = server();
    let expected = [Call { name: "apply_patch".to_owned(), input: json!(PATCH) }];
    let mut responses = Format::Responses.request("SCN:patch", true);
    responses["tools"] = json!([{"type": "custom", "name": "apply_patch"}]);
    assert_eq!(calls(&server, Format::Responses, &responses), expected);
    let mut chat = Format::Chat.request("SCN:patch", true);
    chat["tools"] = json!([{"type": "custom", "custom": {"name": "apply_patch"}}]);
    assert_eq!(calls(&server, Format::Chat, &chat), expected);
}

#[test]
fn patch_goes_to_tool_with_arguments() {
    let schema = json!({"properties": {"patch": {"type": "string"}}, "required": ["patch"]});
    check("SCN:patch", "apply_patch", schema, &json!({"patch": PATCH}));
}

#[test]
fn local_shell_has_own_call_format() {
    let server = server();
    let mut request = Format::Responses.request("SCN:toolfail", true);
    request["tools"] = json!([{"type": "local_shell"}]);
    let calls = calls(&server, Format::Responses, &request);
    assert_eq!(calls[0].input, json!(["bash", "-lc", "echo about-to-fail; exit 3"]));
}
