//! Counts requests and responses by id: each request gets exactly one response.

use std::collections::HashMap;

use serde::Deserialize;
use serde_json::Value;

/// The members that make a message a request. Other members are skipped, however deep they are.
#[derive(Deserialize)]
struct Request {
    id: Value,
    #[serde(rename = "method")]
    _method: String,
}

/// The requests that were sent and the responses that arrived, by the JSON text of their id.
#[derive(Debug, Default)]
pub(super) struct Responses {
    open: HashMap<String, u32>,
}

impl Responses {
    /// Registers every request in the sent lines; lines that are not JSON contain none.
    pub(super) fn sent(&mut self, lines: &[u8]) {
        for line in lines.split(|byte| *byte == b'\n') {
            let Ok(request) = serde_json::from_slice::<Request>(line) else { continue };
            if !request.id.is_null() {
                *self.open.entry(request.id.to_string()).or_default() += 1;
            }
        }
    }

    /// Registers a response; an error text if no request waits for it.
    pub(super) fn received(&mut self, message: &Value) -> Result<(), String> {
        let Some(id) = message.get("id").filter(|id| !id.is_null()) else { return Ok(()) };
        match self.open.get_mut(&id.to_string()) {
            Some(count) if *count > 0 => {
                *count -= 1;
                Ok(())
            }
            Some(_) => Err(format!("a second response with id {id}")),
            None => Err(format!("a response with id {id}, which no request had")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_one_response_per_request() {
        let mut responses = Responses::default();
        responses.sent(br#"{"jsonrpc":"2.0","id":7,"method":"ping"}"#);
        responses.sent(b"not JSON");
        responses.sent(b"{\"jsonrpc\":\"2.0\",\"id\":8,\"result\":{}}");
        assert!(responses.received(&json!({"id": 8, "result": {}})).is_err());
        let answer = json!({"id": 7, "result": {}});
        assert_eq!(responses.received(&answer), Ok(()));
        assert!(responses.received(&answer).is_err());
        assert!(responses.received(&json!({"id": "7", "result": {}})).is_err());
        assert_eq!(responses.received(&json!({"id": null, "error": {}})), Ok(()));
    }
}
