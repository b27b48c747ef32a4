//! Counts requests and responses by id: each request gets exactly one response.

use std::collections::HashMap;

use serde_json::Value;

/// The requests that were sent and the responses that arrived, by the JSON text of their id.
#[derive(Debug, Default)]
pub(super) struct Responses {
    open: HashMap<String, u32>,
}

impl Responses {
    /// Registers every request in a sent line; lines that are not JSON contain none.
    pub(super) fn sent(&mut self, line: &[u8]) {
        let Ok(message) = serde_json::from_slice::<Value>(line) else { return };
        if let Some(id) = message.get("id").filter(|id| !id.is_null()) {
            *self.open.entry(id.to_string()).or_default() += 1;
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
        let answer = json!({"id": 7, "result": {}});
        assert_eq!(responses.received(&answer), Ok(()));
        assert!(responses.received(&answer).is_err());
        assert!(responses.received(&json!({"id": "7", "result": {}})).is_err());
        assert_eq!(responses.received(&json!({"id": null, "error": {}})), Ok(()));
    }
}
