//! The changes that fit the type of a field.

use serde_json::{Value, json};

use super::fault::{Change, Place};
use super::schema_fields::{Field, FieldKind};
use super::text_loss::TextLoss;

/// The text that replaces every text of a field.
pub(super) const CONSTANT_TEXT: &str = "generated";

/// A value that no enumeration of this version contains.
const LATER_VALUE: &str = "of_a_later_version";

/// Fields that carry text of the agent or the user unchanged.
const CONTENT_FIELDS: [&str; 3] = ["text", "output", "input"];

/// The changes of a field, each with the last part of the fault's name.
pub(super) fn changes(place: &Place, field: &Field) -> Vec<(String, Change)> {
    let mut changes = absences(place, field);
    let mut add = |name: &str, change: Change| changes.push((name.to_owned(), change));
    match &field.kind {
        FieldKind::Text => {
            add("constant", Change::Constant(CONSTANT_TEXT.into()));
            add("empty", Change::Empty);
            add("cut_last", Change::CutLast);
        }
        FieldKind::Integer => {
            if !is_time(field) {
                add("add_one", Change::Add(1));
            }
            add("zero", Change::Constant(0.into()));
            add("times_1000", Change::Multiply(1000));
            if is_time(field) {
                add("divided_by_1000", Change::Divide(1000));
            }
            add("negative", Change::Negate);
        }
        FieldKind::Number => {
            add("doubled", Change::Multiply(2));
            add("zero", Change::Constant(json!(0.0)));
        }
        FieldKind::Boolean => add("flipped", Change::Flip),
        FieldKind::Enumeration(values) => changes.extend(other_values(values)),
        FieldKind::List => {
            add("empty", Change::Empty);
            add("drop_last", Change::DropLast);
            add("reversed", Change::Reverse);
        }
        // Its fields have their own faults, and without them it can mean the same.
        FieldKind::Object => {}
        FieldKind::Map => add("empty", Change::Empty),
        FieldKind::Anything => {
            add("constant", Change::Constant(CONSTANT_TEXT.into()));
            add("empty", Change::Empty);
        }
    }
    if can_be_stale(place, field) {
        changes.push(("first_again".to_owned(), Change::KeepFirst));
    }
    if is_content(place, field) {
        changes.push(("trimmed".to_owned(), Change::Trim));
        let losses = TextLoss::ALL.into_iter();
        changes.extend(losses.map(|(loss, name)| (name.to_owned(), Change::Loss(loss))));
    }
    changes
}

/// Absent and null. An adapter that ignores a parameter behaves as if it were absent.
fn absences(place: &Place, field: &Field) -> Vec<(String, Change)> {
    let drop = ("drop".to_owned(), Change::Drop { default: field.default.clone() });
    let is_entry = field.path.last().is_some_and(|name| name.starts_with(['[', '{']));
    match place {
        _ if is_entry => Vec::new(),
        Place::Request(_) if field.is_required => Vec::new(),
        Place::Request(_) => vec![drop],
        _ => vec![drop, ("null".to_owned(), Change::Null)],
    }
}

/// One fault per value, and one for a value that the protocol does not define.
fn other_values(values: &[String]) -> Vec<(String, Change)> {
    let next = values.iter().cycle().skip(1);
    let replaced = values.iter().zip(next).map(|(from, to)| {
        let change = Change::Replace { from: from.as_str().into(), to: to.as_str().into() };
        (format!("{from}_as_{to}"), change)
    });
    let later = ("later_value".to_owned(), Change::Constant(LATER_VALUE.into()));
    replaced.chain([later]).collect()
}

/// Times and durations are measured, so a small difference is not a fault.
fn is_time(field: &Field) -> bool {
    let name = field.path.last().map_or("", String::as_str);
    name == "ts" || name.ends_with("Ms") || name.ends_with("At")
}

/// A value of an earlier run or call. The times of two runs hardly differ.
fn can_be_stale(place: &Place, field: &Field) -> bool {
    let is_in_list = field.path.iter().any(|name| name.starts_with(['[', '{']));
    let is_duration = is_time(field) && field.path != ["ts"];
    let is_value = !matches!(field.kind, FieldKind::Object | FieldKind::Map);
    let repeats = !matches!(place, Place::Manifest | Place::Request(_) | Place::Error(_));
    repeats && is_value && !is_in_list && !is_duration
}

fn is_content(place: &Place, field: &Field) -> bool {
    let names: Vec<&str> = field.path.iter().map(String::as_str).collect();
    match (place, names.as_slice()) {
        (Place::Event(_), [name]) => CONTENT_FIELDS.contains(name),
        (Place::Request(_), ["prompt", "text"] | ["text"]) => true,
        _ => false,
    }
}

/// The changed value is one that the field already means when it is absent or null.
pub(super) fn is_absence(change: &Change) -> bool {
    matches!(change, Change::Drop { .. } | Change::Null)
}

/// The default as a value that differs from it, for rules about absent fields.
pub(super) fn has_default(change: &Change) -> bool {
    matches!(change, Change::Drop { default: Some(default) } if *default != Value::Null)
}
