//! `types.md`: every type and every word, for people.

use super::committed::check;
use super::markdown::{Place, code, fields, linked, table};
use super::shape::{self, Definition, EventType, Shape, Word};

const HEAD: &str = "\
# The types of the OD adapter protocol, version 1

Generated from schema.json: do not edit. The specification is
[`protocol/README.md`](../../protocol/README.md). A field with a question mark may be absent, and
null there means the same.
";

fn generate() -> String {
    shape::all().iter().fold(HEAD.to_owned(), |text, definition| text + &section(definition))
}

fn section(definition: &Definition) -> String {
    let Definition { name, description, shape } = definition;
    let body = match shape {
        Shape::Record(members) if members.is_empty() => "\nAn object without fields.\n".to_owned(),
        Shape::Record(_) => fields(definition, Place::Types),
        Shape::Words { words, fallback } => words_text(words, *fallback),
        Shape::Events(types) => events(types),
        Shape::LaterEvent => "\nAn object with another `type`.\n".to_owned(),
    };
    format!("\n## {name}\n\n{description}\n{}\n", body.trim_end())
}

fn words_text(words: &[Word], fallback: Option<&str>) -> String {
    let rows = words.iter().map(|word| [code(word.word), word.description.to_owned()]).collect();
    let last = match fallback {
        Some(word) => format!("A word of a later version is read as `{word}`.\n"),
        None => "A word of a later version, or of a vendor, is kept as it is.\n".to_owned(),
    };
    table(["word", ""], rows) + &last
}

fn events(types: &[EventType]) -> String {
    let rows = types.iter().map(|event| {
        [code(event.word), linked(event.payload, Place::Types), event.description.to_owned()]
    });
    table(["type", "payload", ""], rows.collect())
}

#[test]
fn types_md_is_current() {
    check("schemas/v1/types.md", &generate());
}
