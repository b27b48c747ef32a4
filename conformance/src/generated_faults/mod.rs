//! Faults that are derived from the schema and applied where the messages of an adapter pass.
//!
//! For each event type, result, error, manifest field and parameter of the schema there are faults
//! that drop, alter, repeat, hold back or reorder exactly this one thing. A new field of the schema
//! brings its faults by itself. The reference adapter passes every line that it reads or writes
//! through [`incoming`] and [`outgoing`]; a file beside its executable names the alterations.
//!
//! This module contains the catalogue and the alterations. Which checks find which fault is
//! determined by `self_test/generated`.
//!
//! | file | contents |
//! |---|---|
//! | `fault` | what a fault is: alterations of places, its chapter, and whether the specification forbids it |
//! | `schema_fields` | the fields of a definition of the schema, with their types |
//! | `catalogue`, `field_changes` | every fault, and the changes that fit the type of a field |
//! | `legality` | the rules and exceptions for what the specification allows |
//! | `legal_variants` | what a right but different adapter does, which no check may find |
//! | `value_change`, `text_loss` | alters one value |
//! | `event_order` | drops, repeats, holds back and reorders events, and numbers them again |
//! | `line_change` | alters the bytes of a line, or adds lines |
//! | `message` | what a line of the adapter is |
//! | `boundary` | the two directions of one adapter process |
//! | `reach_record` | which faults would alter a message of this process |

mod boundary;
mod catalogue;
mod event_order;
mod fault;
mod field_changes;
mod legal_variants;
mod legality;
mod line_change;
mod message;
mod reach_record;
mod schema_fields;
mod text_loss;
mod value_change;

pub use boundary::{ALTERATIONS_FILE, begin, incoming, manifest, outgoing};
pub use catalogue::catalogue;
pub use fault::{
    Alteration, Change, Chapter, GeneratedFault, LineChange, MessageChange, Place, Verdict,
};
pub use legal_variants::{LegalVariant, legal_variants};
pub use reach_record::REACHED_FOLDER;
