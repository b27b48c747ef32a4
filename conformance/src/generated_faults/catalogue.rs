//! Every fault: derived from the definitions of the schema and the table of methods.

use od_protocol::ErrorKind;
use od_protocol::adapter::METHODS;

use super::fault::{Alteration, Change, Chapter, GeneratedFault, LineChange, MessageChange, Place};
use super::field_changes::changes;
use super::legality::verdict;
use super::schema_fields::{Definitions, Field};

/// Responses of methods with a longer limit are not delayed, because a check waits for them.
const MAX_DELAYED_LIMIT_MS: u64 = 5_000;

/// A late response takes this many times the limit of its method.
const DELAY_FACTOR: u64 = 4;

/// Event types that only a host sends.
const HOST_EVENTS: [&str; 1] = ["agent_switched"];

/// Error kinds that only a host uses.
const HOST_KINDS: [&str; 2] = ["plugin_crashed", "plugin_hung"];

/// Returns every fault of the catalogue.
pub fn catalogue() -> Vec<GeneratedFault> {
    let definitions = Definitions::frozen();
    let mut faults = Vec::new();
    for (event_type, definition) in definitions.events() {
        if !HOST_EVENTS.contains(&event_type.as_str()) {
            add_event(&definitions, event_type, &definition, &mut faults);
        }
    }
    add_fields(&Place::Envelope, &envelope_fields(&definitions), &mut faults);
    for method in METHODS {
        let result = Place::Result(method.name.to_owned());
        add_response(&result, method.limit_ms, &mut faults);
        add_fields(&result, &definitions.fields(method.result), &mut faults);
        let request = Place::Request(method.name.to_owned());
        add_fields(&request, &definitions.fields(method.params), &mut faults);
    }
    add_errors(&definitions, &mut faults);
    add_fields(&Place::Manifest, &definitions.fields("Manifest"), &mut faults);
    for (name, change) in FORBIDDEN_LINES {
        add(&Place::Line, &[], name, Change::Line(*change), None, &mut faults);
    }
    faults
}

/// Changes of lines that the specification forbids.
const FORBIDDEN_LINES: &[(&str, LineChange)] = &[
    ("byte_order_mark", LineChange::ByteOrderMark),
    ("invalid_utf8", LineChange::InvalidUtf8),
    ("fractions", LineChange::Fractions),
    ("exponents", LineChange::Exponents),
    ("several_lines", LineChange::SeveralLines),
    ("batch", LineChange::Batch),
    ("stray_line", LineChange::StrayLine),
    ("no_version", LineChange::NoVersion),
    ("other_version", LineChange::OtherVersion),
    ("text_id", LineChange::TextId),
    ("no_id", LineChange::NoId),
    ("own_request", LineChange::OwnRequest),
    ("undefined_notification", LineChange::UndefinedNotification),
    ("stray_response", LineChange::StrayResponse),
    ("result_and_error", LineChange::ResultAndError),
];

fn add_event(
    definitions: &Definitions,
    event_type: String,
    definition: &str,
    faults: &mut Vec<GeneratedFault>,
) {
    let place = Place::Event(event_type);
    let changes = [
        ("drop", MessageChange::Drop),
        ("repeat", MessageChange::Repeat),
        ("hold_back", MessageChange::HoldBack),
        ("swap_with_next", MessageChange::SwapWithNext),
    ];
    for (name, change) in changes {
        add(&place, &[], name, Change::Message(change), None, faults);
    }
    let fields = definitions.fields(definition);
    // The kinds of errors have faults that keep `error` and `done` consistent.
    let is_kind = |field: &Field| field.path == ["kind"] || field.path == ["errorKind"];
    let (kinds, others): (Vec<Field>, Vec<Field>) = fields.into_iter().partition(is_kind);
    add_fields(&place, &others, faults);
    if !is_error_place(&place) {
        add_fields(&place, &kinds, faults);
    }
}

fn is_error_place(place: &Place) -> bool {
    matches!(place, Place::Event(event_type) if event_type == "error" || event_type == "done")
}

fn envelope_fields(definitions: &Definitions) -> Vec<Field> {
    let fields = definitions.fields("RunEventParams").into_iter();
    fields.filter(|field| field.path != ["event"]).collect()
}

fn add_response(place: &Place, limit_ms: u64, faults: &mut Vec<GeneratedFault>) {
    let changes = [
        ("no_response", MessageChange::Drop),
        ("second_response", MessageChange::Repeat),
        ("other_id", MessageChange::OtherId),
        ("internal_error", MessageChange::InternalError),
        ("late", MessageChange::Delay(limit_ms * DELAY_FACTOR)),
    ];
    for (name, change) in changes {
        if name != "late" || limit_ms <= MAX_DELAYED_LIMIT_MS {
            add(place, &[], name, Change::Message(change), None, faults);
        }
    }
}

fn add_fields(place: &Place, fields: &[Field], faults: &mut Vec<GeneratedFault>) {
    for field in fields {
        for (name, change) in changes(place, field) {
            add(place, &field.path, &name, change, Some(field), faults);
        }
    }
}

/// The faults of each kind of error: another kind, another code, and each field of the error object.
fn add_errors(definitions: &Definitions, faults: &mut Vec<GeneratedFault>) {
    let fields: Vec<Field> = definitions
        .fields("ErrorObject")
        .into_iter()
        .filter(|field| field.path != ["data", "kind"])
        .collect();
    for kind in definitions.values("ErrorKind") {
        if HOST_KINDS.contains(&kind.as_str()) {
            continue;
        }
        let of_kind = fields.iter().filter(|field| belongs_to_kind(field, &kind)).cloned();
        add_fields(&Place::Error(kind.clone()), &of_kind.collect::<Vec<_>>(), faults);
        faults.push(other_response_kind(&kind));
        faults.push(other_event_kind(&kind));
    }
}

/// Some details exist only with some kinds.
fn belongs_to_kind(field: &Field, kind: &str) -> bool {
    match field.path.get(1).map(String::as_str) {
        Some("which") => matches!(kind, "capability_unsupported" | "timeout"),
        Some("supported") => kind == "unsupported_protocol",
        _ => true,
    }
}

fn other_response_kind(kind: &str) -> GeneratedFault {
    let other = if kind == "internal" { ErrorKind::InvalidParams } else { ErrorKind::Internal };
    let alteration = |path: &[&str], value: serde_json::Value| Alteration {
        place: Place::Error(kind.to_owned()),
        path: path.iter().map(|name| (*name).to_owned()).collect(),
        change: Change::Constant(value),
    };
    GeneratedFault {
        name: format!("error.{kind}.as_{}", other.as_str()),
        chapter: Chapter::ErrorsAndUsage,
        alterations: vec![
            alteration(&["data", "kind"], other.as_str().into()),
            alteration(&["code"], other.code().into()),
        ],
        verdict: verdict(&format!("error.{kind}.as_{}", other.as_str()), None, None),
        is_optional: false,
    }
}

fn other_event_kind(kind: &str) -> GeneratedFault {
    let other = if kind == "cli_crashed" { ErrorKind::Internal } else { ErrorKind::CliCrashed };
    let alteration = |event_type: &str, field: &str| Alteration {
        place: Place::Event(event_type.to_owned()),
        path: vec![field.to_owned()],
        change: Change::Replace { from: kind.into(), to: other.as_str().into() },
    };
    GeneratedFault {
        name: format!("event.error.kind.{kind}_as_{}", other.as_str()),
        chapter: Chapter::ErrorsAndUsage,
        alterations: vec![alteration("error", "kind"), alteration("done", "errorKind")],
        verdict: verdict(&format!("event.error.kind.{kind}_as_{}", other.as_str()), None, None),
        is_optional: false,
    }
}

fn add(
    place: &Place,
    path: &[String],
    name: &str,
    change: Change,
    field: Option<&Field>,
    faults: &mut Vec<GeneratedFault>,
) {
    let parts: Vec<String> = [vec![place.name()], path.to_vec(), vec![name.to_owned()]].concat();
    let name = parts.join(".");
    faults.push(GeneratedFault {
        verdict: verdict(&name, field, Some(&change)),
        chapter: Chapter::of(place, path),
        is_optional: field.is_some_and(|field| field.may_be_absent),
        alterations: vec![Alteration { place: place.clone(), path: path.to_vec(), change }],
        name,
    });
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::fault::Verdict;
    use super::*;

    #[test]
    fn names_are_unique_and_cover_chapters() {
        let faults = catalogue();
        let names: BTreeSet<&str> = faults.iter().map(|fault| fault.name.as_str()).collect();
        assert_eq!(names.len(), faults.len());
        for chapter in Chapter::ALL {
            let is_of = |fault: &&GeneratedFault| fault.chapter == chapter;
            let forbidden =
                faults.iter().filter(is_of).filter(|fault| fault.verdict == Verdict::Forbidden);
            assert!(forbidden.count() > 10, "{chapter:?}");
        }
    }

    #[test]
    fn every_event_type_has_faults() {
        let faults = catalogue();
        for (event_type, _) in Definitions::frozen().events() {
            let prefix = format!("event.{event_type}.");
            let count = faults.iter().filter(|fault| fault.name.starts_with(&prefix)).count();
            assert_eq!(count > 4, !HOST_EVENTS.contains(&event_type.as_str()), "{event_type}");
        }
    }
}
