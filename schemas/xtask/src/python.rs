//! `types.py`: a contract as Python types, standard library only.

use crate::contract::Contract;
use crate::shape::{Definition, EnumValue, EventType, Field, Kind, Shape};

/// The text after the title.
const HEAD: &str = r#"
Where a type allows None, it means the same as absent. An open enumeration is
`Literal[...] | str`: a later version may send others, so keep a default branch.
"""

from typing import (
    Any,
    Final,
    Literal,
    NotRequired,
    Protocol,
    TypedDict,
    TypeGuard,
    get_args,
    overload,
)
"#;

/// Keywords that cannot name a field of a class.
const KEYWORDS: &[&str] = &["from", "import", "class", "global", "pass", "in", "is", "as", "def"];

pub fn generate(contract: &'static Contract) -> String {
    let (name, major) = contract.major;
    let mut text = format!(
        "\"\"\"The {}, as Python types (Python 3.11 or later).\n\n\
         Generated from {}: do not edit.\n{HEAD}\n{name}: Final = {major}\n",
        contract.versioned_title(),
        contract.sources
    );
    for definition in dependencies_first(contract.all()) {
        text.push('\n');
        text += &definition_text(&definition);
    }
    text += &tables(contract);
    text += &calls(contract);
    text
}

/// Python evaluates from top to bottom, so a type comes after the types that it refers to.
fn dependencies_first(mut waiting: Vec<Definition>) -> Vec<Definition> {
    let mut sorted: Vec<Definition> = Vec::new();
    while !waiting.is_empty() {
        let known = |name: &str| sorted.iter().any(|definition| definition.name == name);
        let (ready, rest): (Vec<_>, Vec<_>) = waiting
            .into_iter()
            .partition(|definition| mentions(definition).iter().all(|name| known(name)));
        assert!(!ready.is_empty(), "definitions refer to each other in a cycle");
        sorted.extend(ready);
        waiting = rest;
    }
    sorted
}

fn mentions(definition: &Definition) -> Vec<&'static str> {
    match &definition.shape {
        Shape::Record(fields) => fields.iter().filter_map(|field| mentioned(&field.kind)).collect(),
        Shape::Events(types) => {
            types.iter().map(|event| event.payload).chain(["UnknownEvent"]).collect()
        }
        Shape::Enum { .. } | Shape::LaterEvent => Vec::new(),
    }
}

fn mentioned(kind: &Kind) -> Option<&'static str> {
    match kind {
        Kind::Reference(name) => Some(name),
        Kind::ListOf(kind) | Kind::MapOf(kind) => mentioned(kind),
        _ => None,
    }
}

fn definition_text(definition: &Definition) -> String {
    let Definition { name, description, shape } = definition;
    match shape {
        Shape::Record(fields) if fields.iter().any(|field| KEYWORDS.contains(&field.name)) => {
            let fields: String = fields.iter().map(entry_text).collect();
            format!("{}{name} = TypedDict(\"{name}\", {{\n{fields}}})\n", comment(description, ""))
        }
        Shape::Record(fields) => {
            let fields: String = fields.iter().map(field_text).collect();
            format!("\n{}{fields}", class(name, "TypedDict", description))
        }
        Shape::Enum { values, .. } => {
            let values: String = values.iter().map(value_text).collect();
            format!("{}{name} = Literal[\n{values}] | str\n", comment(description, ""))
        }
        Shape::Events(types) => events_text(types),
        Shape::LaterEvent => {
            format!("\n{}\n    type: str\n", class(name, "TypedDict", description))
        }
    }
}

fn class(name: &str, base: &str, description: &str) -> String {
    format!("class {name}({base}):\n    \"\"\"{description}\"\"\"\n")
}

fn field_text(field: &Field) -> String {
    format!("\n{}    {}: {}\n", field_comment(field), field.name, field_type(field))
}

fn entry_text(field: &Field) -> String {
    format!("{}    \"{}\": {},\n", field_comment(field), field.name, field_type(field))
}

fn field_comment(field: &Field) -> String {
    match field.default {
        Some(default) => comment(&format!("{} Default: {default}.", field.description), "    "),
        None => comment(field.description, "    "),
    }
}

fn field_type(field: &Field) -> String {
    let null = if field.nullable { " | None" } else { "" };
    let kind = format!("{}{null}", kind_text(&field.kind));
    if field.required { kind } else { format!("NotRequired[{kind}]") }
}

fn value_text(name: &EnumValue) -> String {
    format!("{}    \"{}\",\n", comment(name.description, "    "), name.name)
}

/// One class for each event, its payload plus `type`; then the union of all.
fn events_text(types: &[EventType]) -> String {
    let mut text = String::new();
    for event in types {
        let class = class(&event_class(event), event.payload, event.description);
        text += &format!("\n{class}\n    type: Literal[\"{}\"]\n\n", event.name);
    }
    let union: String =
        types.iter().map(|event| format!("    | {}\n", event_class(event))).collect();
    let values: String = types.iter().map(|event| format!("    \"{}\",\n", event.name)).collect();
    let union = union.trim_start().trim_start_matches("| ");
    text += &format!(
        "\n# An event of this version; `type` discriminates them.\nKnownEvent = (\n    {union})\n\n\
         # What happened: an event of this version or of a later one.\n\
         Event = KnownEvent | UnknownEvent\n\n\
         EventType = Literal[\n{values}]\n\n\
         # The event types of this version.\n\
         EVENT_TYPES: Final[tuple[str, ...]] = get_args(EventType)\n\n\n\
         def is_known_event(event: Event) -> TypeGuard[KnownEvent]:\n    \
         \"\"\"Whether an event is of this version; then `type` narrows its type.\"\"\"\n    \
         return event[\"type\"] in EVENT_TYPES\n"
    );
    text
}

/// `text_delta` is the class `EventTextDelta`.
fn event_class(event: &EventType) -> String {
    let capital = |part: &str| part[..1].to_uppercase() + &part[1..];
    event.name.split('_').fold("Event".to_owned(), |name, part| name + &capital(part))
}

fn kind_text(kind: &Kind) -> String {
    match kind {
        Kind::Text => "str".to_owned(),
        Kind::Integer { .. } => "int".to_owned(),
        Kind::Number => "float".to_owned(),
        Kind::Boolean => "bool".to_owned(),
        Kind::Anything => "Any".to_owned(),
        Kind::AnyObject => "dict[str, Any]".to_owned(),
        Kind::MapOf(kind) => format!("dict[str, {}]", kind_text(kind)),
        Kind::ListOf(kind) => format!("list[{}]", kind_text(kind)),
        Kind::Reference(name) => (*name).to_owned(),
    }
}

fn tables(contract: &Contract) -> String {
    let codes: String = (contract.errors)()
        .iter()
        .map(|row| format!("{}    \"{}\": {},\n", comment(row.summary, "    "), row.kind, row.code))
        .collect();
    let methods: String = contract
        .methods
        .iter()
        .map(|method| {
            let head = comment(method.summary, "    ");
            format!("{head}    \"{}\": ({}, {}),\n", method.name, method.params, method.result)
        })
        .collect();
    format!(
        "\n# The JSON-RPC code of each kind.\nERROR_CODES: Final[dict[str, int]] = {{\n{codes}}}\n\
         \n# What {} calls: parameters and result of each method.\n\
         METHODS: Final[dict[str, tuple[Any, Any]]] = {{\n{methods}}}\n",
        contract.caller
    )
}

/// The type of a function that calls any method: each method's own parameters and result.
/// The parameters are optional if all of their fields are.
fn calls(contract: &'static Contract) -> String {
    let overloads = contract.methods.iter().map(|method| {
        let null = if method.nullable { " | None" } else { "" };
        let is_demanding = contract.record_fields(method.params).iter().any(|field| field.required);
        let default = if is_demanding { "" } else { " = ..." };
        format!(
            "\n    @overload\n    def __call__(\n        self, method: Literal[\"{}\"], params: {}{default}, /\n    \
             ) -> {}{null}: ...\n",
            method.name, method.params, method.result
        )
    });
    let class = class("Calls", "Protocol", "A function that calls a method by its name.");
    overloads.fold(format!("\n\n{class}"), |text, overload| text + &overload)
}

fn comment(text: &str, indent: &str) -> String {
    format!("{indent}# {text}\n")
}
