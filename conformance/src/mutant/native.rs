//! Parses a line of `parrot`. Lenient: only used fields are named, a field of the wrong type makes
//! the line unmapped, never an error.

use od_protocol::{Event, McpServerStatus};
use serde::Deserialize;
use serde_json::Value;

use super::reports::report;

/// One message.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Native {
    Hello(Hello),
    Think(String),
    ThinkEnd,
    Say(String),
    SayEnd,
    Scrap,
    Tool(Tool),
    ToolOut(ToolOut),
    File(File),
    Ask(Ask),
    Usage(TokenCounts),
    SlowDown(SlowDown),
    Again(Again),
    Report(Box<Event>),
    Fail {
        code: String,
        text: String,
    },
    End {
        stop: Option<String>,
    },
    /// JSON of an unknown type or shape.
    Unmapped {
        native_type: String,
    },
    /// Not a JSON object.
    Noise,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(super) struct Hello {
    pub(super) session: String,
    #[serde(default)]
    pub(super) model: Option<String>,
    #[serde(default)]
    pub(super) tools: Option<Vec<String>>,
    #[serde(default)]
    pub(super) servers: Option<Vec<McpServerStatus>>,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(super) struct SlowDown {
    #[serde(default)]
    pub(super) after_ms: Option<u64>,
    /// In seconds since 1970.
    #[serde(default)]
    pub(super) until: Option<u64>,
    #[serde(default)]
    pub(super) window: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(super) struct Again {
    pub(super) attempt: u32,
    #[serde(default)]
    pub(super) why: String,
    #[serde(default)]
    pub(super) of: Option<u32>,
    #[serde(default)]
    pub(super) after_ms: Option<u64>,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(super) struct Tool {
    pub(super) id: String,
    pub(super) name: String,
    #[serde(default)]
    pub(super) kind: Option<String>,
    #[serde(default)]
    pub(super) input: Value,
    /// The input as raw JSON text, in pieces.
    #[serde(default)]
    pub(super) parts: Vec<String>,
    #[serde(default)]
    pub(super) title: Option<String>,
    #[serde(default)]
    pub(super) server: Option<String>,
    #[serde(default)]
    pub(super) parent: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(super) struct ToolOut {
    pub(super) id: String,
    #[serde(default)]
    pub(super) ok: Option<bool>,
    #[serde(default)]
    pub(super) output: Value,
    #[serde(default)]
    pub(super) code: Option<i32>,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(super) struct File {
    pub(super) path: String,
    #[serde(default)]
    pub(super) op: Option<String>,
    #[serde(default)]
    pub(super) from: Option<String>,
    #[serde(default)]
    pub(super) tool: Option<String>,
    #[serde(default)]
    pub(super) diff: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(super) struct Ask {
    pub(super) id: String,
    #[serde(default)]
    pub(super) tool: Option<String>,
    #[serde(default)]
    pub(super) summary: String,
    #[serde(default)]
    pub(super) kind: Option<String>,
    #[serde(default)]
    pub(super) input: Option<Value>,
    #[serde(default)]
    pub(super) wait_ms: Option<u64>,
}

#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
pub(super) struct TokenCounts {
    #[serde(rename = "in", default)]
    pub(super) input: u64,
    #[serde(rename = "out", default)]
    pub(super) output: u64,
    #[serde(default)]
    pub(super) cached: u64,
    #[serde(default)]
    pub(super) cached_new: u64,
    #[serde(default)]
    pub(super) usd: Option<f64>,
    #[serde(default)]
    pub(super) thought: Option<u64>,
    #[serde(default)]
    pub(super) model: Option<String>,
    #[serde(default)]
    pub(super) provider: Option<String>,
    #[serde(default)]
    pub(super) tier: Option<String>,
}

impl Native {
    /// Reads a line without its line end.
    pub(super) fn read(line: &str) -> Self {
        let Ok(Value::Object(mut object)) = serde_json::from_str::<Value>(line) else {
            return Self::Noise;
        };
        let Some(Value::String(native_type)) = object.remove("t") else {
            return Self::Unmapped { native_type: "(no type)".to_owned() };
        };
        Self::from_parts(&native_type, Value::Object(object))
            .unwrap_or(Self::Unmapped { native_type })
    }

    fn from_parts(native_type: &str, body: Value) -> Option<Self> {
        let text = |name: &str| body.get(name).and_then(Value::as_str).map(str::to_owned);
        Some(match native_type {
            "hello" => Self::Hello(serde_json::from_value(body).ok()?),
            "think" => Self::Think(text("text")?),
            "think_end" => Self::ThinkEnd,
            "say" => Self::Say(text("text")?),
            "say_end" => Self::SayEnd,
            "scrap" => Self::Scrap,
            "tool" => Self::Tool(serde_json::from_value(body).ok()?),
            "tool_out" => Self::ToolOut(serde_json::from_value(body).ok()?),
            "file" => Self::File(serde_json::from_value(body).ok()?),
            "ask" => Self::Ask(serde_json::from_value(body).ok()?),
            "usage" => Self::Usage(serde_json::from_value(body).ok()?),
            "slow_down" => Self::SlowDown(serde_json::from_value(body).ok()?),
            "again" => Self::Again(serde_json::from_value(body).ok()?),
            "fail" => Self::Fail { code: text("code")?, text: text("text").unwrap_or_default() },
            "end" => Self::End { stop: text("stop") },
            other => Self::Report(Box::new(report(other, body)?)),
        })
    }
}
