//! JSON-RPC with an agent CLI over its stdin and stdout, one message per line: parses lines, matches
//! replies to requests, builds our messages. Pure: sends nothing and knows no methods.

use std::borrow::Cow;
use std::collections::HashMap;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

/// The method does not exist.
pub const METHOD_NOT_FOUND: i64 = -32601;

/// Whether messages have the field `jsonrpc`; some agent CLIs omit it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Dialect {
    /// With `"jsonrpc": "2.0"`.
    #[default]
    Versioned,
    /// Without.
    Bare,
}

/// A line of the agent CLI.
#[derive(Debug)]
pub enum Incoming<'a> {
    /// A request that needs a reply.
    Request {
        /// The id that the reply repeats.
        id: Value,
        /// The method.
        method: Cow<'a, str>,
        /// The parameters.
        params: &'a RawValue,
    },
    /// A notification.
    Notification {
        /// The method.
        method: Cow<'a, str>,
        /// The parameters.
        params: &'a RawValue,
    },
    /// A reply to our request.
    Reply {
        /// The id of our request; `None` if it is not ours.
        id: Option<u64>,
        /// The result or the error.
        outcome: Result<&'a RawValue, RpcError>,
    },
}

/// The error of a reply.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct RpcError {
    /// A code of the specification or of the agent CLI.
    pub code: i64,
    /// The text.
    pub message: String,
    /// Details.
    pub data: Value,
}

/// The fields of any message.
#[derive(Deserialize)]
struct Line<'a> {
    #[serde(default)]
    id: Option<Value>,
    #[serde(default, borrow)]
    method: Option<Cow<'a, str>>,
    #[serde(default, borrow)]
    params: Option<&'a RawValue>,
    #[serde(default, borrow)]
    result: Option<&'a RawValue>,
    #[serde(default)]
    error: Option<Value>,
}

impl<'a> Incoming<'a> {
    /// Parses a line; `None` if it is not a message.
    pub fn read(line: &'a [u8]) -> Option<Self> {
        // serde would read a list as the fields in their order.
        if !line.trim_ascii_start().starts_with(b"{") {
            return None;
        }
        let Line { id, method, params, result, error } = serde_json::from_slice(line).ok()?;
        let params = params.unwrap_or(RawValue::NULL);
        match (method, id) {
            (Some(method), Some(id)) => Some(Self::Request { id, method, params }),
            (Some(method), None) => Some(Self::Notification { method, params }),
            (None, Some(id)) => {
                let outcome = match error {
                    Some(error) => Err(RpcError::lenient(error)),
                    None => Ok(result.unwrap_or(RawValue::NULL)),
                };
                Some(Self::Reply { id: id.as_u64(), outcome })
            }
            (None, None) => None,
        }
    }
}

impl RpcError {
    fn lenient(error: Value) -> Self {
        let as_object = error.as_object().and_then(|object| Self::deserialize(object).ok());
        as_object.unwrap_or_else(|| Self {
            message: error.as_str().map_or_else(|| error.to_string(), str::to_owned),
            ..Self::default()
        })
    }
}

/// Our pending requests: each has a number and a `Purpose`.
#[derive(Debug)]
pub struct Requests<Purpose> {
    dialect: Dialect,
    last: u64,
    pending: HashMap<u64, Purpose>,
}

impl<Purpose> Requests<Purpose> {
    /// Creates an empty list; the first request gets the number 1.
    pub fn new(dialect: Dialect) -> Self {
        Self { dialect, last: 0, pending: HashMap::new() }
    }

    /// Builds a request and stores its purpose until the reply.
    pub fn request(&mut self, method: &str, params: Value, purpose: Purpose) -> Value {
        self.last += 1;
        self.pending.insert(self.last, purpose);
        self.message(json!({"id": self.last, "method": method, "params": params}))
    }

    /// Removes the request with this id and returns its purpose; `None` if it is not pending.
    pub fn take(&mut self, id: u64) -> Option<Purpose> {
        self.pending.remove(&id)
    }

    /// Whether a matching request is pending.
    pub fn is_pending(&self, matches: impl Fn(&Purpose) -> bool) -> bool {
        self.pending.values().any(matches)
    }

    /// Builds a notification.
    pub fn notification(&self, method: &str, params: Value) -> Value {
        self.message(json!({"method": method, "params": params}))
    }

    /// Builds the reply to a request of the agent CLI.
    pub fn reply(&self, id: &Value, result: Value) -> Value {
        self.message(json!({"id": id, "result": result}))
    }

    /// Builds an error reply, so that the agent CLI does not wait.
    pub fn refusal(&self, id: &Value, code: i64, message: &str) -> Value {
        self.message(json!({"id": id, "error": {"code": code, "message": message}}))
    }

    fn message(&self, mut message: Value) -> Value {
        if self.dialect == Dialect::Versioned {
            message["jsonrpc"] = "2.0".into();
        }
        message
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_is_request_notification_or_reply() {
        let request = br#"{"jsonrpc":"2.0","id":"a","method":"query","params":{"x":1}}"#;
        let Some(Incoming::Request { id, method, params }) = Incoming::read(request) else {
            panic!("a request")
        };
        assert_eq!((id, &*method, params.get()), (json!("a"), "query", r#"{"x":1}"#));
        let Some(Incoming::Notification { method, params }) = Incoming::read(br#"{"method":"t"}"#)
        else {
            panic!("a notification")
        };
        assert_eq!((&*method, params.get()), ("t", "null"));
        let Some(Incoming::Reply { id: Some(7), outcome: Ok(result) }) =
            Incoming::read(br#"{"id":7,"result":[]}"#)
        else {
            panic!("a reply")
        };
        assert_eq!(result.get(), "[]");
        for noise in ["", "hello", "[1]", "{}", "7", r#"{"type":"x"}"#] {
            assert!(Incoming::read(noise.as_bytes()).is_none(), "{noise}");
        }
    }

    #[test]
    fn error_of_any_shape_is_read() {
        let error = |line: &str| match Incoming::read(line.as_bytes()) {
            Some(Incoming::Reply { outcome: Err(error), .. }) => error,
            other => panic!("{other:?}"),
        };
        let usual = error(r#"{"id":1,"error":{"code":-32600,"message":"no","data":{"a":1}}}"#);
        assert_eq!((usual.code, usual.message.as_str()), (-32600, "no"));
        assert_eq!(usual.data, json!({"a": 1}));
        assert_eq!(error(r#"{"id":1,"error":"broken"}"#).message, "broken");
        assert_eq!(error(r#"{"id":1,"error":[1]}"#).message, "[1]");
    }

    #[test]
    fn reply_is_matched_once() {
        let mut requests = Requests::new(Dialect::Versioned);
        let first = requests.request("open", json!({}), "open");
        let second = requests.request("prompt", json!({"text": "hi"}), "prompt");
        assert_eq!(first, json!({"jsonrpc": "2.0", "id": 1, "method": "open", "params": {}}));
        assert_eq!(second["id"], 2);
        assert!(requests.is_pending(|purpose| *purpose == "prompt"));
        assert_eq!(requests.take(2), Some("prompt"));
        assert_eq!(requests.take(2), None);
        assert_eq!(requests.take(99), None);
        assert!(!requests.is_pending(|purpose| *purpose == "prompt"));
    }

    #[test]
    fn bare_dialect_omits_version() {
        let requests = Requests::<()>::new(Dialect::Bare);
        let id = json!("x");
        assert_eq!(requests.reply(&id, json!({})), json!({"id": "x", "result": {}}));
        assert_eq!(
            requests.refusal(&id, METHOD_NOT_FOUND, "not supported"),
            json!({"id": "x", "error": {"code": -32601, "message": "not supported"}})
        );
        let versioned = Requests::<()>::new(Dialect::Versioned);
        assert_eq!(versioned.notification("n", json!(null))["jsonrpc"], "2.0");
    }
}
