//! Parameters at the API's door: held against the document that `rpc.discover` answers before they become Rust, so
//! that a word or a member that nobody knows is refused by its name and never read as something else.

mod shape;

use std::sync::LazyLock;

use od_protocol::{ErrorKind, ErrorObject};
use serde::de::DeserializeOwned;
use serde_json::Value;

use shape::Misfit;

/// The OpenRPC document: what `rpc.discover` answers, and what parameters must fit.
pub(crate) static DOCUMENT: LazyLock<Value> = LazyLock::new(|| {
    serde_json::from_str(include_str!("../../../schemas/api/v1/openrpc.json"))
        .expect("the document is JSON")
});

/// Where everything that can be asked is described, for whoever has only the host.
pub(super) const DESCRIBED: &str = "rpc.discover describes every method and its parameters";

/// Reads the parameters of a method; `type_name` is their type in the document. Absent ones and null are an object
/// without members.
///
/// # Errors
/// `invalid_params`: what does not fit, where (`data.which`), and what would.
pub(crate) fn read<P: DeserializeOwned>(
    method: &str,
    type_name: &str,
    params: Option<&str>,
) -> Result<P, ErrorObject> {
    let unreadable = |error: serde_json::Error| refusal(method, &error.to_string(), DESCRIBED);
    let value: Value = match params {
        None | Some("null") => Value::Object(serde_json::Map::new()),
        Some(text) => serde_json::from_str(text).map_err(unreadable)?,
    };
    if let Err(Misfit { path, problem, advice }) = shape::check(&DOCUMENT, type_name, &value) {
        let error = refusal(method, &problem, &format!("{advice}; {DESCRIBED}"));
        return Err(if path.is_empty() { error } else { error.with_which(path) });
    }
    serde_json::from_value(value).map_err(unreadable)
}

fn refusal(method: &str, problem: &str, hint: &str) -> ErrorObject {
    let text = format!("the parameters of {method} do not fit: {problem}");
    ErrorObject::new(ErrorKind::InvalidParams, text).with_hint(hint)
}
