//! `rpc.discover`: the API describes itself, as OpenRPC wants it.

use std::sync::LazyLock;

use serde_json::value::RawValue;

/// The method's name.
pub(super) const METHOD: &str = "rpc.discover";

static DOCUMENT: LazyLock<Box<RawValue>> = LazyLock::new(|| {
    let text = include_str!("../../../schemas/api/v1/openrpc.json");
    let value: serde_json::Value = serde_json::from_str(text).expect("the document is JSON");
    serde_json::value::to_raw_value(&value).expect("and stays so without its line ends")
});

/// The OpenRPC document, on one line.
pub(super) fn document() -> Box<RawValue> {
    DOCUMENT.clone()
}
