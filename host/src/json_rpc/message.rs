//! Messages without their framing: parses requests, writes replies and notifications.

use std::borrow::Cow;

use od_protocol::{ErrorKind, ErrorObject, Message};
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

/// The result of a method as JSON, or its error.
pub(crate) type CallResult = Result<Box<RawValue>, ErrorObject>;

/// A request, borrowed from the text it arrived in.
#[derive(Debug)]
pub(crate) struct Request<'a> {
    /// JSON that the reply repeats byte for byte.
    pub(crate) id: &'a RawValue,
    /// The method's name.
    pub(crate) method: Cow<'a, str>,
    /// The parameters; absent when the client sent `null`.
    pub(crate) params: Option<&'a RawValue>,
}

impl<'a> Request<'a> {
    /// Parses one message. `None` for a notification, which gets no reply.
    ///
    /// # Errors
    /// `parse_error` and `invalid_request`; the same objects on every transport.
    pub(crate) fn parse(text: &'a [u8]) -> Result<Option<Self>, ErrorObject> {
        if text.trim_ascii_start().starts_with(b"[") {
            return Err(batch_unsupported());
        }
        match Message::read(text).map_err(with_example)? {
            Message::Request { id, method, params } => {
                let params = params.filter(|params| params.get() != "null");
                Ok(Some(Self { id, method, params }))
            }
            Message::Notification { .. } => Ok(None),
            Message::Response { .. } => {
                let text = "unexpected response: the host sends no requests";
                Err(with_example(ErrorObject::new(ErrorKind::InvalidRequest, text)))
            }
        }
    }
}

/// Writes the reply to the request with this id, without a line end.
pub(crate) fn write_reply(id: &RawValue, result: &CallResult) -> Vec<u8> {
    write(|message| match result {
        Ok(result) => Message::write_result(message, id, result),
        Err(error) => Message::write_error(message, id, error),
    })
}

/// Writes a notification, without a line end.
#[cfg(feature = "serve")]
pub(crate) fn write_notification(method: &str, params: &impl Serialize) -> Vec<u8> {
    write(|message| Message::write_notification(message, method, params))
}

/// Serializes a method's result.
pub(crate) fn to_json(value: &impl Serialize) -> CallResult {
    to_raw_value(value).map_err(|error| ErrorObject::new(ErrorKind::Internal, error.to_string()))
}

fn write(write: impl FnOnce(&mut Vec<u8>) -> serde_json::Result<()>) -> Vec<u8> {
    let mut message = Vec::new();
    write(&mut message).expect("results, errors and events are JSON");
    message.pop(); // The line end: not every transport frames messages as lines.
    message
}

fn batch_unsupported() -> ErrorObject {
    ErrorObject::new(ErrorKind::InvalidRequest, "batch requests are not supported")
        .with_hint("send one request per message; requests run concurrently")
}

fn with_example(error: ErrorObject) -> ErrorObject {
    error.with_hint(r#"send {"jsonrpc":"2.0","id":1,"method":"host/info"}"#)
}
