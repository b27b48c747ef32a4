//! Validates messages against the committed schema file instead of the Rust types, because
//! implementations in other languages use that file.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

mod written;

use jsonschema::Validator;
use od_protocol::adapter::METHODS;
use serde_json::{Value, json};

use crate::outcome::shorten;

/// The committed schema file.
pub(crate) const FROZEN_SCHEMA: &str = include_str!("../../schemas/v1/schema.json");

/// The frozen schema. Each definition is compiled on first use.
pub struct Schema {
    definitions: Value,
    compiled: Mutex<HashMap<String, Arc<Validator>>>,
}

impl Schema {
    /// Parses the built-in schema.
    ///
    /// # Panics
    /// Never in a tested build: the file is part of the executable.
    pub fn frozen() -> Self {
        let mut schema: Value =
            serde_json::from_str(FROZEN_SCHEMA).expect("the committed schema is JSON");
        // The envelope is validated without the event in it, which is selected by its `type`: this
        // gives one message about one event instead of one about every variant.
        schema["$defs"]["RunEventParams"]["properties"]["event"] =
            json!({"type": "object", "required": ["type"]});
        Self { definitions: schema["$defs"].take(), compiled: Mutex::default() }
    }

    /// Validates the response to a request.
    pub fn check_answer(&self, method: &str, message: &Value) -> Result<(), String> {
        check_envelope(message)?;
        match (message.get("result"), message.get("error")) {
            (None, Some(error)) => self.check("ErrorObject", error),
            (Some(result), None) => {
                let Some(known) = METHODS.iter().find(|known| known.name == method) else {
                    return Ok(());
                };
                if known.nullable && result.is_null() {
                    return Ok(());
                }
                self.check(known.result, result)
            }
            _ => Err("a response needs either a result or an error".to_owned()),
        }
    }

    /// Validates the parameters of a `run/event`.
    pub fn check_event(&self, params: &Value) -> Result<(), String> {
        self.check("RunEventParams", params)?;
        let event = &params["event"];
        let name = event["type"].as_str().unwrap_or_default();
        match self.event_variant(name) {
            Some(variant) => self.check_against(&format!("event {name}"), variant, event),
            // A type of a later version or a vendor extension.
            None => Ok(()),
        }
    }

    /// Returns what a writer may not send in a result, although readers accept it.
    pub fn illegal_in_answer(&self, method: &str, message: &Value) -> Option<String> {
        if let Some(error) = message.get("error") {
            return self.first_illegal("ErrorObject", error);
        }
        let known = METHODS.iter().find(|known| known.name == method)?;
        self.first_illegal(known.result, message.get("result")?)
    }

    /// Returns what a writer may not send in the parameters of a `run/event`.
    pub fn illegal_in_event(&self, params: &Value) -> Option<String> {
        let name = params["event"]["type"].as_str().unwrap_or_default();
        let envelope = self.first_illegal("RunEventParams", params);
        envelope.or_else(|| match self.event_variant(name) {
            Some(variant) => written::first_illegal(&self.definitions, variant, &params["event"]),
            None if name.starts_with('_') => None,
            None => Some(format!("the event type {name:?}, which is not part of the protocol")),
        })
    }

    /// Returns what a writer may not send in a manifest.
    pub fn illegal_in_manifest(&self, manifest: &Value) -> Option<String> {
        self.first_illegal("Manifest", manifest)
    }

    fn first_illegal(&self, definition: &str, instance: &Value) -> Option<String> {
        written::first_illegal(&self.definitions, &self.definitions[definition], instance)
    }

    fn event_variant(&self, name: &str) -> Option<&Value> {
        let variants = self.definitions["Event"]["anyOf"].as_array()?;
        variants.iter().find(|variant| variant["properties"]["type"]["const"] == name)
    }

    /// Validates a message that is neither an event nor a response.
    pub fn check_other(&self, message: &Value) -> Result<(), String> {
        check_envelope(message)?;
        let Some(method) = message.get("method").and_then(Value::as_str) else {
            return match message.get("error") {
                Some(error) => self.check("ErrorObject", error),
                None if message.get("result").is_some() => Ok(()),
                None => Err("neither a method nor a result nor an error".to_owned()),
            };
        };
        if message.get("id").is_some() {
            return Err(format!("the request {method:?}: an adapter never sends requests"));
        }
        if method.starts_with('_') {
            return Ok(());
        }
        Err(format!("the notification {method:?}, which is not part of the protocol"))
    }

    /// Validates a manifest.
    pub fn check_manifest(&self, manifest: &Value) -> Result<(), String> {
        self.check("Manifest", manifest)
    }

    fn check(&self, definition: &str, instance: &Value) -> Result<(), String> {
        let reference = json!({"$ref": format!("#/$defs/{definition}")});
        self.check_against(definition, &reference, instance)
    }

    fn check_against(&self, name: &str, schema: &Value, instance: &Value) -> Result<(), String> {
        let validator = self.validator(name, schema)?;
        validator.validate(instance).map_err(|error| {
            let location = error.instance_path().to_string();
            format!("{name} is invalid at {location:?}: {}", shorten(&error.to_string(), 300))
        })
    }

    fn validator(&self, name: &str, schema: &Value) -> Result<Arc<Validator>, String> {
        let mut compiled = self.compiled.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(validator) = compiled.get(name) {
            return Ok(Arc::clone(validator));
        }
        let mut root = schema.clone();
        root["$schema"] = "https://json-schema.org/draft/2020-12/schema".into();
        root["$defs"] = self.definitions.clone();
        let validator = jsonschema::validator_for(&root)
            .map_err(|error| format!("the schema of {name} cannot be used: {error}"))?;
        let validator = Arc::new(validator);
        compiled.insert(name.to_owned(), Arc::clone(&validator));
        Ok(validator)
    }
}

fn check_envelope(message: &Value) -> Result<(), String> {
    if message["jsonrpc"] == "2.0" { Ok(()) } else { Err("\"jsonrpc\" is not \"2.0\"".to_owned()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(event: Value) -> Value {
        json!({"runId": "r", "seq": 0, "ts": 1, "event": event})
    }

    #[test]
    fn known_event_is_validated_by_its_type() {
        let schema = Schema::frozen();
        let good = event(json!({"type": "text_delta", "messageId": "m", "text": "x"}));
        assert_eq!(schema.check_event(&good), Ok(()));
        let bad = event(json!({"type": "text_delta", "messageId": "m", "text": 7}));
        let reason = schema.check_event(&bad).expect_err("a number is not a string");
        assert!(reason.contains("/text"), "{reason}");
    }

    #[test]
    fn later_event_is_accepted_invalid_envelope_refused() {
        let schema = Schema::frozen();
        assert_eq!(schema.check_event(&event(json!({"type": "of_tomorrow", "x": 1}))), Ok(()));
        assert!(schema.check_event(&json!({"runId": 1, "seq": 0, "ts": 1, "event": {}})).is_err());
    }

    #[test]
    fn writer_sends_integers_and_known_values() {
        let schema = Schema::frozen();
        let done = |status: &str, duration: Value| {
            let totals = json!({"usage": {"scope": "run"}});
            let done = json!({
                "type": "done", "status": status, "durationMs": duration, "totals": totals,
                "errorKind": "_vendor.kind",
            });
            schema.illegal_in_event(&event(done))
        };
        assert_eq!(done("failed", json!(1)), None);
        assert_eq!(done("failed", json!(1.0)).as_deref(), Some("/durationMs is 1.0"));
        assert!(done("ended", json!(1)).is_some_and(|text| text.contains("/status")));
        assert!(schema.illegal_in_event(&event(json!({"type": "of_tomorrow"}))).is_some());
        assert_eq!(schema.illegal_in_event(&event(json!({"type": "_of_a_vendor"}))), None);
        let answer = json!({"result": {"models": [], "source": "guessed"}});
        assert!(schema.illegal_in_answer("models/list", &answer).is_some());
    }

    #[test]
    fn responses_are_validated_by_their_method() {
        let schema = Schema::frozen();
        let answer = |result: Value| json!({"jsonrpc": "2.0", "id": 1, "result": result});
        assert_eq!(schema.check_answer("run/cancel", &answer(json!({"accepted": true}))), Ok(()));
        assert!(schema.check_answer("run/cancel", &answer(json!({}))).is_err());
        assert_eq!(schema.check_answer("quota/get", &answer(Value::Null)), Ok(()));
        assert!(schema.check_other(&json!({"jsonrpc": "2.0", "id": 1, "method": "x"})).is_err());
    }
}
