//! The published schema, asked about one value.

use std::sync::LazyLock;

use jsonschema::ValidatorMap;
use serde_json::Value;

use crate::schemas::document::DOCUMENT;

static VALIDATORS: LazyLock<ValidatorMap> =
    LazyLock::new(|| jsonschema::validator_map_for(&DOCUMENT).expect("the schema is valid"));

/// What the definition of that name has against the value; empty when it fits.
pub(crate) fn objections(name: &str, value: &Value) -> Vec<String> {
    let validator = VALIDATORS
        .get(&format!("#/$defs/{name}"))
        .unwrap_or_else(|| panic!("the schema has no definition {name}"));
    validator
        .iter_errors(value)
        .map(|error| format!("{name}{}: {error}", error.instance_path()))
        .collect()
}

/// Fails when the value does not fit the definition of that name.
#[track_caller]
pub(crate) fn assert_valid(name: &str, value: &Value) {
    let objections = objections(name, value);
    assert!(objections.is_empty(), "{value:#} is no {name}:\n{}", objections.join("\n"));
}

#[test]
fn the_schema_is_draft_2020_12() {
    let meta = jsonschema::meta::validator_for(&DOCUMENT).expect("the draft is known");
    if let Err(error) = meta.validate(&DOCUMENT) {
        panic!("schema.json is no valid schema at {}: {error}", error.instance_path());
    }
    assert_eq!(DOCUMENT["$schema"], "https://json-schema.org/draft/2020-12/schema");
}

#[test]
fn the_schema_refuses_what_is_wrong() {
    let wrong = [
        ("StartRunResult", serde_json::json!({})),
        ("Event", serde_json::json!({ "type": "text_delta", "messageId": "m1" })),
        ("Event", serde_json::json!({ "text": "no type" })),
        ("RunEventParams", serde_json::json!({ "runId": "r", "seq": -1, "ts": 0, "event": {} })),
        ("Retry", serde_json::json!({ "attempt": 4_294_967_296_u64, "reason": "too many" })),
        ("Capabilities", serde_json::json!({ "run": true })),
    ];
    for (name, value) in wrong {
        assert!(!objections(name, &value).is_empty(), "the schema takes {value} for a {name}");
    }
}
