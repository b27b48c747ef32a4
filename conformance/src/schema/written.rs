//! Values that the schema allows for readers but no writer may send: numbers with a fraction or
//! exponent where an integer is expected, and enumerated values that no table contains.

use serde_json::{Map, Value};

/// Returns the first value that a writer may not send, with its path.
pub(super) fn first_illegal(
    definitions: &Value,
    schema: &Value,
    instance: &Value,
) -> Option<String> {
    Walk { definitions }.value(schema, instance, "")
}

struct Walk<'a> {
    definitions: &'a Value,
}

impl Walk<'_> {
    fn value(&self, schema: &Value, instance: &Value, path: &str) -> Option<String> {
        if instance.is_null() {
            return None;
        }
        let referenced = schema["$ref"].as_str().and_then(|reference| {
            let name = reference.rsplit('/').next()?;
            let is_vendor_kind =
                name == "ErrorKind" && instance.as_str().is_some_and(|it| it.starts_with('_'));
            let definition = Some(&self.definitions[name]).filter(|_| !is_vendor_kind)?;
            self.value(definition, instance, path)
        });
        referenced
            .or_else(|| is_fraction(schema, instance).then(|| format!("{path} is {instance}")))
            .or_else(|| self.alternatives(schema, instance, path))
            .or_else(|| self.members(schema, instance, path))
    }

    fn alternatives(&self, schema: &Value, instance: &Value, path: &str) -> Option<String> {
        let alternatives = schema["anyOf"].as_array().or_else(|| schema["oneOf"].as_array())?;
        let mut values = alternatives.iter().filter_map(|one| one.get("const")).peekable();
        if values.peek().is_some() {
            let text = instance.as_str()?;
            let is_known = values.any(|value| value == text);
            return (!is_known).then(|| format!("{path} is {text:?}, which is not a known value"));
        }
        alternatives.iter().find_map(|one| self.value(one, instance, path))
    }

    fn members(&self, schema: &Value, instance: &Value, path: &str) -> Option<String> {
        match instance {
            Value::Object(members) => self.properties(schema, members, path),
            Value::Array(entries) => {
                let items = schema.get("items")?;
                let mut entries = entries.iter().enumerate();
                entries
                    .find_map(|(index, entry)| self.value(items, entry, &format!("{path}/{index}")))
            }
            _ => None,
        }
    }

    fn properties(
        &self,
        schema: &Value,
        members: &Map<String, Value>,
        path: &str,
    ) -> Option<String> {
        let properties = schema["properties"].as_object()?;
        members.iter().find_map(|(name, value)| {
            self.value(properties.get(name)?, value, &format!("{path}/{name}"))
        })
    }
}

/// Whether an integer is expected and the number is written with a fraction or an exponent.
fn is_fraction(schema: &Value, instance: &Value) -> bool {
    let types = &schema["type"];
    let has = |name: &str| {
        *types == name || types.as_array().is_some_and(|types| types.iter().any(|it| it == name))
    };
    instance.is_f64() && has("integer") && !has("number")
}
