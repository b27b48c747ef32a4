//! `protocol/README.md`: the tables between its markers, generated from the types.

use od_protocol::adapter::METHODS;
use od_protocol::environment::{ALLOWED_NAMES, ALLOWED_PREFIXES, FIXED};

use crate::contract::ADAPTER;
use crate::files::{GeneratedFile, read};
use crate::markdown::{self, Place, code, field_name, fields, link, linked, table};
use crate::markers;
use crate::shape::{Definition, Shape};

/// The committed text.
pub fn text() -> String {
    read(ADAPTER.specification)
}

/// The document with current tables.
pub fn file() -> GeneratedFile {
    markers::document(ADAPTER.specification, part)
}

fn part(wanted: &str) -> String {
    match wanted {
        "methods" => methods(),
        "notifications" => notifications(),
        "events" => events(),
        "enums" => enums(),
        "errors" => markdown::errors(&(ADAPTER.errors)()),
        "environment" => environment(),
        _ => {
            let names = wanted.strip_prefix("fields ").expect("a known part");
            names.split(' ').map(|name| titled(&ADAPTER.definition(name))).collect()
        }
    }
}

fn methods() -> String {
    let rows = METHODS.iter().map(|method| {
        let grace = if method.name == "shutdown" { "grace + " } else { "" };
        [
            code(method.name),
            method.gate.map(code).unwrap_or_default(),
            linked(method.params, Place::Specification),
            markdown::result(method, Place::Specification),
            format!("{grace}{} s", method.limit().as_secs()),
            method.summary.to_owned(),
        ]
    });
    table(["method", "gate", "parameters", "result", "limit", ""], rows.collect())
}

fn notifications() -> String {
    let rows = ADAPTER.notifications.iter().map(|entry| {
        [
            code(entry.name),
            entry.sender.to_owned(),
            linked(entry.params, Place::Specification),
            entry.summary.to_owned(),
        ]
    });
    table(["notification", "sent by the", "parameters", ""], rows.collect())
}

fn events() -> String {
    let rows = ADAPTER.event_types().into_iter().map(|event| {
        let fields = ADAPTER.record_fields(event.payload);
        let names: Vec<String> = fields.iter().map(field_name).collect();
        let name = link(event.name, event.payload, Place::Specification);
        [name, names.join(", "), event.description.to_owned()]
    });
    table(["type", "fields", ""], rows.collect())
}

fn titled(definition: &Definition) -> String {
    format!(
        "\n**{}.** {}\n{}",
        definition.name,
        definition.description,
        fields(definition, Place::Specification)
    )
}

fn enums() -> String {
    let rows = ADAPTER.all().into_iter().filter_map(|definition| {
        let Shape::Enum { values, fallback: Some(fallback) } = definition.shape else {
            return None;
        };
        let values: Vec<String> = values.iter().map(|name| code(name.name)).collect();
        Some([code(definition.name), values.join(" "), code(fallback)])
    });
    table(["enumeration", "values", "an unknown value means"], rows.collect())
}

fn environment() -> String {
    let listed = |names: &[&str]| names.iter().map(|name| code(name)).collect::<Vec<_>>().join(" ");
    let prefixes: Vec<String> =
        ALLOWED_PREFIXES.iter().map(|prefix| format!("`{prefix}*`")).collect();
    let fixed: Vec<String> =
        FIXED.iter().map(|(name, value)| format!("`{name}={value}`")).collect();
    let row = |name: &str, text: String| [name.to_owned(), text];
    table(
        ["", "variables"],
        vec![
            row("pass if set", format!("{} {}", listed(ALLOWED_NAMES), prefixes.join(" "))),
            row("always set", fixed.join(" ")),
        ],
    )
}
