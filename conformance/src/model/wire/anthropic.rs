//! Anthropic Messages.

use serde_json::{Value, json};

use crate::model::answer::{Answer, Fault, Stop, usage};
use crate::model::failure::{Failure, FailureKind, Refusal, retry_headers};
use crate::model::reply::Script;
use crate::model::request::{Conversation, Entry, list, model, optional_list, part_text, texts};
use crate::model::tools::{Tool, ToolCall, ToolForm, ToolInput};

pub(super) fn read(body: &Value) -> Result<Conversation, String> {
    let mut entries = Vec::new();
    for message in list(body, "messages")? {
        match message["role"].as_str() {
            Some("user") => read_user(&message["content"], &mut entries),
            Some("assistant") => entries.push(Entry::Assistant),
            _ => {}
        }
    }
    let formats = [&body["output_config"]["format"], &body["output_format"]];
    let json_schema = formats.into_iter().find(|format| format.is_object());
    Ok(Conversation {
        model: model(body),
        stream: body["stream"] == true,
        system: texts(&body["system"]).join("\n"),
        entries,
        tools: optional_list(body, "tools").iter().filter_map(read_tool).collect(),
        json_schema: json_schema.map(|format| format["schema"].clone()),
        output_limit: body["max_tokens"].as_u64(),
    })
}

fn read_user(content: &Value, entries: &mut Vec<Entry>) {
    let Some(blocks) = content.as_array() else {
        entries.extend(texts(content).into_iter().map(Entry::User));
        return;
    };
    for block in blocks {
        match block["type"].as_str() {
            Some("tool_result") => entries.push(Entry::ToolResult),
            _ => entries.extend(part_text(block).map(Entry::User)),
        }
    }
}

fn read_tool(tool: &Value) -> Option<Tool> {
    Some(Tool {
        name: tool["name"].as_str()?.to_owned(),
        description: tool["description"].as_str().unwrap_or_default().to_owned(),
        schema: tool["input_schema"].clone(),
        form: ToolForm::Function,
    })
}

pub(super) fn to_document(answer: &Answer) -> Value {
    let mut content = Vec::new();
    if !answer.thinking.is_empty() {
        content.push(json!({
            "type": "thinking", "thinking": answer.whole_thinking(), "signature": SIGNATURE
        }));
    }
    if !answer.text.is_empty() {
        content.push(json!({"type": "text", "text": answer.whole_text()}));
    }
    for (index, call) in answer.calls.iter().enumerate() {
        content.push(tool_use(answer, index, call, arguments(call)));
    }
    let mut message = message(answer);
    message["content"] = json!(content);
    message["stop_reason"] = json!(stop_reason(answer.stop));
    message["usage"]["output_tokens"] = json!(usage::OUTPUT);
    message
}

const SIGNATURE: &str = "c2lnbmF0dXJl";

fn message(answer: &Answer) -> Value {
    json!({
        "id": format!("msg_{}", answer.id),
        "type": "message",
        "role": "assistant",
        "model": answer.model,
        "content": [],
        "stop_reason": null,
        "stop_sequence": null,
        "usage": {
            "input_tokens": usage::INPUT,
            "cache_creation_input_tokens": usage::CACHE_WRITTEN,
            "cache_read_input_tokens": usage::CACHED,
            "output_tokens": 1,
            "service_tier": "standard",
        },
    })
}

pub(super) fn stream(answer: &Answer, script: &mut Script) {
    event(script, "message_start", json!({"message": message(answer)}));
    event(script, "ping", json!({}));
    if let Fault::Error(failure) = &answer.fault {
        script.named("error", &refuse(failure).body);
        return script.end();
    }
    let mut index = 0;
    if !answer.thinking.is_empty() {
        let block = json!({"type": "thinking", "thinking": "", "signature": ""});
        start_block(script, index, &block);
        for thought in &answer.thinking {
            delta(script, index, &json!({"type": "thinking_delta", "thinking": thought}));
        }
        delta(script, index, &json!({"type": "signature_delta", "signature": SIGNATURE}));
        stop_block(script, &mut index);
    }
    if !answer.text.is_empty() {
        start_block(script, index, &json!({"type": "text", "text": ""}));
        script.text(answer, |text| {
            let delta = json!({"type": "text_delta", "text": text});
            let data = json!({"type": "content_block_delta", "index": index, "delta": delta});
            (Some("content_block_delta"), data)
        });
        stop_block(script, &mut index);
    }
    for (position, call) in answer.calls.iter().enumerate() {
        start_block(script, index, &tool_use(answer, position, call, json!({})));
        for part in split_arguments(&arguments(call).to_string()) {
            delta(script, index, &json!({"type": "input_json_delta", "partial_json": part}));
        }
        stop_block(script, &mut index);
    }
    let last = json!({
        "delta": {"stop_reason": stop_reason(answer.stop), "stop_sequence": null},
        "usage": {
            "input_tokens": usage::INPUT,
            "cache_creation_input_tokens": usage::CACHE_WRITTEN,
            "cache_read_input_tokens": usage::CACHED,
            "output_tokens": usage::OUTPUT,
        },
    });
    event(script, "message_delta", last);
    event(script, "message_stop", json!({}));
}

fn event(script: &mut Script, name: &'static str, mut data: Value) {
    data["type"] = json!(name);
    script.named(name, &data);
}

fn start_block(script: &mut Script, index: usize, block: &Value) {
    event(script, "content_block_start", json!({"index": index, "content_block": block}));
}

fn delta(script: &mut Script, index: usize, delta: &Value) {
    event(script, "content_block_delta", json!({"index": index, "delta": delta}));
}

fn stop_block(script: &mut Script, index: &mut usize) {
    event(script, "content_block_stop", json!({"index": *index}));
    *index += 1;
}

fn tool_use(answer: &Answer, index: usize, call: &ToolCall, input: Value) -> Value {
    json!({
        "type": "tool_use", "id": answer.call_id("toolu", index), "name": call.name, "input": input
    })
}

fn arguments(call: &ToolCall) -> Value {
    match &call.input {
        ToolInput::Arguments(arguments) => arguments.clone(),
        ToolInput::Freeform(text) => json!({"input": text}),
        ToolInput::LocalShell(error_texts) => json!({"command": error_texts}),
    }
}

/// Splits a text into up to four parts between characters: arguments arrive in fragments.
fn split_arguments(text: &str) -> Vec<String> {
    let letters: Vec<char> = text.chars().collect();
    letters.chunks((letters.len() / 3).max(1)).map(|part| part.iter().collect()).collect()
}

fn stop_reason(stop: Stop) -> &'static str {
    match stop {
        Stop::End => "end_turn",
        Stop::Tools => "tool_use",
        Stop::Limit => "max_tokens",
        Stop::Filter => "refusal",
    }
}

pub(super) fn refuse(failure: &Failure) -> Refusal {
    let (status, kind, error_texts) = match failure.kind {
        FailureKind::BadRequest => {
            (400, "invalid_request_error", "messages.0.content: Field required")
        }
        FailureKind::ContextOverflow => {
            (400, "invalid_request_error", "prompt is too long: 250000 tokens > 200000 maximum")
        }
        FailureKind::Unauthorized => (401, "authentication_error", "invalid x-api-key"),
        FailureKind::Forbidden => {
            (403, "permission_error", "Your account does not have access to this model")
        }
        FailureKind::UnknownModel => (404, "not_found_error", "model: "),
        FailureKind::UnknownRoute => (404, "not_found_error", "Not Found"),
        FailureKind::WrongMethod => (405, "invalid_request_error", "Method Not Allowed"),
        FailureKind::TooLarge => (413, "request_too_large", "Request exceeds the maximum size"),
        FailureKind::RateLimited | FailureKind::RateLimitedLong | FailureKind::RateLimitedBare => {
            (429, "rate_limit_error", "This request would exceed your rate limit")
        }
        FailureKind::Quota => (
            429,
            "rate_limit_error",
            "You have reached your usage limit: the quota of your plan is used up.",
        ),
        FailureKind::ServerError => (500, "api_error", "Internal server error"),
        FailureKind::Overloaded => (529, "overloaded_error", "Overloaded"),
    };
    let mut message = failure.message.clone().unwrap_or_else(|| error_texts.to_owned());
    if failure.kind == FailureKind::UnknownModel {
        message.push_str(&failure.model);
    }
    Refusal {
        status,
        body: json!({"type": "error", "error": {"type": kind, "message": message}}),
        headers: refusal_headers(failure.kind),
    }
}

fn refusal_headers(kind: FailureKind) -> Vec<(&'static str, String)> {
    let mut headers = retry_headers(kind);
    let should_retry = match kind {
        FailureKind::RateLimited | FailureKind::RateLimitedBare => Some("true"),
        FailureKind::RateLimitedLong | FailureKind::Quota => Some("false"),
        _ => None,
    };
    headers.extend(should_retry.map(|text| ("x-should-retry", text.to_owned())));
    if kind == FailureKind::Quota {
        headers.push(("anthropic-ratelimit-unified-status", "rejected".to_owned()));
        headers.push(("anthropic-ratelimit-unified-reset", FAR_FUTURE.to_owned()));
        headers.push(("anthropic-ratelimit-unified-representative-claim", "five_hour".to_owned()));
    }
    headers
}

/// The year 2100: no test reaches the reset of this quota.
const FAR_FUTURE: &str = "4102444800";

pub(super) fn limit_headers(now: u64) -> Vec<(&'static str, String)> {
    let hour = (now + 3_600).to_string();
    let week = (now + 7 * 86_400).to_string();
    [
        ("anthropic-ratelimit-unified-status", "allowed_warning"),
        ("anthropic-ratelimit-unified-reset", &hour),
        ("anthropic-ratelimit-unified-representative-claim", "five_hour"),
        ("anthropic-ratelimit-unified-fallback", "available"),
        ("anthropic-ratelimit-unified-5h-status", "allowed_warning"),
        ("anthropic-ratelimit-unified-5h-utilization", "0.91"),
        ("anthropic-ratelimit-unified-5h-surpassed-threshold", "0.9"),
        ("anthropic-ratelimit-unified-5h-reset", &hour),
        ("anthropic-ratelimit-unified-7d-status", "allowed"),
        ("anthropic-ratelimit-unified-7d-utilization", "0.33"),
        ("anthropic-ratelimit-unified-7d-reset", &week),
    ]
    .into_iter()
    .map(|(name, value)| (name, value.to_owned()))
    .collect()
}
