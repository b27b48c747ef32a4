//! OpenAI chat completions, which most other providers support as well.

use serde_json::{Value, json};

use super::open_ai;
use crate::model::answer::{Answer, Fault, Stop, usage};
use crate::model::reply::Script;
use crate::model::request::{Conversation, Entry, list, model, optional_list, texts};
use crate::model::tools::{Tool, ToolCall, ToolForm, ToolInput};

pub(super) fn read(body: &Value) -> Result<Conversation, String> {
    let mut entries = Vec::new();
    let mut system = Vec::new();
    for message in list(body, "messages")? {
        match message["role"].as_str() {
            Some("system" | "developer") => system.extend(texts(&message["content"])),
            Some("user") => entries.extend(texts(&message["content"]).into_iter().map(Entry::User)),
            Some("assistant") => entries.push(Entry::Assistant),
            Some("tool" | "function") => entries.push(Entry::ToolResult),
            _ => {}
        }
    }
    let limits = [&body["max_completion_tokens"], &body["max_tokens"]];
    Ok(Conversation {
        model: model(body),
        stream: body["stream"] == true,
        system: system.join("\n"),
        entries,
        tools: optional_list(body, "tools").iter().filter_map(read_tool).collect(),
        json_schema: json_schema(&body["response_format"]),
        output_limit: limits.into_iter().find_map(Value::as_u64),
    })
}

fn read_tool(tool: &Value) -> Option<Tool> {
    let (definition, form) = if tool["type"] == "custom" {
        (&tool["custom"], ToolForm::Freeform)
    } else {
        (&tool["function"], ToolForm::Function)
    };
    Some(Tool {
        name: definition["name"].as_str()?.to_owned(),
        description: definition["description"].as_str().unwrap_or_default().to_owned(),
        schema: definition["parameters"].clone(),
        form,
    })
}

fn json_schema(format: &Value) -> Option<Value> {
    match format["type"].as_str() {
        Some("json_schema") => Some(format["json_schema"]["schema"].clone()),
        Some("json_object") => Some(Value::Null),
        _ => None,
    }
}

pub(super) fn to_document(answer: &Answer) -> Value {
    let mut message = json!({"role": "assistant", "content": answer.whole_text()});
    if !answer.thinking.is_empty() {
        message["reasoning_content"] = json!(answer.whole_thinking());
    }
    if !answer.calls.is_empty() {
        let calls = answer.calls.iter().enumerate();
        message["tool_calls"] =
            calls.map(|(index, call)| call_value(answer, index, call, input(call))).collect();
    }
    json!({
        "id": format!("chatcmpl-{}", answer.id),
        "object": "chat.completion",
        "created": answer.created,
        "model": answer.model,
        "choices": [
            {"index": 0, "message": message, "finish_reason": finish_reason(answer.stop)}
        ],
        "usage": usage_value(answer),
    })
}

pub(super) fn stream(answer: &Answer, script: &mut Script) {
    let chunk = |delta: Value| chunk(answer, &delta, None);
    script.data(&chunk(json!({"role": "assistant", "content": ""})));
    if let Fault::Error(failure) = &answer.fault {
        script.data(&open_ai::refuse(failure).body);
        return script.end();
    }
    for thought in &answer.thinking {
        // Providers use different names; agent CLIs read the one they know.
        script.data(&chunk(json!({"reasoning_content": thought, "reasoning_text": thought})));
    }
    script.text(answer, |text| (None, chunk(json!({"content": text}))));
    for (index, call) in answer.calls.iter().enumerate() {
        let mut first = call_value(answer, index, call, String::new());
        first["index"] = json!(index);
        script.data(&chunk(json!({"tool_calls": [first]})));
        for part in halves(&input(call)) {
            let part = json!({"index": index, form_name(call): {input_name(call): part}});
            script.data(&chunk(json!({"tool_calls": [part]})));
        }
    }
    script.data(&self::chunk(answer, &json!({}), Some(finish_reason(answer.stop))));
    let mut last = self::chunk(answer, &json!({}), None);
    last["choices"] = json!([]);
    last["usage"] = usage_value(answer);
    script.data(&last);
    script.mark("[DONE]");
}

fn chunk(answer: &Answer, delta: &Value, finish_reason: Option<&str>) -> Value {
    json!({
        "id": format!("chatcmpl-{}", answer.id),
        "object": "chat.completion.chunk",
        "created": answer.created,
        "model": answer.model,
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish_reason}],
    })
}

fn call_value(answer: &Answer, index: usize, call: &ToolCall, input: String) -> Value {
    json!({
        "id": answer.call_id("call", index),
        "type": form_name(call),
        form_name(call): {"name": call.name, input_name(call): input},
    })
}

fn form_name(call: &ToolCall) -> &'static str {
    if matches!(call.input, ToolInput::Freeform(_)) { "custom" } else { "function" }
}

fn input_name(call: &ToolCall) -> &'static str {
    if matches!(call.input, ToolInput::Freeform(_)) { "input" } else { "arguments" }
}

fn input(call: &ToolCall) -> String {
    match &call.input {
        ToolInput::Arguments(arguments) => arguments.to_string(),
        ToolInput::Freeform(text) => text.clone(),
        ToolInput::LocalShell(error_texts) => json!({"command": error_texts}).to_string(),
    }
}

fn halves(text: &str) -> Vec<String> {
    let letters: Vec<char> = text.chars().collect();
    letters.chunks(letters.len().div_ceil(2).max(1)).map(|part| part.iter().collect()).collect()
}

fn finish_reason(stop: Stop) -> &'static str {
    match stop {
        Stop::End => "stop",
        Stop::Tools => "tool_calls",
        Stop::Limit => "length",
        Stop::Filter => "content_filter",
    }
}

fn usage_value(answer: &Answer) -> Value {
    json!({
        "prompt_tokens": usage::INPUT,
        "completion_tokens": usage::OUTPUT,
        "total_tokens": usage::INPUT + usage::OUTPUT,
        "prompt_tokens_details": {"cached_tokens": usage::CACHED},
        "completion_tokens_details": {"reasoning_tokens": answer.thought_tokens()},
    })
}
