//! Writes responses as lines; the id is copied byte by byte.

use od_protocol::{ErrorObject, MAX_LINE_BYTES};
use serde::Serialize;
use serde_json::value::RawValue;

#[derive(Serialize)]
struct Response<'a, T> {
    jsonrpc: &'static str,
    id: &'a RawValue,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<T>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a ErrorObject>,
}

/// Returns the line that answers `id` with a result.
pub(super) fn result(id: &RawValue, result: &RawValue) -> Vec<u8> {
    line(&Response { jsonrpc: "2.0", id, result: Some(result), error: None })
}

/// Returns the line that answers `id` with an error.
pub(super) fn error(id: &RawValue, error: &ErrorObject) -> Vec<u8> {
    line(&Response::<()> { jsonrpc: "2.0", id, result: None, error: Some(error) })
}

/// Whether a result fits the line limit.
pub(super) fn fits(result: &RawValue) -> bool {
    (result.get().len() as u64) < MAX_LINE_BYTES - 4096
}

fn line(response: &impl Serialize) -> Vec<u8> {
    let mut line = serde_json::to_vec(response).expect("a response is JSON");
    line.push(b'\n');
    line
}
