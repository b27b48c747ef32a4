//! `types.md`: every type and every word, for people.

use super::committed::check;
use super::contract::{CONTRACTS, Contract};
use super::markdown::{Place, code, fields, linked, table};
use super::shape::{Definition, EventType, Shape, Word};

fn generate(contract: &'static Contract) -> String {
    contract.all().iter().fold(head(contract), |text, definition| text + &section(definition))
}

fn head(contract: &Contract) -> String {
    let (title, page) = (contract.versioned_title(), contract.specification);
    let link = format!("{}{page}", contract.to_root());
    format!(
        "# The types of the {title}\n\n\
         Generated from schema.json: do not edit. The specification is\n[`{page}`]({link}). \
         A field with a question mark may be absent, and\nnull there means the same.\n"
    )
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
    for contract in CONTRACTS {
        check(&contract.file("types.md"), &generate(contract));
    }
}
