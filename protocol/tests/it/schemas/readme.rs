//! `protocol/README.md`: the tables between its markers, made from the types; and its session,
//! read line by line.

use od_protocol::environment::{ALLOWED_NAMES, ALLOWED_PREFIXES, FIXED, NESTING_MARKERS};
use od_protocol::{ErrorKind, METHODS};

use super::committed::{check, repository};
use super::markdown::{Place, code, field_name, fields, link, linked, table};
use super::marked::regenerate;
use super::methods::NOTIFICATIONS;
use super::shape::{self, Definition, Shape};

const FILE: &str = "protocol/README.md";

/// The committed text.
pub(crate) fn text() -> String {
    let text =
        std::fs::read_to_string(repository().join(FILE)).expect("the specification is there");
    text.replace("\r\n", "\n")
}

fn part(wanted: &str) -> String {
    match wanted {
        "methods" => methods(),
        "notifications" => notifications(),
        "events" => events(),
        "words" => words(),
        "errors" => errors(),
        "environment" => environment(),
        _ => {
            let names = wanted.strip_prefix("fields ").expect("a known part");
            names.split(' ').map(|name| titled(&shape::definition(name))).collect()
        }
    }
}

fn methods() -> String {
    let rows = METHODS.iter().map(|method| {
        let null = if method.nullable { " or null" } else { "" };
        let grace = if method.name == "shutdown" { "grace + " } else { "" };
        [
            code(method.name),
            method.gate.map(code).unwrap_or_default(),
            linked(method.params, Place::Specification),
            format!("{}{null}", linked(method.result, Place::Specification)),
            format!("{grace}{} s", method.limit().as_secs()),
            method.summary.to_owned(),
        ]
    });
    table(["method", "gate", "parameters", "result", "limit", ""], rows.collect())
}

fn notifications() -> String {
    let rows = NOTIFICATIONS.iter().map(|entry| {
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
    let rows = shape::event_types().into_iter().map(|event| {
        let fields = shape::record_fields(event.payload);
        let names: Vec<String> = fields.iter().map(field_name).collect();
        let word = link(event.word, event.payload, Place::Specification);
        [word, names.join(", "), event.description.to_owned()]
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

fn words() -> String {
    let rows = shape::all().into_iter().filter_map(|definition| {
        let Shape::Words { words, fallback: Some(fallback) } = definition.shape else {
            return None;
        };
        let words: Vec<String> = words.iter().map(|word| code(word.word)).collect();
        Some([code(definition.name), words.join(" "), code(fallback)])
    });
    table(["set", "words", "an unknown word is read as"], rows.collect())
}

fn errors() -> String {
    let rows = ErrorKind::KNOWN
        .iter()
        .map(|kind| [kind.code().to_string(), code(kind.as_str()), kind.summary().to_owned()]);
    table(["code", "kind", ""], rows.collect())
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
            row("cross when set", format!("{} {}", listed(ALLOWED_NAMES), prefixes.join(" "))),
            row("always set", fixed.join(" ")),
            row("never cross: they say that a CLI runs inside another", listed(NESTING_MARKERS)),
        ],
    )
}

#[test]
fn the_tables_of_the_specification_are_current() {
    check(FILE, &regenerate(&text(), part));
}
