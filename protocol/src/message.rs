//! The JSON-RPC 2.0 codec: reads one line as a message and writes messages as lines.
//!
//! Parameters, results and errors stay raw JSON while a line is read, so a caller parses only what it needs.
//! Raw JSON that a caller writes must not contain a line break. Framing other than one message per line, and the matching of responses to requests, belong to the callers.

use std::borrow::Cow;
use std::fmt::{self, Display, Formatter};
use std::hash::{Hash, Hasher};
use std::ops::Deref;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;

use crate::{ErrorKind, ErrorObject};

/// One JSON-RPC 2.0 message whose parts are raw JSON borrowed from the line.
///
/// ```
/// use od_protocol::{Message, RequestId};
///
/// let mut lines = Vec::new();
/// Message::write_request(&mut lines, &RequestId::from(7), "ping", &serde_json::json!({}))?;
/// assert_eq!(lines, b"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\",\"params\":{}}\n");
///
/// let line = lines.strip_suffix(b"\n").expect("a line ends with a newline");
/// let Ok(Message::Request { id, method, params }) = Message::read(line) else { panic!("not a request") };
/// assert_eq!((id.get(), &*method, params.map(|params| params.get())), ("7", "ping", Some("{}")));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug)]
pub enum Message<'a> {
    /// A call that expects a response.
    Request {
        /// The id that the response repeats exactly.
        id: &'a RawValue,
        /// The method.
        method: Cow<'a, str>,
        /// The parameters, if present.
        params: Option<&'a RawValue>,
    },
    /// A call that gets no response.
    Notification {
        /// The method.
        method: Cow<'a, str>,
        /// The parameters, if present.
        params: Option<&'a RawValue>,
    },
    /// The response to a request.
    Response {
        /// The id of the request.
        id: &'a RawValue,
        /// The result, or the error object.
        outcome: Result<&'a RawValue, &'a RawValue>,
    },
}

impl<'a> Message<'a> {
    /// Reads a line without its line end. Never panics, whatever the bytes.
    ///
    /// # Errors
    /// `parse_error` when the line is not JSON, `invalid_request` when it is not a JSON-RPC 2.0 message.
    ///
    /// ```
    /// use od_protocol::{ErrorKind, Message};
    ///
    /// let error = Message::read(b"hello").expect_err("not JSON");
    /// assert_eq!(error.kind(), ErrorKind::ParseError);
    /// ```
    pub fn read(line: &'a [u8]) -> Result<Self, ErrorObject> {
        let text = std::str::from_utf8(line).map_err(|error| {
            let position = error.valid_up_to();
            let message = format!("the line is not valid UTF-8 (byte {position})");
            ErrorObject::new(ErrorKind::ParseError, message)
        })?;
        let members: Members<'a> = serde_json::from_str(text).map_err(|error| {
            // A syntax error means that the line is not JSON; a data error means JSON of another shape.
            let kind = match error.classify() {
                serde_json::error::Category::Data => ErrorKind::InvalidRequest,
                _ => ErrorKind::ParseError,
            };
            ErrorObject::new(kind, format!("the line is not a JSON-RPC message: {error}"))
        })?;
        members.classify()
    }

    /// Appends a request as one line. A `&RawValue` as `params` is copied without parsing.
    ///
    /// # Errors
    /// When `params` cannot be serialized as JSON; `lines` is then unchanged.
    pub fn write_request(
        lines: &mut Vec<u8>,
        id: &RawValue,
        method: &str,
        params: &(impl Serialize + ?Sized),
    ) -> serde_json::Result<()> {
        write_line(lines, Some(id), Some(method), "params", params)
    }

    /// Appends a notification as one line. A `&RawValue` as `params` is copied without parsing.
    ///
    /// ```
    /// use od_protocol::Message;
    ///
    /// let mut lines = Vec::new();
    /// Message::write_notification(&mut lines, "run/event", &serde_json::json!({"seq": 0}))?;
    /// assert_eq!(lines, b"{\"jsonrpc\":\"2.0\",\"method\":\"run/event\",\"params\":{\"seq\":0}}\n");
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    ///
    /// # Errors
    /// When `params` cannot be serialized as JSON; `lines` is then unchanged.
    pub fn write_notification(
        lines: &mut Vec<u8>,
        method: &str,
        params: &(impl Serialize + ?Sized),
    ) -> serde_json::Result<()> {
        write_line(lines, None, Some(method), "params", params)
    }

    /// Appends a successful response as one line. A `&RawValue` as `result` is copied without parsing.
    ///
    /// # Errors
    /// When `result` cannot be serialized as JSON; `lines` is then unchanged.
    pub fn write_result(
        lines: &mut Vec<u8>,
        id: &RawValue,
        result: &(impl Serialize + ?Sized),
    ) -> serde_json::Result<()> {
        write_line(lines, Some(id), None, "result", result)
    }

    /// Appends an error response as one line. `error` is an [`ErrorObject`], or another error object as raw JSON.
    ///
    /// ```
    /// use od_protocol::{ErrorKind, ErrorObject, Message, RequestId};
    ///
    /// let mut lines = Vec::new();
    /// let error = ErrorObject { data: None, ..ErrorObject::new(ErrorKind::ParseError, "not JSON") };
    /// Message::write_error(&mut lines, &RequestId::NULL, &error)?;
    /// assert_eq!(lines, b"{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32700,\"message\":\"not JSON\"}}\n");
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    ///
    /// # Errors
    /// When `error` cannot be serialized as JSON; `lines` is then unchanged.
    pub fn write_error(
        lines: &mut Vec<u8>,
        id: &RawValue,
        error: &(impl Serialize + ?Sized),
    ) -> serde_json::Result<()> {
        write_line(lines, Some(id), None, "error", error)
    }
}

/// Writes the members in the order that readers of raw lines expect: id, method, payload.
fn write_line(
    lines: &mut Vec<u8>,
    id: Option<&RawValue>,
    method: Option<&str>,
    member: &str,
    payload: &(impl Serialize + ?Sized),
) -> serde_json::Result<()> {
    let start = lines.len();
    lines.extend_from_slice(br#"{"jsonrpc":"2.0""#);
    if let Some(id) = id {
        lines.extend_from_slice(br#","id":"#);
        lines.extend_from_slice(id.get().as_bytes());
    }
    let mut written = Ok(());
    if let Some(method) = method {
        lines.extend_from_slice(br#","method":"#);
        written = serde_json::to_writer(&mut *lines, method);
    }
    lines.extend_from_slice(b",\"");
    lines.extend_from_slice(member.as_bytes());
    lines.extend_from_slice(b"\":");
    written = written.and_then(|()| serde_json::to_writer(&mut *lines, payload));
    match written {
        Ok(()) => lines.extend_from_slice(b"}\n"),
        Err(_) => lines.truncate(start),
    }
    written
}

/// The id of a request: a JSON string, number or null, kept exactly as it was written.
///
/// Two ids are equal when their JSON text is equal. It dereferences to [`RawValue`], which is what the writing
/// functions of [`Message`] take.
///
/// ```
/// use od_protocol::{Message, RequestId};
///
/// let Ok(Message::Request { id, .. }) = Message::read(br#"{"jsonrpc":"2.0","id":"a-1","method":"ping"}"#) else {
///     panic!("not a request");
/// };
/// let id = RequestId::from(id);
/// assert_eq!(id, RequestId::from("a-1"));
/// assert_eq!(id.to_string(), "\"a-1\"");
/// ```
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(transparent)]
pub struct RequestId(Cow<'static, RawValue>);

impl RequestId {
    /// The id of a response to a line whose id could not be read.
    pub const NULL: Self = Self(Cow::Borrowed(RawValue::NULL));
}

impl From<u64> for RequestId {
    fn from(number: u64) -> Self {
        raw(&number)
    }
}

impl From<&str> for RequestId {
    fn from(text: &str) -> Self {
        raw(&text)
    }
}

impl From<&RawValue> for RequestId {
    fn from(value: &RawValue) -> Self {
        Self(Cow::Owned(value.to_owned()))
    }
}

fn raw(value: &impl Serialize) -> RequestId {
    let value = serde_json::value::to_raw_value(value).expect("numbers and strings are JSON");
    RequestId(Cow::Owned(value))
}

impl Deref for RequestId {
    type Target = RawValue;

    fn deref(&self) -> &RawValue {
        &self.0
    }
}

impl PartialEq for RequestId {
    fn eq(&self, other: &Self) -> bool {
        self.get() == other.get()
    }
}

impl Eq for RequestId {}

impl Hash for RequestId {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.get().hash(state);
    }
}

impl Display for RequestId {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.get())
    }
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

/// A member whose value is null counts as present: `result` may be null, and so may the `id` of a response to a
/// line that could not be read.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<&'de RawValue>, D::Error> {
    <&RawValue>::deserialize(deserializer).map(Some)
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
            _ => invalid("the message is not a request, a notification or a response"),
        }
    }
}
