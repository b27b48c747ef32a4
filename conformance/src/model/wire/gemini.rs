//! Gemini generateContent and streamGenerateContent.

use serde_json::{Value, json};

use crate::model::answer::{Answer, Fault, Stop, usage};
use crate::model::failure::{Failure, FailureKind, Refusal, retry_after, retry_headers};
use crate::model::reply::Script;
use crate::model::request::{Conversation, Entry, list, model, optional_list, part_text, texts};
use crate::model::tools::{Tool, ToolCall, ToolForm, ToolInput};

/// Reads a request; model and streaming are in its address, see `route`.
pub(super) fn read(body: &Value) -> Result<Conversation, String> {
    let mut entries = Vec::new();
    for content in list(body, "contents")? {
        if content["role"] == "model" {
            entries.push(Entry::Assistant);
            continue;
        }
        for part in optional_list(content, "parts") {
            if part["functionResponse"].is_object() {
                entries.push(Entry::ToolResult);
            } else {
                entries.extend(part_text(part).map(Entry::User));
            }
        }
    }
    let config = &body["generationConfig"];
    let declarations = optional_list(body, "tools")
        .iter()
        .flat_map(|tool| optional_list(tool, "functionDeclarations"));
    Ok(Conversation {
        model: model(body),
        stream: false,
        system: texts(&body["systemInstruction"]["parts"]).join("\n"),
        entries,
        tools: declarations.filter_map(read_tool).collect(),
        json_schema: json_schema(config),
        output_limit: config["maxOutputTokens"].as_u64(),
    })
}

fn read_tool(declaration: &Value) -> Option<Tool> {
    let schemas = [&declaration["parametersJsonSchema"], &declaration["parameters"]];
    let schema = schemas.into_iter().find(|schema| schema.is_object());
    Some(Tool {
        name: declaration["name"].as_str()?.to_owned(),
        description: declaration["description"].as_str().unwrap_or_default().to_owned(),
        schema: schema.cloned().unwrap_or_default(),
        form: ToolForm::Function,
    })
}

fn json_schema(config: &Value) -> Option<Value> {
    if config["responseMimeType"] != "application/json" {
        return None;
    }
    let schemas = [&config["responseJsonSchema"], &config["responseSchema"]];
    Some(schemas.into_iter().find(|schema| schema.is_object()).cloned().unwrap_or_default())
}

pub(super) fn to_document(answer: &Answer) -> Value {
    let mut parts = Vec::new();
    if !answer.thinking.is_empty() {
        parts.push(json!({"text": answer.whole_thinking(), "thought": true}));
    }
    if !answer.text.is_empty() {
        parts.push(json!({"text": answer.whole_text()}));
    }
    parts.extend(call_parts(answer));
    last_chunk(answer, parts)
}

pub(super) fn stream(answer: &Answer, script: &mut Script) {
    script.escape_separators();
    if let Fault::Error(failure) = &answer.fault {
        script.data(&refuse(failure).body);
        return script.end();
    }
    for thought in &answer.thinking {
        let part = json!({"text": thought, "thought": true});
        script.data(&chunk(answer, vec![part]));
    }
    script.text(answer, |text| (None, chunk(answer, vec![json!({"text": text})])));
    if !answer.calls.is_empty() {
        script.data(&chunk(answer, call_parts(answer)));
    }
    let parts = if answer.text.is_empty() { Vec::new() } else { vec![json!({"text": ""})] };
    script.data(&last_chunk(answer, parts));
}

fn chunk(answer: &Answer, parts: Vec<Value>) -> Value {
    json!({
        "candidates": [{"content": {"role": "model", "parts": parts}, "index": 0}],
        "modelVersion": answer.model,
        "responseId": answer.id,
    })
}

fn last_chunk(answer: &Answer, parts: Vec<Value>) -> Value {
    let thoughts = answer.thought_tokens();
    let mut chunk = chunk(answer, parts);
    chunk["candidates"][0]["finishReason"] = json!(match answer.stop {
        Stop::End | Stop::Tools => "STOP",
        Stop::Limit => "MAX_TOKENS",
        Stop::Filter => "SAFETY",
    });
    chunk["usageMetadata"] = json!({
        "promptTokenCount": usage::INPUT,
        "cachedContentTokenCount": usage::CACHED,
        "candidatesTokenCount": usage::OUTPUT,
        "thoughtsTokenCount": thoughts,
        "totalTokenCount": usage::INPUT + usage::OUTPUT + thoughts,
    });
    chunk
}

fn call_parts(answer: &Answer) -> Vec<Value> {
    let calls = answer.calls.iter().enumerate();
    calls.map(|(index, call)| call_part(answer, index, call)).collect()
}

fn call_part(answer: &Answer, index: usize, call: &ToolCall) -> Value {
    let arguments = match &call.input {
        ToolInput::Arguments(arguments) => arguments.clone(),
        ToolInput::Freeform(text) => json!({"input": text}),
        ToolInput::LocalShell(error_texts) => json!({"command": error_texts}),
    };
    let id = answer.call_id("call", index);
    json!({
        "functionCall": {"id": id, "name": call.name, "args": arguments},
        "thoughtSignature": "c2lnbmF0dXJl",
    })
}

pub(super) fn refuse(failure: &Failure) -> Refusal {
    let (code, status, error_texts) = match failure.kind {
        FailureKind::BadRequest => {
            (400, "INVALID_ARGUMENT", "Invalid value at 'contents': it must not be empty.")
        }
        FailureKind::ContextOverflow => (
            400,
            "INVALID_ARGUMENT",
            "The input token count (2000000) exceeds the maximum number of tokens allowed \
             (1048576).",
        ),
        FailureKind::Unauthorized => {
            (401, "UNAUTHENTICATED", "API key not valid. Please pass a valid API key.")
        }
        FailureKind::Forbidden => (403, "PERMISSION_DENIED", "The caller does not have permission"),
        FailureKind::UnknownModel => (404, "NOT_FOUND", "unknown model"),
        FailureKind::UnknownRoute => (404, "NOT_FOUND", "Requested entity was not found."),
        FailureKind::WrongMethod => (405, "INVALID_ARGUMENT", "Method not allowed."),
        FailureKind::TooLarge => {
            (413, "INVALID_ARGUMENT", "Request payload size exceeds the limit")
        }
        FailureKind::RateLimited | FailureKind::RateLimitedLong | FailureKind::RateLimitedBare => {
            (429, "RESOURCE_EXHAUSTED", "Resource has been exhausted (e.g. check quota).")
        }
        FailureKind::Quota => (
            429,
            "RESOURCE_EXHAUSTED",
            "You exceeded your current quota, please check your plan and billing details.",
        ),
        FailureKind::ServerError => (500, "INTERNAL", "An internal error has occurred."),
        FailureKind::Overloaded => {
            (503, "UNAVAILABLE", "The model is overloaded. Please try again later.")
        }
    };
    let message = match (&failure.message, failure.kind) {
        (Some(message), _) => message.clone(),
        (None, FailureKind::UnknownModel) => format!(
            "models/{} is not found for API version v1beta, or is not supported for \
             generateContent.",
            failure.model
        ),
        (None, _) => error_texts.to_owned(),
    };
    let mut error = json!({"code": code, "message": message, "status": status});
    let details = details(failure.kind);
    if !details.is_empty() {
        error["details"] = json!(details);
    }
    Refusal { status: code, body: json!({"error": error}), headers: retry_headers(failure.kind) }
}

fn details(kind: FailureKind) -> Vec<Value> {
    if kind == FailureKind::Quota {
        return vec![json!({
            "@type": "type.googleapis.com/google.rpc.QuotaFailure",
            "violations": [{
                "quotaMetric":
                    "generativelanguage.googleapis.com/generate_content_free_tier_requests",
                "quotaId": "GenerateRequestsPerDayPerProjectPerModel-FreeTier",
                "quotaValue": "50",
            }],
        })];
    }
    let delay = retry_after(kind).map(|seconds| {
        json!({
            "@type": "type.googleapis.com/google.rpc.RetryInfo",
            "retryDelay": format!("{seconds}s"),
        })
    });
    delay.into_iter().collect()
}
