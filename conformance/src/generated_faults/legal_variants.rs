//! What a right but different adapter does. No check may find a difference.

use super::catalogue::catalogue;
use super::fault::{Alteration, Change, GeneratedFault, LineChange, MessageChange, Place, Verdict};
use super::field_changes::{CONSTANT_TEXT, is_absence};

/// A legal difference from the reference adapter.
#[derive(Debug, Clone)]
pub struct LegalVariant {
    /// Its name, such as `legal.carriage_return`.
    pub name: &'static str,
    /// What it alters.
    pub alterations: Vec<Alteration>,
}

/// Returns every legal variant.
pub fn legal_variants() -> Vec<LegalVariant> {
    let faults = catalogue();
    let lines = LEGAL_LINES
        .iter()
        .map(|(name, change)| LegalVariant { name, alterations: vec![line(*change)] });
    let split = ["text_delta", "thinking_delta"].map(|event_type| Alteration {
        place: Place::Event(event_type.to_owned()),
        path: Vec::new(),
        change: Change::Message(MessageChange::SplitText),
    });
    let of_faults = [
        LegalVariant { name: "legal.split_texts", alterations: split.to_vec() },
        LegalVariant {
            name: "legal.optional_fields_absent",
            alterations: legal(&faults, |change| matches!(change, Change::Drop { .. })),
        },
        LegalVariant { name: "legal.optional_fields_null", alterations: nulls(&faults) },
        LegalVariant {
            name: "legal.other_texts_for_people",
            alterations: legal(&faults, |change| *change == Change::Constant(CONSTANT_TEXT.into())),
        },
        LegalVariant { name: "legal.optional_events_absent", alterations: absent_events(&faults) },
    ];
    lines.chain(of_faults).collect()
}

const LEGAL_LINES: &[(&str, LineChange)] = &[
    ("legal.carriage_return", LineChange::CarriageReturn),
    ("legal.blank_lines", LineChange::BlankLine),
    ("legal.spaces", LineChange::Spaces),
    ("legal.member_order", LineChange::MemberOrder),
    ("legal.escapes", LineChange::Escapes),
    ("legal.unknown_members", LineChange::UnknownMembers),
    ("legal.custom_data", LineChange::Meta),
    ("legal.vendor_notification", LineChange::VendorNotification),
    ("legal.unknown_event", LineChange::UnknownEvent),
    ("legal.heartbeats", LineChange::Heartbeats),
    ("legal.other_id_form", LineChange::OtherIdForm),
    ("legal.slow_responses", LineChange::SlowResponses),
];

fn line(change: LineChange) -> Alteration {
    Alteration { place: Place::Line, path: Vec::new(), change: Change::Line(change) }
}

fn legal(faults: &[GeneratedFault], is_wanted: impl Fn(&Change) -> bool) -> Vec<Alteration> {
    let of_adapter = |place: &Place| !matches!(place, Place::Request(_));
    let alterations = faults
        .iter()
        .filter(|fault| matches!(fault.verdict, Verdict::Legal(_)))
        .flat_map(|fault| &fault.alterations);
    alterations
        .filter(|alteration| of_adapter(&alteration.place) && is_wanted(&alteration.change))
        .cloned()
        .collect()
}

/// Null instead of an absent field, where null and absent mean the same.
fn nulls(faults: &[GeneratedFault]) -> Vec<Alteration> {
    let mut alterations = legal(faults, |change| *change == Change::Null);
    for alteration in &mut alterations {
        alteration.change = Change::NullIfAbsent;
    }
    alterations
}

fn absent_events(faults: &[GeneratedFault]) -> Vec<Alteration> {
    let dropped = legal(faults, |change| *change == Change::Message(MessageChange::Drop));
    dropped.into_iter().filter(|alteration| !is_absence(&alteration.change)).collect()
}
