//! Lines of `parrot` that say nothing to this adapter: of a type it does not know, or no message at
//! all. They change nothing.

use od_protocol::{ErrorEvent, ErrorKind, Event, StopReason, Unmapped};

use super::events::{CheckOutcome, Events};
use super::fault::Fault;
use super::redact::redact;

/// More unknown types than this are counted under one name.
const UNMAPPED_TYPES: usize = 32;
/// How much of an unknown line is shown.
const SAMPLE_CHARACTERS: usize = 200;

impl Events {
    pub(super) fn on_unmapped(&mut self, native_type: String, line: &str, out: &mut Vec<Event>) {
        if self.behaviour.has(Fault::MissingFieldDies) && is_known(&native_type) {
            std::process::exit(101);
        }
        if self.behaviour.has(Fault::UnknownFatal) {
            let text = format!("unknown message {native_type}");
            self.verdict =
                Some(CheckOutcome::Failed(ErrorEvent::fatal(ErrorKind::CliProtocol, text)));
            return;
        }
        let native_type = match self.unmapped.len() < UNMAPPED_TYPES {
            true => native_type,
            false => "(others)".to_owned(),
        };
        let unmapped = self.unmapped.entry(native_type.clone()).or_insert_with(|| Unmapped {
            native_type,
            sample: redact(line, &self.secrets).chars().take(SAMPLE_CHARACTERS).collect(),
            count: 0,
        });
        unmapped.count += 1;
        if unmapped.count == 1 {
            out.push(Event::Unmapped(unmapped.clone()));
        }
    }

    pub(super) fn on_noise(&mut self, line: &str) {
        if self.behaviour.has(Fault::DamageDies) && line.starts_with(r#"{"t":"#) {
            std::process::exit(101);
        }
        if self.behaviour.has(Fault::TornEndIsEnd) && line.starts_with(r#"{"t":"end""#) {
            self.verdict = Some(CheckOutcome::Completed(StopReason::EndTurn));
            return;
        }
        if self.behaviour.has(Fault::DieOnGarbage) {
            let text = format!("no JSON: {}", line.chars().take(80).collect::<String>());
            self.verdict =
                Some(CheckOutcome::Failed(ErrorEvent::fatal(ErrorKind::CliProtocol, text)));
        }
    }
}

/// Whether `parrot` has lines of this type.
fn is_known(native_type: &str) -> bool {
    matches!(
        native_type,
        "hello" | "think" | "say" | "tool" | "tool_out" | "file" | "ask" | "usage"
    )
}
