//! What a line is: an event, a response, or something else.

use std::collections::HashMap;

use od_protocol::adapter::RUN_EVENT;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::fault::Place;

/// A parsed line. The id keeps its bytes, because a response repeats them.
#[derive(Debug, Clone)]
pub(super) struct Message {
    pub(super) value: Value,
    id: Option<String>,
}

/// The requests without a response: the method of each id.
pub(super) type OpenRequests = HashMap<String, String>;

#[derive(Deserialize)]
struct Id<'a> {
    #[serde(borrow, default)]
    id: Option<&'a RawValue>,
}

impl Message {
    /// Parses a line; `None` if it is not a JSON object.
    pub(super) fn parse(line: &[u8]) -> Option<Self> {
        let value: Value = serde_json::from_slice(line).ok().filter(Value::is_object)?;
        let id = serde_json::from_slice::<Id<'_>>(line).ok()?.id.map(|id| id.get().to_owned());
        // An option reads null as absent.
        let id = id.or_else(|| value.get("id").map(Value::to_string));
        Some(Self { value, id })
    }

    /// A message without an id.
    pub(super) fn notification(value: Value) -> Self {
        Self { value, id: None }
    }

    pub(super) fn id(&self) -> Option<&str> {
        self.id.as_deref()
    }

    /// Replaces the id by other JSON text; `None` removes it.
    pub(super) fn set_id(&mut self, id: Option<String>) {
        self.id = id;
        if let Value::Object(members) = &mut self.value {
            members.remove("id");
        }
    }

    pub(super) fn is_response(&self) -> bool {
        self.value.get("result").is_some() || self.value.get("error").is_some()
    }

    pub(super) fn is_event(&self) -> bool {
        self.value["method"] == RUN_EVENT
    }

    pub(super) fn event_type(&self) -> &str {
        self.value["params"]["event"]["type"].as_str().unwrap_or_default()
    }

    pub(super) fn run_id(&self) -> &str {
        self.value["params"]["runId"].as_str().unwrap_or_default()
    }

    pub(super) fn method(&self) -> Option<&str> {
        self.value["method"].as_str()
    }

    /// The places that a line of the adapter is, each with the name of the altered part.
    pub(super) fn places(&self, open_requests: &OpenRequests) -> Vec<Place> {
        if self.is_event() {
            return vec![Place::Event(self.event_type().to_owned()), Place::Envelope];
        }
        if let Some(error) = self.value.get("error") {
            let kind = error["data"]["kind"].as_str().unwrap_or_default();
            return vec![Place::Error(kind.to_owned())];
        }
        let method = self.id.as_ref().and_then(|id| open_requests.get(id));
        match (self.value.get("result"), method) {
            (Some(_), Some(method)) => vec![Place::Result(method.clone())],
            _ => Vec::new(),
        }
    }

    /// The part of the message that the paths of a place start from.
    pub(super) fn part(&mut self, place: &Place) -> Option<&mut Value> {
        match place {
            Place::Event(_) => self.value.get_mut("params")?.get_mut("event"),
            Place::Envelope | Place::Request(_) => self.value.get_mut("params"),
            Place::Result(_) => self.value.get_mut("result"),
            Place::Error(_) => self.value.get_mut("error"),
            Place::Manifest | Place::Line => Some(&mut self.value),
        }
    }

    /// The line without its end.
    pub(super) fn to_text(&self) -> String {
        let mut value = self.value.clone();
        if let Value::Object(members) = &mut value {
            members.remove("id");
        }
        let text = value.to_string();
        match &self.id {
            Some(id) if text == "{}" => format!("{{\"id\":{id}}}"),
            Some(id) => format!("{{\"id\":{id},{}", &text[1..]),
            None => text,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn id_keeps_its_bytes() {
        let line = br#"{"jsonrpc":"2.0","id":12345678901234567890123,"result":{}}"#;
        let mut message = Message::parse(line).expect("a message");
        assert_eq!(message.id(), Some("12345678901234567890123"));
        assert!(message.to_text().contains(r#""id":12345678901234567890123,"#));
        message.set_id(None);
        assert!(!message.to_text().contains("id"));
    }

    #[test]
    fn response_belongs_to_its_request() {
        let open = OpenRequests::from([("\"a\"".to_owned(), "ping".to_owned())]);
        let places = |line: &str| Message::parse(line.as_bytes()).expect("JSON").places(&open);
        assert_eq!(places(r#"{"id":"a","result":{}}"#), [Place::Result("ping".to_owned())]);
        assert_eq!(places(r#"{"id":"b","result":{}}"#), []);
        let error = r#"{"id":null,"error":{"data":{"kind":"parse_error"}}}"#;
        assert_eq!(places(error), [Place::Error("parse_error".to_owned())]);
    }
}
