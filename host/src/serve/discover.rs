//! `rpc.discover`: the OpenRPC document of the API.

use std::sync::LazyLock;

use serde_json::value::RawValue;

use crate::service::params;

/// The method's name.
pub(super) const METHOD: &str = "rpc.discover";

static DOCUMENT: LazyLock<Box<RawValue>> = LazyLock::new(|| {
    serde_json::value::to_raw_value(&*params::DOCUMENT).expect("a JSON value serializes")
});

/// The OpenRPC document, on one line.
pub(super) fn document() -> Box<RawValue> {
    DOCUMENT.clone()
}
