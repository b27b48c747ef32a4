//! Parses the parameters of API methods. Stricter than the Rust types, which ignore unknown members and accept
//! unknown enum values for later versions: a client must learn about a misspelled parameter.

mod strict;

use std::sync::LazyLock;

use od_protocol::{ErrorKind, ErrorObject};
use serde::de::DeserializeOwned;
use serde_json::Value;

use strict::Problem;

/// The OpenRPC document: the result of `rpc.discover`, and the source of the names that parameters may have.
pub(crate) static DOCUMENT: LazyLock<Value> = LazyLock::new(|| {
    serde_json::from_str(include_str!("../../../schemas/api/v1/openrpc.json"))
        .expect("the document is JSON")
});

pub(super) const DISCOVER_HINT: &str = "rpc.discover describes every method and its parameters";

/// Parses the parameters of a method; `type_name` is their type in the document. Absent parameters and `null` mean
/// an empty object.
///
/// # Errors
/// `invalid_params` with the path of the wrong parameter in `data.which`.
pub(crate) fn parse<P: DeserializeOwned>(
    method: &str,
    type_name: &str,
    params: Option<&str>,
) -> Result<P, ErrorObject> {
    let value = match params {
        None | Some("null") => Value::Object(serde_json::Map::new()),
        Some(text) => serde_json::from_str(text).map_err(|error| {
            invalid(method, Problem { path: String::new(), text: error.to_string() })
        })?,
    };
    strict::check(&DOCUMENT, type_name, &value)
        .and_then(|()| serde_path_to_error::deserialize(&value).map_err(Problem::from))
        .map_err(|problem| invalid(method, problem))
}

fn invalid(method: &str, Problem { path, text }: Problem) -> ErrorObject {
    let error = ErrorObject::new(ErrorKind::InvalidParams, format!("{method}: {text}"))
        .with_hint(DISCOVER_HINT);
    if path.is_empty() { error } else { error.with_which(path) }
}
