//! The published schema, asked about one value.

use jsonschema::ValidatorMap;
use serde_json::Value;

use crate::schemas::contract::{ADAPTER, API, CONTRACTS, Contract};

/// A validator for every definition of a schema.
pub(crate) fn validators(document: &Value) -> ValidatorMap {
    jsonschema::validator_map_for(document).expect("the schema is valid")
}

/// What the definition of that name has against the value; empty when it fits.
pub(crate) fn objections(contract: &Contract, name: &str, value: &Value) -> Vec<String> {
    let validator = contract
        .validators
        .get(&format!("#/$defs/{name}"))
        .unwrap_or_else(|| panic!("the schema has no definition {name}"));
    validator
        .iter_errors(value)
        .map(|error| format!("{name}{}: {error}", error.instance_path()))
        .collect()
}

/// Fails when the value does not fit the definition of that name.
#[track_caller]
pub(crate) fn assert_valid(contract: &Contract, name: &str, value: &Value) {
    let objections = objections(contract, name, value);
    assert!(objections.is_empty(), "{value:#} is no {name}:\n{}", objections.join("\n"));
}

#[test]
fn the_schemas_are_draft_2020_12() {
    for contract in CONTRACTS {
        let document = &*contract.document;
        let meta = jsonschema::meta::validator_for(document).expect("the draft is known");
        if let Err(error) = meta.validate(document) {
            panic!("schema.json is no valid schema at {}: {error}", error.instance_path());
        }
        assert_eq!(document["$schema"], "https://json-schema.org/draft/2020-12/schema");
    }
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
        assert!(
            !objections(&ADAPTER, name, &value).is_empty(),
            "the schema takes {value} for a {name}"
        );
    }
    let wrong = [
        ("StartRunsParams", serde_json::json!({ "agent": "demo" })),
        ("AttachedEvents", serde_json::json!({ "subscription": "1" })),
        ("RunInfo", serde_json::json!({ "runId": 7 })),
        ("UsageSummary", serde_json::json!({ "by": "agent", "rows": {} })),
    ];
    for (name, value) in wrong {
        assert!(
            !objections(&API, name, &value).is_empty(),
            "the schema takes {value} for a {name}"
        );
    }
}
