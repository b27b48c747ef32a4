//! The fields of a definition of the frozen schema, with nested fields.

use serde_json::Value;

use crate::schema::FROZEN_SCHEMA;

/// Deeper fields are not visited.
const MAX_DEPTH: usize = 5;

/// The definitions of the schema.
pub(super) struct Definitions(Value);

/// A field.
#[derive(Debug, Clone)]
pub(super) struct Field {
    /// The names from the definition down to this field.
    pub(super) path: Vec<String>,
    pub(super) kind: FieldKind,
    /// Whether it must be present in its object.
    pub(super) is_required: bool,
    /// Whether it or an object around it may be absent.
    pub(super) may_be_absent: bool,
    /// Whether null is allowed.
    pub(super) is_nullable: bool,
    /// The value that an absent field means.
    pub(super) default: Option<Value>,
}

/// The type of a field.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum FieldKind {
    Text,
    Integer,
    Number,
    Boolean,
    /// A text with these known values.
    Enumeration(Vec<String>),
    List,
    /// An object whose fields are listed, too.
    Object,
    /// An object with any members.
    Map,
    /// Any JSON value.
    Anything,
}

impl Definitions {
    /// Parses the frozen schema.
    pub(super) fn frozen() -> Self {
        let schema: Value =
            serde_json::from_str(FROZEN_SCHEMA).expect("the committed schema is JSON");
        Self(schema["$defs"].clone())
    }

    /// The event types with the definitions of their payloads.
    pub(super) fn events(&self) -> Vec<(String, String)> {
        let variants = self.0["Event"]["anyOf"].as_array().into_iter().flatten();
        let named = variants.filter_map(|variant| {
            let event_type = variant["properties"]["type"]["const"].as_str()?;
            Some((event_type.to_owned(), reference(variant)?.to_owned()))
        });
        named.collect()
    }

    /// The fields of a definition, a container before its own fields.
    pub(super) fn fields(&self, definition: &str) -> Vec<Field> {
        let mut fields = Vec::new();
        self.visit(&self.0[definition], &[], false, &mut fields);
        fields
    }

    /// The known values of an enumeration.
    pub(super) fn values(&self, definition: &str) -> Vec<String> {
        enumerated(&self.0[definition])
    }

    fn visit(
        &self,
        definition: &Value,
        path: &[String],
        may_be_absent: bool,
        fields: &mut Vec<Field>,
    ) {
        let Some(properties) = definition["properties"].as_object() else { return };
        let required = definition["required"].as_array().cloned().unwrap_or_default();
        for (name, property) in properties.iter().filter(|(name, _)| *name != "_meta") {
            let path = [path, std::slice::from_ref(name)].concat();
            let (schema, is_nullable) = self.resolve(property);
            let is_required = required.iter().any(|required| required == name);
            let may_be_absent = may_be_absent || !is_required;
            fields.push(Field {
                path: path.clone(),
                kind: kind(schema),
                is_required,
                may_be_absent,
                is_nullable,
                default: property.get("default").cloned(),
            });
            if path.len() < MAX_DEPTH && !is_event(property) {
                self.visit_inside(schema, &path, may_be_absent, fields);
            }
        }
    }

    fn visit_inside(
        &self,
        schema: &Value,
        path: &[String],
        may_be_absent: bool,
        fields: &mut Vec<Field>,
    ) {
        self.visit(schema, path, may_be_absent, fields);
        let inner = |mark: &str| [path, &[mark.to_owned()]].concat();
        if let Some(items) = schema.get("items").filter(|items| !is_event(items)) {
            self.visit(self.resolve(items).0, &inner("[]"), may_be_absent, fields);
        }
        let values = schema.get("additionalProperties").filter(|values| values.is_object());
        if let Some(values) = values {
            fields.push(Field {
                path: inner("{}"),
                kind: kind(values),
                is_required: true,
                may_be_absent,
                is_nullable: false,
                default: None,
            });
        }
    }

    /// The schema behind references, and whether null is allowed.
    fn resolve<'a>(&'a self, schema: &'a Value) -> (&'a Value, bool) {
        let is_null = |part: &Value| part["type"] == "null";
        if let Some(definition) = reference(schema) {
            return (&self.0[definition], false);
        }
        let parts = schema["anyOf"].as_array();
        if let Some(parts) = parts.filter(|parts| parts.iter().any(is_null)) {
            let other = parts.iter().find(|part| !is_null(part));
            return (other.map_or(schema, |other| self.resolve(other).0), true);
        }
        let types = schema["type"].as_array();
        (schema, types.is_some_and(|types| types.iter().any(|name| name == "null")))
    }
}

fn reference(schema: &Value) -> Option<&str> {
    schema["$ref"].as_str()?.strip_prefix("#/$defs/")
}

/// Events inside results have their own faults.
fn is_event(schema: &Value) -> bool {
    reference(schema) == Some("Event")
}

fn kind(schema: &Value) -> FieldKind {
    let values = enumerated(schema);
    if !values.is_empty() {
        return FieldKind::Enumeration(values);
    }
    let types: Vec<&str> = match &schema["type"] {
        Value::String(name) => vec![name],
        Value::Array(names) => names.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    match types.into_iter().find(|name| *name != "null") {
        Some("string") => FieldKind::Text,
        Some("integer") => FieldKind::Integer,
        Some("number") => FieldKind::Number,
        Some("boolean") => FieldKind::Boolean,
        Some("array") => FieldKind::List,
        Some("object") if schema.get("additionalProperties").is_some() => FieldKind::Map,
        Some("object") => FieldKind::Object,
        _ => FieldKind::Anything,
    }
}

fn enumerated(schema: &Value) -> Vec<String> {
    let parts = schema["anyOf"].as_array().into_iter().flatten();
    parts.filter_map(|part| part["const"].as_str()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(definition: &str, path: &str) -> Field {
        let fields = Definitions::frozen().fields(definition);
        let found = fields.into_iter().find(|field| field.path.join(".") == path);
        found.unwrap_or_else(|| panic!("{definition}.{path}"))
    }

    #[test]
    fn fields_have_types_and_nested_fields() {
        let status = field("Done", "status");
        assert!(status.is_required && matches!(status.kind, FieldKind::Enumeration(_)));
        let files = field("Done", "totals.filesChanged");
        assert_eq!((files.kind, files.default), (FieldKind::Integer, Some(0.into())));
        let code = field("Done", "exitCode");
        assert!(code.is_nullable && !code.is_required);
        assert_eq!(field("ListModelsResult", "models.[].id").kind, FieldKind::Text);
        assert_eq!(field("StartRunParams", "env.{}").kind, FieldKind::Text);
        assert_eq!(field("ToolResult", "output").kind, FieldKind::Anything);
        assert_eq!(field("Done", "totals.usage.inputTokens").kind, FieldKind::Integer);
    }

    #[test]
    fn every_event_type_has_a_payload() {
        let definitions = Definitions::frozen();
        let events = definitions.events();
        assert_eq!(events.len(), 40);
        assert!(events.contains(&("done".to_owned(), "Done".to_owned())));
        assert!(definitions.values("ErrorKind").contains(&"timeout".to_owned()));
    }
}
