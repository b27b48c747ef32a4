//! The four wire formats from the client's side: builds requests, and reads text, calls and stop
//! reasons from responses.

use serde_json::{Value, json};

use crate::model_client::Whole;

/// A wire format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    Anthropic,
    Responses,
    Chat,
    Gemini,
}

/// All formats.
pub(crate) const FORMATS: [Format; 4] =
    [Format::Anthropic, Format::Responses, Format::Chat, Format::Gemini];

/// A tool call of a response.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Call {
    pub(crate) name: String,
    pub(crate) input: Value,
}

impl Format {
    /// The address.
    pub(crate) fn path(self, stream: bool) -> &'static str {
        match (self, stream) {
            (Self::Anthropic, _) => "/v1/messages",
            (Self::Responses, _) => "/v1/responses",
            (Self::Chat, _) => "/v1/chat/completions",
            (Self::Gemini, true) => "/v1beta/models/m:streamGenerateContent?alt=sse",
            (Self::Gemini, false) => "/v1beta/models/m:generateContent",
        }
    }

    /// A request with a prompt and nothing else.
    pub(crate) fn request(self, prompt: &str, stream: bool) -> Value {
        match self {
            Self::Anthropic | Self::Chat => json!({
                "model": "m", "stream": stream, "messages": [{"role": "user", "content": prompt}]
            }),
            Self::Responses => json!({"model": "m", "stream": stream, "input": prompt}),
            Self::Gemini => json!({"contents": [{"role": "user", "parts": [{"text": prompt}]}]}),
        }
    }

    /// The same with tools: names and schemas.
    pub(crate) fn with_tools(self, prompt: &str, tools: &[(&str, Value)]) -> Value {
        let mut request = self.request(prompt, true);
        let tools = tools.iter();
        request["tools"] = match self {
            Self::Anthropic => tools
                .map(|(name, schema)| json!({"name": name, "input_schema": schema}))
                .collect(),
            Self::Responses => tools
                .map(|(name, schema)| json!({"type": "function", "name": name, "parameters": schema}))
                .collect(),
            Self::Chat => tools
                .map(|(name, schema)| {
                    json!({"type": "function", "function": {"name": name, "parameters": schema}})
                })
                .collect(),
            Self::Gemini => {
                let declarations: Vec<Value> = tools
                    .map(|(name, schema)| json!({"name": name, "parametersJsonSchema": schema}))
                    .collect();
                json!([{"functionDeclarations": declarations}])
            }
        };
        request
    }

    /// Adds the model's call and the tool result.
    pub(crate) fn add_result(self, request: &mut Value, call: &Call) {
        let (field, entries) = match self {
            Self::Anthropic => (
                "messages",
                vec![
                    json!({"role": "assistant", "content": [
                    {"type": "tool_use", "id": "1", "name": call.name, "input": call.input}]}),
                    json!({"role": "user", "content": [
                    {"type": "tool_result", "tool_use_id": "1", "content": "ok SCN:r500"}]}),
                ],
            ),
            Self::Responses => {
                if let Some(prompt) = request["input"].as_str() {
                    let content = json!([{"type": "input_text", "text": prompt}]);
                    request["input"] = json!([{"role": "user", "content": content}]);
                }
                (
                    "input",
                    vec![
                        json!({"type": "function_call", "call_id": "1", "name": call.name,
                           "arguments": call.input.to_string()}),
                        json!({"type": "function_call_output", "call_id": "1", "output": "ok"}),
                    ],
                )
            }
            Self::Chat => (
                "messages",
                vec![
                    json!({"role": "assistant", "content": "", "tool_calls": []}),
                    json!({"role": "tool", "tool_call_id": "1", "content": "ok SCN:r500"}),
                ],
            ),
            Self::Gemini => (
                "contents",
                vec![
                    json!({"role": "model", "parts": [{"functionCall": {"name": call.name}}]}),
                    json!({"role": "user", "parts": [
                    {"functionResponse": {"name": call.name, "response": {"output": "ok"}}}]}),
                ],
            ),
        };
        request[field].as_array_mut().expect("a list").extend(entries);
    }

    /// The text of a stream.
    pub(crate) fn text(self, events: &[Value]) -> String {
        let text = |event: &Value| match self {
            Self::Anthropic => event["delta"]["text"].as_str().map(str::to_owned),
            Self::Responses => (event["type"] == "response.output_text.delta")
                .then(|| event["delta"].as_str().unwrap_or_default().to_owned()),
            Self::Chat => event["choices"][0]["delta"]["content"].as_str().map(str::to_owned),
            Self::Gemini => Some(gemini_text(event, false)),
        };
        events.iter().filter_map(text).collect()
    }

    /// The thoughts of a stream.
    pub(crate) fn thinking(self, events: &[Value]) -> String {
        let text = |event: &Value| match self {
            Self::Anthropic => event["delta"]["thinking"].as_str().map(str::to_owned),
            Self::Responses => (event["type"] == "response.reasoning_summary_text.delta")
                .then(|| event["delta"].as_str().unwrap_or_default().to_owned()),
            Self::Chat => {
                event["choices"][0]["delta"]["reasoning_content"].as_str().map(str::to_owned)
            }
            Self::Gemini => Some(gemini_text(event, true)),
        };
        events.iter().filter_map(text).collect()
    }

    /// Why a stream ended.
    pub(crate) fn stop(self, events: &[Value]) -> String {
        let stop = |event: &Value| match self {
            Self::Anthropic => event["delta"]["stop_reason"].as_str().map(str::to_owned),
            Self::Responses => {
                let response = &event["response"];
                let reason = response["incomplete_details"]["reason"].as_str();
                let ended = response["status"] != "in_progress" && response.is_object();
                ended.then(|| reason.or(response["status"].as_str()).unwrap_or("").to_owned())
            }
            Self::Chat => event["choices"][0]["finish_reason"].as_str().map(str::to_owned),
            Self::Gemini => event["candidates"][0]["finishReason"].as_str().map(str::to_owned),
        };
        events.iter().find_map(stop).unwrap_or_default()
    }

    /// The text of an answer in one document.
    pub(crate) fn whole_text(self, answer: &Value) -> String {
        let text = match self {
            Self::Anthropic => &answer["content"][0]["text"],
            Self::Responses => &answer["output"][0]["content"][0]["text"],
            Self::Chat => &answer["choices"][0]["message"]["content"],
            Self::Gemini => &answer["candidates"][0]["content"]["parts"][0]["text"],
        };
        text.as_str().unwrap_or_default().to_owned()
    }

    /// The calls of a stream, their arguments put together from the parts.
    pub(crate) fn calls(self, events: &[Value]) -> Vec<Call> {
        match self {
            Self::Anthropic => anthropic_calls(events),
            Self::Responses => responses_calls(events),
            Self::Chat => chat_calls(events),
            Self::Gemini => gemini_calls(events),
        }
    }

    /// The kind of an error, if the format has one.
    pub(crate) fn error_kind(self, response: &Whole) -> String {
        let body = response.json();
        let kind = match self {
            Self::Anthropic => {
                assert_eq!(body["type"], "error");
                &body["error"]["type"]
            }
            Self::Responses | Self::Chat => &body["error"]["type"],
            Self::Gemini => {
                assert_eq!(body["error"]["code"], response.status);
                &body["error"]["status"]
            }
        };
        assert!(body["error"]["message"].as_str().is_some_and(|text| !text.is_empty()), "{body}");
        kind.as_str().unwrap_or_default().to_owned()
    }
}

fn gemini_text(event: &Value, thoughts: bool) -> String {
    let parts = event["candidates"][0]["content"]["parts"].as_array();
    let parts = parts.into_iter().flatten().filter(|part| (part["thought"] == true) == thoughts);
    parts.filter_map(|part| part["text"].as_str()).collect()
}

fn anthropic_calls(events: &[Value]) -> Vec<Call> {
    let mut calls: Vec<(Value, String, String)> = Vec::new();
    for event in events {
        let block = &event["content_block"];
        if block["type"] == "tool_use" {
            let name = block["name"].as_str().unwrap_or_default().to_owned();
            calls.push((event["index"].clone(), name, String::new()));
        }
        if let Some(part) = event["delta"]["partial_json"].as_str() {
            let call = calls.iter_mut().find(|(index, _, _)| *index == event["index"]);
            call.expect("its block is open").2.push_str(part);
        }
    }
    calls.into_iter().map(|(_, name, input)| Call { name, input: parsed(&input) }).collect()
}

fn responses_calls(events: &[Value]) -> Vec<Call> {
    let items = events.iter().filter(|event| event["type"] == "response.output_item.done");
    let call = |event: &Value| {
        let item = &event["item"];
        let name = item["name"].as_str().unwrap_or("local_shell").to_owned();
        match item["type"].as_str()? {
            "function_call" => Some(Call { name, input: parsed(item["arguments"].as_str()?) }),
            "custom_tool_call" => Some(Call { name, input: item["input"].clone() }),
            "local_shell_call" => Some(Call { name, input: item["action"]["command"].clone() }),
            _ => None,
        }
    };
    items.filter_map(call).collect()
}

fn chat_calls(events: &[Value]) -> Vec<Call> {
    let mut calls: Vec<(String, String, bool)> = Vec::new();
    for event in events {
        for call in event["choices"][0]["delta"]["tool_calls"].as_array().into_iter().flatten() {
            let custom = call["custom"].is_object();
            let body = if custom { &call["custom"] } else { &call["function"] };
            if let Some(name) = body["name"].as_str() {
                calls.push((name.to_owned(), String::new(), custom));
            }
            let part = if custom { &body["input"] } else { &body["arguments"] };
            let index = usize::try_from(call["index"].as_u64().expect("an index")).expect("small");
            calls[index].1.push_str(part.as_str().unwrap_or_default());
        }
    }
    let call = |(name, input, custom): (String, String, bool)| {
        let input = if custom { Value::String(input) } else { parsed(&input) };
        Call { name, input }
    };
    calls.into_iter().map(call).collect()
}

fn gemini_calls(events: &[Value]) -> Vec<Call> {
    let parts = events
        .iter()
        .filter_map(|event| event["candidates"][0]["content"]["parts"].as_array())
        .flatten();
    let call = |part: &Value| {
        let call = &part["functionCall"];
        Some(Call { name: call["name"].as_str()?.to_owned(), input: call["args"].clone() })
    };
    parts.filter_map(call).collect()
}

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error} in {text:?}"))
}
