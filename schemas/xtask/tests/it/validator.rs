//! Validates values against the published schema.

use std::sync::LazyLock;

use jsonschema::ValidatorMap;
use serde_json::{Value, json};
use xtask::contract::{ADAPTER, API, CONTRACTS, Contract};

static ADAPTER_VALIDATORS: LazyLock<ValidatorMap> = LazyLock::new(|| validators(&ADAPTER));
static API_VALIDATORS: LazyLock<ValidatorMap> = LazyLock::new(|| validators(&API));

/// A validator for every definition of a schema.
fn validators(contract: &Contract) -> ValidatorMap {
    jsonschema::validator_map_for(&contract.document).expect("the schema is valid")
}

/// The violations of the definition of that name; empty when the value is valid.
pub(crate) fn violations(contract: &Contract, name: &str, value: &Value) -> Vec<String> {
    let validators =
        if std::ptr::eq(contract, &ADAPTER) { &ADAPTER_VALIDATORS } else { &API_VALIDATORS };
    let validator = validators
        .get(&format!("#/$defs/{name}"))
        .unwrap_or_else(|| panic!("the schema has no definition {name}"));
    validator
        .iter_errors(value)
        .map(|error| format!("{name}{}: {error}", error.instance_path()))
        .collect()
}

/// Fails when the value violates the definition of that name.
#[track_caller]
pub(crate) fn assert_valid(contract: &Contract, name: &str, value: &Value) {
    let violations = violations(contract, name, value);
    assert!(violations.is_empty(), "{value:#} is not a {name}:\n{}", violations.join("\n"));
}

#[test]
fn schemas_are_draft_2020_12() {
    for contract in CONTRACTS {
        let document = &*contract.document;
        let meta = jsonschema::meta::validator_for(document).expect("the draft is known");
        if let Err(error) = meta.validate(document) {
            panic!("schema.json is not a valid schema at {}: {error}", error.instance_path());
        }
        assert_eq!(document["$schema"], "https://json-schema.org/draft/2020-12/schema");
    }
}

#[test]
fn schema_rejects_invalid_values() {
    let wrong = [
        ("StartRunResult", json!({})),
        ("Event", json!({ "type": "text_delta", "messageId": "m1" })),
        ("Event", json!({ "text": "no type" })),
        ("RunEventParams", json!({ "runId": "r", "seq": -1, "ts": 0, "event": {} })),
        ("Retry", json!({ "attempt": 4_294_967_296_u64, "reason": "too many" })),
        ("Capabilities", json!({ "run": true })),
    ];
    for (name, value) in wrong {
        assert!(
            !violations(&ADAPTER, name, &value).is_empty(),
            "the schema accepts {value} as {name}"
        );
    }
    let wrong = [
        ("StartRunParams", json!({ "agent": "demo" })),
        ("AttachedEvents", json!({ "subscription": "1" })),
        ("RunInfo", json!({ "runId": 7 })),
        ("UsageSummary", json!({ "by": "agent", "rows": {} })),
    ];
    for (name, value) in wrong {
        assert!(!violations(&API, name, &value).is_empty(), "the schema accepts {value} as {name}");
    }
}
