//! OpenAI Responses.

use serde_json::{Value, json};

use super::open_ai;
use crate::model::answer::{Answer, Fault, Stop, usage};
use crate::model::reply::Script;
use crate::model::request::{Conversation, Entry, model, optional_list, texts};
use crate::model::tools::{Tool, ToolCall, ToolForm, ToolInput};

pub(super) fn read(body: &Value) -> Result<Conversation, String> {
    let mut entries = Vec::new();
    let mut system = texts(&body["instructions"]);
    match &body["input"] {
        Value::String(text) => entries.push(Entry::User(text.clone())),
        Value::Array(items) => {
            for item in items {
                read_item(item, &mut entries, &mut system);
            }
        }
        _ => return Err("input: field required, a text or a list".to_owned()),
    }
    let format = &body["text"]["format"];
    let json_schema = match format["type"].as_str() {
        Some("json_schema") => Some(format["schema"].clone()),
        Some("json_object") => Some(Value::Null),
        _ => None,
    };
    Ok(Conversation {
        model: model(body),
        stream: body["stream"] == true,
        system: system.join("\n"),
        entries,
        tools: optional_list(body, "tools").iter().filter_map(read_tool).collect(),
        json_schema,
        output_limit: body["max_output_tokens"].as_u64(),
    })
}

fn read_item(item: &Value, entries: &mut Vec<Entry>, system: &mut Vec<String>) {
    let kind = item["type"].as_str().unwrap_or("message");
    if kind.ends_with("_output") {
        entries.push(Entry::ToolResult);
        return;
    }
    match (kind, item["role"].as_str()) {
        ("message", Some("user")) => {
            entries.extend(texts(&item["content"]).into_iter().map(Entry::User));
        }
        ("message", Some("system" | "developer")) => system.extend(texts(&item["content"])),
        _ => entries.push(Entry::Assistant),
    }
}

fn read_tool(tool: &Value) -> Option<Tool> {
    let (name, form) = match tool["type"].as_str() {
        Some("function") => (tool["name"].as_str()?, ToolForm::Function),
        Some("custom") => (tool["name"].as_str()?, ToolForm::Freeform),
        Some("local_shell") => ("local_shell", ToolForm::LocalShell),
        _ => return None,
    };
    Some(Tool {
        name: name.to_owned(),
        description: tool["description"].as_str().unwrap_or_default().to_owned(),
        schema: tool["parameters"].clone(),
        form,
    })
}

pub(super) fn to_document(answer: &Answer) -> Value {
    let mut output = Vec::new();
    if !answer.thinking.is_empty() {
        output.push(reasoning(answer));
    }
    if has_message(answer) {
        output.push(message(answer));
    }
    let calls = answer.calls.iter().enumerate();
    output.extend(calls.map(|(index, call)| call_item(answer, index, call)));
    finished(answer, output)
}

pub(super) fn stream(answer: &Answer, script: &mut Script) {
    let mut events = Events { script, number: 0, output: Vec::new() };
    let base = response(answer, "in_progress");
    events.event("response.created", json!({"response": base}));
    events.event("response.in_progress", json!({"response": base}));
    if let Fault::Error(failure) = &answer.fault {
        let mut failed = response(answer, "failed");
        failed["error"] = open_ai::stream_error(failure);
        events.event("response.failed", json!({"response": failed}));
        return events.script.end();
    }
    if !answer.thinking.is_empty() {
        events.thoughts(answer);
    }
    if has_message(answer) {
        events.message(answer);
    }
    for (index, call) in answer.calls.iter().enumerate() {
        events.call(&call_item(answer, index, call));
    }
    let name = match answer.stop {
        Stop::End | Stop::Tools => "response.completed",
        Stop::Limit | Stop::Filter => "response.incomplete",
    };
    let output = std::mem::take(&mut events.output);
    events.event(name, json!({"response": finished(answer, output)}));
}

/// Numbers the events. Every item is sent twice: when it starts and when it is complete.
struct Events<'a> {
    script: &'a mut Script,
    number: u64,
    output: Vec<Value>,
}

impl Events<'_> {
    fn event(&mut self, name: &'static str, data: Value) {
        let data = self.numbered(name, data);
        self.script.named(name, &data);
    }

    fn numbered(&mut self, name: &str, mut data: Value) -> Value {
        data["type"] = json!(name);
        data["sequence_number"] = json!(self.number);
        self.number += 1;
        data
    }

    fn item_event(&mut self, name: &'static str, item: &Value, mut data: Value) {
        data["item_id"] = item["id"].clone();
        data["output_index"] = json!(self.output.len());
        self.event(name, data);
    }

    fn begin(&mut self, item: &Value, emptied: &str, nothing: Value) {
        let mut empty = item.clone();
        empty[emptied] = nothing;
        if !empty["status"].is_null() {
            empty["status"] = json!("in_progress");
        }
        let data = json!({"output_index": self.output.len(), "item": empty});
        self.event("response.output_item.added", data);
    }

    fn finish(&mut self, item: Value) {
        let data = json!({"output_index": self.output.len(), "item": item});
        self.event("response.output_item.done", data);
        self.output.push(item);
    }

    fn thoughts(&mut self, answer: &Answer) {
        let item = reasoning(answer);
        self.begin(&item, "summary", json!([]));
        let part = |text: &str| json!({"summary_index": 0, "part": {"type": "summary_text", "text": text}});
        self.item_event("response.reasoning_summary_part.added", &item, part(""));
        for thought in &answer.thinking {
            let data = json!({"summary_index": 0, "delta": thought});
            self.item_event("response.reasoning_summary_text.delta", &item, data);
        }
        let to_document = answer.whole_thinking();
        let data = json!({"summary_index": 0, "text": to_document});
        self.item_event("response.reasoning_summary_text.done", &item, data);
        self.item_event("response.reasoning_summary_part.done", &item, part(&to_document));
        self.finish(item);
    }

    fn message(&mut self, answer: &Answer) {
        let item = message(answer);
        self.begin(&item, "content", json!([]));
        let part = |text: &str| json!({"content_index": 0, "part": text_part(text)});
        self.item_event("response.content_part.added", &item, part(""));
        let (output_index, first) = (self.output.len(), self.number);
        let numbers = std::cell::Cell::new(first);
        self.script.text(answer, |text| {
            let number = numbers.replace(numbers.get() + 1);
            let data = json!({
                "type": "response.output_text.delta", "sequence_number": number,
                "item_id": item["id"], "output_index": output_index, "content_index": 0,
                "delta": text, "logprobs": [],
            });
            (Some("response.output_text.delta"), data)
        });
        self.number = numbers.get();
        let to_document = answer.whole_text();
        let data = json!({"content_index": 0, "text": to_document, "logprobs": []});
        self.item_event("response.output_text.done", &item, data);
        self.item_event("response.content_part.done", &item, part(&to_document));
        self.finish(item);
    }

    fn call(&mut self, item: &Value) {
        let (field, delta, done) = match item["type"].as_str() {
            Some("custom_tool_call") => (
                "input",
                "response.custom_tool_call_input.delta",
                "response.custom_tool_call_input.done",
            ),
            Some("function_call") => (
                "arguments",
                "response.function_call_arguments.delta",
                "response.function_call_arguments.done",
            ),
            _ => {
                self.begin(item, "status", json!("in_progress"));
                return self.finish(item.clone());
            }
        };
        self.begin(item, field, json!(""));
        self.item_event(delta, item, json!({"delta": item[field]}));
        self.item_event(done, item, json!({field: item[field]}));
        self.finish(item.clone());
    }
}

/// Whether the answer has a message: without text only calls and thoughts have none.
fn has_message(answer: &Answer) -> bool {
    !answer.text.is_empty() || answer.calls.is_empty()
}

fn reasoning(answer: &Answer) -> Value {
    json!({
        "type": "reasoning",
        "id": format!("rs_{}", answer.id),
        "summary": [{"type": "summary_text", "text": answer.whole_thinking()}],
        "encrypted_content": "ZmFrZQ==",
    })
}

fn message(answer: &Answer) -> Value {
    json!({
        "type": "message",
        "id": format!("msg_{}", answer.id),
        "role": "assistant",
        "status": "completed",
        "content": [text_part(&answer.whole_text())],
    })
}

fn text_part(text: &str) -> Value {
    json!({"type": "output_text", "text": text, "annotations": []})
}

fn call_item(answer: &Answer, index: usize, call: &ToolCall) -> Value {
    let call_id = answer.call_id("call", index);
    match &call.input {
        ToolInput::Arguments(arguments) => json!({
            "type": "function_call", "id": answer.call_id("fc", index), "call_id": call_id,
            "name": call.name, "arguments": arguments.to_string(), "status": "completed",
        }),
        ToolInput::Freeform(text) => json!({
            "type": "custom_tool_call", "id": answer.call_id("ctc", index), "call_id": call_id,
            "name": call.name, "input": text, "status": "completed",
        }),
        ToolInput::LocalShell(error_texts) => json!({
            "type": "local_shell_call", "id": answer.call_id("lsc", index), "call_id": call_id,
            "status": "completed", "action": {"type": "exec", "command": error_texts, "env": {}},
        }),
    }
}

fn response(answer: &Answer, status: &str) -> Value {
    json!({
        "id": format!("resp_{}", answer.id), "object": "response", "created_at": answer.created,
        "status": status, "model": answer.model, "output": [], "error": null,
        "incomplete_details": null, "usage": null, "parallel_tool_calls": true,
        "tool_choice": "auto", "tools": [], "metadata": {},
    })
}

fn finished(answer: &Answer, output: Vec<Value>) -> Value {
    let reason = match answer.stop {
        Stop::End | Stop::Tools => None,
        Stop::Limit => Some("max_output_tokens"),
        Stop::Filter => Some("content_filter"),
    };
    let status = if reason.is_some() { "incomplete" } else { "completed" };
    let mut response = response(answer, status);
    response["output"] = json!(output);
    response["incomplete_details"] = reason.map_or(Value::Null, |reason| json!({"reason": reason}));
    response["usage"] = json!({
        "input_tokens": usage::INPUT,
        "input_tokens_details": {"cached_tokens": usage::CACHED},
        "output_tokens": usage::OUTPUT,
        "output_tokens_details": {"reasoning_tokens": answer.thought_tokens()},
        "total_tokens": usage::INPUT + usage::OUTPUT,
    });
    response
}

pub(super) fn limit_headers(now: u64) -> Vec<(&'static str, String)> {
    [
        ("x-codex-primary-used-percent", "91.5".to_owned()),
        ("x-codex-primary-window-minutes", "300".to_owned()),
        ("x-codex-primary-reset-at", (now + 3_600).to_string()),
        ("x-codex-secondary-used-percent", "33.0".to_owned()),
        ("x-codex-secondary-window-minutes", "10080".to_owned()),
        ("x-codex-secondary-reset-at", (now + 86_400).to_string()),
    ]
    .into_iter()
    .collect()
}
