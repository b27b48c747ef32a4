//! Parses a line of `parrot`. Lenient: only used fields are named, a field of the wrong type makes
//! the line unmapped, never an error.

use serde::Deserialize;
use serde_json::Value;

/// One message.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Native {
    Hello {
        session: String,
        model: Option<String>,
    },
    Think(String),
    ThinkEnd,
    Say(String),
    SayEnd,
    Tool(Tool),
    ToolOut(ToolOut),
    File(File),
    Ask(Ask),
    Usage(TokenCounts),
    SlowDown(SlowDown),
    Again {
        attempt: u32,
        why: String,
    },
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
pub(super) struct Tool {
    pub(super) id: String,
    pub(super) name: String,
    #[serde(default)]
    pub(super) kind: Option<String>,
    #[serde(default)]
    pub(super) input: Value,
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
pub(super) struct SlowDown {
    #[serde(default)]
    pub(super) after_ms: Option<u64>,
    /// In seconds since 1970.
    #[serde(default)]
    pub(super) until: Option<u64>,
    #[serde(default)]
    pub(super) window: Option<String>,
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
            "hello" => Self::Hello { session: text("session")?, model: text("model") },
            "think" => Self::Think(text("text")?),
            "think_end" => Self::ThinkEnd,
            "say" => Self::Say(text("text")?),
            "say_end" => Self::SayEnd,
            "tool" => Self::Tool(serde_json::from_value(body).ok()?),
            "tool_out" => Self::ToolOut(serde_json::from_value(body).ok()?),
            "file" => Self::File(serde_json::from_value(body).ok()?),
            "ask" => Self::Ask(serde_json::from_value(body).ok()?),
            "usage" => Self::Usage(serde_json::from_value(body).ok()?),
            "slow_down" => Self::SlowDown(serde_json::from_value(body).ok()?),
            "again" => Self::Again {
                attempt: u32::try_from(body.get("attempt")?.as_u64()?).ok()?,
                why: text("why").unwrap_or_default(),
            },
            "fail" => Self::Fail { code: text("code")?, text: text("text").unwrap_or_default() },
            "end" => Self::End { stop: text("stop") },
            _ => return None,
        })
    }
}
