//! Lines of `parrot` that this adapter does not map: unknown types and noise.

use od_protocol::{ErrorEvent, ErrorKind, Event, StopReason, Unmapped};

use super::events::{Events, FinalMessage};
use super::fault::Fault;
use super::redact::redact;

/// Further unknown types are counted under one name.
const MAX_UNMAPPED_TYPES: usize = 32;
/// The maximum length of a sample.
const MAX_SAMPLE_CHARS: usize = 200;

impl Events {
    pub(super) fn on_unmapped(&mut self, native_type: String, line: &str, out: &mut Vec<Event>) {
        if self.behaviour.has(Fault::MissingFieldDies) && is_known(&native_type) {
            std::process::exit(101);
        }
        if self.behaviour.has(Fault::UnknownFatal) {
            let text = format!("unknown message {native_type}");
            self.final_message =
                Some(FinalMessage::Failed(ErrorEvent::fatal(ErrorKind::CliProtocol, text)));
            return;
        }
        let native_type = match self.unmapped.len() < MAX_UNMAPPED_TYPES {
            true if self.behaviour.has(Fault::UnmappedTogether) => "unknown".to_owned(),
            true => native_type,
            false => "(others)".to_owned(),
        };
        let sample = match self.behaviour.has(Fault::UnmappedWithSecret) {
            true => line.to_owned(),
            false => redact(line, &self.secrets),
        };
        let unmapped = self.unmapped.entry(native_type.clone()).or_insert_with(|| Unmapped {
            native_type,
            sample: sample.chars().take(MAX_SAMPLE_CHARS).collect(),
            count: 0,
        });
        unmapped.count += 1;
        if unmapped.count == 1 || self.behaviour.has(Fault::UnmappedEachTime) {
            out.push(Event::Unmapped(unmapped.clone()));
        }
    }

    pub(super) fn on_noise(&mut self, line: &str) {
        if self.behaviour.has(Fault::DamageDies) && line.starts_with(r#"{"t":"#) {
            std::process::exit(101);
        }
        if self.behaviour.has(Fault::TornEndIsEnd) && line.starts_with(r#"{"t":"end""#) {
            self.final_message = Some(FinalMessage::Completed(StopReason::EndTurn));
            return;
        }
        if self.behaviour.has(Fault::DieOnGarbage) {
            let text = format!("no JSON: {}", line.chars().take(80).collect::<String>());
            self.final_message =
                Some(FinalMessage::Failed(ErrorEvent::fatal(ErrorKind::CliProtocol, text)));
        }
    }
}

/// Whether the type is known.
fn is_known(native_type: &str) -> bool {
    matches!(
        native_type,
        "hello" | "think" | "say" | "tool" | "tool_out" | "file" | "ask" | "usage"
    )
}
