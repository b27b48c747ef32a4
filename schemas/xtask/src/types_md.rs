//! `types.md`: every type and every enumerated value, for people.

use crate::contract::Contract;
use crate::markdown::{Place, code, fields, linked, table};
use crate::shape::{Definition, EnumValue, EventType, Shape};

pub fn generate(contract: &'static Contract) -> String {
    contract.all().iter().fold(head(contract), |text, definition| text + &section(definition))
}

fn head(contract: &Contract) -> String {
    let (title, page) = (contract.versioned_title(), contract.specification);
    let link = format!("{}{page}", contract.to_root());
    format!(
        "# The types of the {title}\n\n\
         Generated from schema.json: do not edit. The specification is\n[`{page}`]({link}). \
         A field with a question mark may be absent;\nnull means the same.\n"
    )
}

fn section(definition: &Definition) -> String {
    let Definition { name, description, shape } = definition;
    let body = match shape {
        Shape::Record(members) if members.is_empty() => "\nAn object without fields.\n".to_owned(),
        Shape::Record(_) => fields(definition, Place::Types),
        Shape::Enum { values, fallback } => values_text(values, *fallback),
        Shape::Events(types) => events(types),
        Shape::LaterEvent => "\nAn object with another `type`.\n".to_owned(),
    };
    format!("\n## {name}\n\n{description}\n{}\n", body.trim_end())
}

fn values_text(values: &[EnumValue], fallback: Option<&str>) -> String {
    let rows = values.iter().map(|name| [code(name.name), name.description.to_owned()]).collect();
    let last = match fallback {
        Some(name) => format!("An unknown value means `{name}`.\n"),
        None => "A value of a later version or of a vendor is kept unchanged.\n".to_owned(),
    };
    table(["value", ""], rows) + &last
}

fn events(types: &[EventType]) -> String {
    let rows = types.iter().map(|event| {
        [code(event.name), linked(event.payload, Place::Types), event.description.to_owned()]
    });
    table(["type", "payload", ""], rows.collect())
}
