//! Markdown tables and links that the documents and `types.md` share.

use od_protocol::Method;

use crate::contract::ErrorRow;
use crate::shape::{Definition, Field, Kind, Shape};

/// The document that is written, which decides how links to types look.
#[derive(Debug, Clone, Copy)]
pub enum Place {
    /// The specification of the adapter protocol.
    Specification,
    /// The README of the host.
    HostPage,
    /// `types.md` itself.
    Types,
}

/// A table with a head.
pub fn table<const N: usize>(head: [&str; N], rows: Vec<[String; N]>) -> String {
    let row = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let rule = head.map(|_| "---".to_owned());
    let rows: String = rows.iter().map(|cells| row(cells)).collect();
    format!("\n{}{}{rows}\n", row(&head.map(str::to_owned)), row(&rule))
}

/// Text in backticks.
pub fn code(text: &str) -> String {
    format!("`{text}`")
}

/// The fields of a record as a table.
pub fn fields(definition: &Definition, place: Place) -> String {
    let Shape::Record(fields) = &definition.shape else {
        panic!("{} is not a record", definition.name)
    };
    let cells = |field: &Field| field_cells(field, place);
    table(["field", "type", ""], fields.iter().map(cells).collect())
}

fn field_cells(field: &Field, place: Place) -> [String; 3] {
    let text = match field.default {
        Some(default) => format!("{} Default: `{default}`.", field.description),
        None => field.description.to_owned(),
    };
    [code(&field_name(field)), kind(&field.kind, place), text]
}

/// A field that may be absent has a question mark.
pub fn field_name(field: &Field) -> String {
    format!("{}{}", field.name, if field.required { "" } else { "?" })
}

fn kind(kind_of_value: &Kind, place: Place) -> String {
    match kind_of_value {
        Kind::Text => "text".to_owned(),
        Kind::Integer { .. } => "integer".to_owned(),
        Kind::Number => "number".to_owned(),
        Kind::Boolean => "boolean".to_owned(),
        Kind::Anything => "anything".to_owned(),
        Kind::AnyObject => "object".to_owned(),
        Kind::MapOf(values) => format!("object of {}", kind(values, place)),
        Kind::ListOf(items) => format!("list of {}", kind(items, place)),
        Kind::Reference(name) => linked(name, place),
    }
}

/// A type's name as a link to its description.
pub fn linked(name: &str, place: Place) -> String {
    link(name, name, place)
}

/// A text as a link to the description of a type.
pub fn link(text: &str, name: &str, place: Place) -> String {
    let file = match place {
        Place::Specification => "../schemas/v1/types.md",
        Place::HostPage => "../schemas/api/v1/types.md",
        Place::Types => "",
    };
    format!("[`{text}`]({file}#{})", name.to_lowercase())
}

/// Error kinds as a table.
pub fn errors(rows: &[ErrorRow]) -> String {
    let cells = |row: &ErrorRow| [row.code.to_string(), code(row.kind), row.summary.to_owned()];
    table(["code", "kind", ""], rows.iter().map(cells).collect())
}

/// The type of a method's result, which may be null.
pub fn result(method: &Method, place: Place) -> String {
    let null = if method.nullable { " or null" } else { "" };
    format!("{}{null}", linked(method.result, place))
}
