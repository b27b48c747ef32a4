//! The schema as a small model for the generators and the property tests.
//! An unexpected form of schema is a panic, so that none is overlooked.

use serde_json::{Map, Value};

use crate::contract::Contract;

/// One entry of `$defs`.
pub struct Definition {
    pub name: &'static str,
    pub description: &'static str,
    pub shape: Shape,
}

/// What a definition looks like.
pub enum Shape {
    /// An object with named fields; unknown ones are ignored.
    Record(Vec<Field>),
    /// An open enumeration, and the value that an unknown one is read as.
    Enum { values: Vec<EnumValue>, fallback: Option<&'static str> },
    /// All events: a payload's fields plus `type`.
    Events(Vec<EventType>),
    /// An event of a later version.
    LaterEvent,
}

/// One field of an object.
pub struct Field {
    pub name: &'static str,
    pub description: &'static str,
    pub kind: Kind,
    pub required: bool,
    pub nullable: bool,
    pub default: Option<&'static Value>,
}

/// One value of an open enumeration.
pub struct EnumValue {
    pub name: &'static str,
    pub description: &'static str,
}

/// One event type and its payload's definition.
pub struct EventType {
    pub name: &'static str,
    pub payload: &'static str,
    pub description: &'static str,
}

/// What a value looks like.
pub enum Kind {
    Text,
    Integer {
        minimum: i64,
        maximum: i64,
    },
    Number,
    Boolean,
    Anything,
    /// An object whose shape the protocol does not define.
    AnyObject,
    /// An object from names to values of one kind.
    MapOf(Box<Kind>),
    ListOf(Box<Kind>),
    Reference(&'static str),
}

impl Contract {
    /// All definitions, by name.
    pub fn all(&'static self) -> Vec<Definition> {
        self.definitions().keys().map(|name| self.definition(name)).collect()
    }

    /// The definition of that name.
    pub fn definition(&'static self, name: &str) -> Definition {
        let (name, schema) = self
            .definitions()
            .get_key_value(name)
            .unwrap_or_else(|| panic!("the schema has no definition {name}"));
        let schema = schema.as_object().expect("a definition is an object");
        let shape = match (name.as_str(), alternatives(schema)) {
            ("Event", Some(variants)) => {
                Shape::Events(variants.iter().filter_map(event_type).collect())
            }
            ("UnknownEvent", None) => Shape::LaterEvent,
            (_, Some(variants)) => Shape::Enum {
                values: variants.iter().filter_map(enum_value).collect(),
                fallback: variants.iter().find_map(fallback),
            },
            (_, None) => Shape::Record(fields(schema)),
        };
        Definition { name, description: description(schema), shape }
    }

    /// The fields of a record.
    pub fn record_fields(&'static self, name: &str) -> Vec<Field> {
        match self.definition(name).shape {
            Shape::Record(fields) => fields,
            _ => panic!("{name} is not a record"),
        }
    }

    /// The known event types.
    pub fn event_types(&'static self) -> Vec<EventType> {
        match self.definition("Event").shape {
            Shape::Events(types) => types,
            _ => panic!("Event is not a union of events"),
        }
    }
}

fn alternatives(schema: &'static Map<String, Value>) -> Option<&'static Vec<Value>> {
    schema.get("anyOf").map(|variants| variants.as_array().expect("anyOf is a list"))
}

fn enum_value(variant: &'static Value) -> Option<EnumValue> {
    let name = variant.get("const")?.as_str().expect("a value is a string");
    Some(EnumValue { name, description: text(variant, "description") })
}

/// The description of the last alternative names in backticks the value that an unknown one is read as.
fn fallback(variant: &'static Value) -> Option<&'static str> {
    let description = variant.get("const").is_none().then(|| text(variant, "description"))?;
    description.contains("treat it as").then(|| description.split('`').nth(1))?
}

fn event_type(variant: &'static Value) -> Option<EventType> {
    let name = variant.pointer("/properties/type/const")?.as_str().expect("a type is a string");
    Some(EventType {
        name,
        payload: referenced(variant),
        description: text(variant, "description"),
    })
}

/// Required fields first, in the order of the Rust type, then the others by name, `_meta` last.
fn fields(schema: &'static Map<String, Value>) -> Vec<Field> {
    assert_eq!(schema.get("type"), Some(&Value::from("object")), "unexpected: {schema:?}");
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
        return Vec::new();
    };
    let required: Vec<&str> = schema
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let mut fields: Vec<Field> = properties
        .iter()
        .map(|(name, schema)| field(name, schema, required.contains(&name.as_str())))
        .collect();
    fields.sort_by_key(|field| {
        let place = required.iter().position(|name| *name == field.name);
        (place.unwrap_or(required.len()), field.name.starts_with('_'))
    });
    fields
}

fn field(name: &'static str, schema: &'static Value, required: bool) -> Field {
    let (kind, nullable) = kind_of(schema);
    Field {
        name,
        description: text(schema, "description"),
        kind,
        required,
        nullable,
        default: schema.get("default").filter(|default| !default.is_null()),
    }
}

fn kind_of(schema: &'static Value) -> (Kind, bool) {
    if schema.get("$ref").is_some() {
        return (Kind::Reference(referenced(schema)), false);
    }
    if let Some(variants) = schema.get("anyOf").and_then(Value::as_array) {
        assert_eq!(variants[1]["type"], "null", "unexpected: {schema}");
        return (Kind::Reference(referenced(&variants[0])), true);
    }
    let Some(types) = schema.get("type") else { return (Kind::Anything, false) };
    match types {
        Value::String(name) => (kind_named(name, schema), false),
        Value::Array(names) => {
            assert_eq!(names[1], "null", "unexpected: {schema}");
            (kind_named(names[0].as_str().expect("a type is a string"), schema), true)
        }
        _ => panic!("unexpected: {schema}"),
    }
}

fn kind_named(name: &str, schema: &'static Value) -> Kind {
    let limit = |name: &str| schema[name].as_i64().expect("an integer has limits");
    match name {
        "string" => Kind::Text,
        "integer" => Kind::Integer { minimum: limit("minimum"), maximum: limit("maximum") },
        "number" => Kind::Number,
        "boolean" => Kind::Boolean,
        "array" => Kind::ListOf(Box::new(kind_of(&schema["items"]).0)),
        "object" => match &schema["additionalProperties"] {
            Value::Bool(true) => Kind::AnyObject,
            values => Kind::MapOf(Box::new(kind_of(values).0)),
        },
        _ => panic!("unexpected: {schema}"),
    }
}

fn referenced(schema: &'static Value) -> &'static str {
    text(schema, "$ref").strip_prefix("#/$defs/").expect("a reference into $defs")
}

fn description(schema: &'static Map<String, Value>) -> &'static str {
    schema.get("description").and_then(Value::as_str).expect("a definition is described")
}

fn text(schema: &'static Value, name: &str) -> &'static str {
    schema.get(name).and_then(Value::as_str).unwrap_or_else(|| panic!("no {name} in {schema}"))
}
