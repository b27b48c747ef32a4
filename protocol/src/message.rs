//! Reading one line: which of the four JSON-RPC shapes is it?

use std::borrow::Cow;

use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use crate::{ErrorKind, ErrorObject};

/// One line as JSON-RPC 2.0, its parts still raw text borrowed from the line.
#[derive(Debug)]
pub enum Message<'a> {
    /// Wants an answer.
    Request {
        /// To be echoed exactly.
        id: &'a RawValue,
        /// The method.
        method: Cow<'a, str>,
        /// The parameters, when there are any.
        params: Option<&'a RawValue>,
    },
    /// Wants none.
    Notification {
        /// The method.
        method: Cow<'a, str>,
        /// The parameters, when there are any.
        params: Option<&'a RawValue>,
    },
    /// An answer.
    Response {
        /// Whose.
        id: &'a RawValue,
        /// The result, or the error.
        outcome: Result<&'a RawValue, &'a RawValue>,
    },
}

#[derive(Deserialize)]
#[serde(expecting = "an object")]
struct Members<'a> {
    #[serde(borrow, default)]
    jsonrpc: Option<Cow<'a, str>>,
    #[serde(borrow, default, deserialize_with = "present")]
    id: Option<&'a RawValue>,
    #[serde(borrow, default)]
    method: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    params: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    result: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    error: Option<&'a RawValue>,
}

/// A member that is there counts as there even when it is null: `result` may be null, and so is the
/// `id` of an answer to a line that could not be read.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<&'de RawValue>, D::Error> {
    <&RawValue>::deserialize(deserializer).map(Some)
}

impl<'a> Message<'a> {
    /// Reads a line without its line end. Never panics, whatever the bytes.
    ///
    /// # Errors
    /// `parse_error` when the line is no JSON, `invalid_request` when it is no JSON-RPC 2.0.
    pub fn read(line: &'a [u8]) -> Result<Self, ErrorObject> {
        let text = std::str::from_utf8(line).map_err(|error| {
            ErrorObject::new(ErrorKind::ParseError, format!("the line is no UTF-8: {error}"))
        })?;
        let members: Members<'a> = serde_json::from_str(text).map_err(|error| {
            // A syntax error is a line that is no JSON; a data error is JSON of another shape.
            let kind = match error.classify() {
                serde_json::error::Category::Data => ErrorKind::InvalidRequest,
                _ => ErrorKind::ParseError,
            };
            ErrorObject::new(kind, format!("the line is no JSON-RPC message: {error}"))
        })?;
        members.classify()
    }
}

impl<'a> Members<'a> {
    fn classify(self) -> Result<Message<'a>, ErrorObject> {
        let invalid = |text: &str| Err(ErrorObject::new(ErrorKind::InvalidRequest, text));
        if self.jsonrpc.as_deref() != Some("2.0") {
            return invalid("the member \"jsonrpc\" must be \"2.0\"");
        }
        match (self.method, self.id, self.result, self.error) {
            (Some(method), Some(id), None, None) => match id.get().as_bytes().first() {
                Some(b'"' | b'-' | b'0'..=b'9' | b'n') => {
                    Ok(Message::Request { id, method, params: self.params })
                }
                _ => invalid("an id must be a string, a number or null"),
            },
            (Some(method), None, None, None) => {
                Ok(Message::Notification { method, params: self.params })
            }
            (None, Some(id), Some(result), None) => {
                Ok(Message::Response { id, outcome: Ok(result) })
            }
            (None, Some(id), None, Some(error)) => {
                Ok(Message::Response { id, outcome: Err(error) })
            }
            _ => invalid("neither a request, a notification nor a response"),
        }
    }
}
