//! WIR: the rules of JSON-RPC lines in both directions.

mod malformed_lines;
mod parameters;
mod request_ids;
mod stray_messages;

use super::AdapterCheck;
use crate::adapter_client::AdapterClient;
use crate::check::{Gate, active, invariant};
use crate::outcome::shorten;
use serde_json::Value;

/// The checks of this chapter.
pub const CHECKS: &[AdapterCheck] = &[
    invariant(
        "WIR-01",
        "every request gets exactly one response with its id, and no response has another id",
        "a host that waits for a response, or receives two, loses track of its requests",
        Gate::NONE,
    ),
    invariant(
        "WIR-02",
        "integers have no fraction or exponent, and every enumerated value is one that the \
         specification lists",
        "strict readers in other languages refuse such numbers and read unknown values as defaults",
        Gate::NONE,
    ),
    active(
        "WIR-03",
        "absent and null parameters mean an empty object, and a null member means an absent one",
        "hosts in other languages omit members or write null, depending on their JSON library",
        Gate::NONE,
        parameters::absent_and_null,
    ),
    active(
        "WIR-04",
        "lines are split only on the byte `\\n`; a line that is not a message or exceeds 16 MiB gets \
         exactly one error with id null, and the connection stays open",
        "one unusual line must not end the runs of all users",
        Gate::NONE,
        malformed_lines::one_error_each,
    ),
    active(
        "WIR-05",
        "stray responses and unknown or malformed notifications are ignored, and a cancelled request \
         still gets exactly one response",
        "hosts of later versions send notifications that an adapter of today does not know",
        Gate::NONE,
        stray_messages::ignored,
    ),
    active(
        "WIR-06",
        "the response repeats the id of its request exactly, also of several open requests",
        "a host finds the request by its id; a changed id is a response that never arrives",
        Gate::NONE,
        request_ids::repeated_exactly,
    ),
    invariant(
        "ERR-10",
        "the code of every error response is the one that the specification lists for its kind",
        "clients without the kind branch on the code",
        Gate::NONE,
    ),
];

/// Sends a request as JSON text, registers its id, and returns the key of the response.
fn ask_text(adapter: &mut AdapterClient, raw_id: &str, method: &str, message: &str) -> String {
    let key = register(adapter, raw_id, method);
    adapter.send_raw(format!("{message}\n").as_bytes());
    key
}

/// Registers the id of a request that is about to be sent; returns the key of the response.
fn register(adapter: &mut AdapterClient, raw_id: &str, method: &str) -> String {
    let id: Value = serde_json::from_str(raw_id).unwrap_or_default();
    let key = id.to_string();
    adapter.inbox.asked.insert(key.clone(), method.to_owned());
    key
}

/// Describes what arrived, or why nothing did.
fn received(adapter: &mut AdapterClient, line: Option<&Value>) -> String {
    line.map_or_else(|| adapter.describe_silence(), |value| shorten(&value.to_string(), 300))
}
