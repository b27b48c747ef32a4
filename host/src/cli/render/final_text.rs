//! The output format `text`: only the last message that was not discarded.

use od_host::run;
use od_protocol::Event;

use crate::cli::terminal::sanitize;

/// Keeps the last message, without terminal control sequences.
#[derive(Debug, Default)]
pub(crate) struct FinalText(run::FinalText);

impl FinalText {
    pub(crate) fn on_event(&mut self, event: &Event) {
        self.0.on_event(event);
    }

    /// The text with one line end; empty when there was no message.
    pub(crate) fn text(&self) -> String {
        match sanitize(self.0.text()).trim() {
            "" => String::new(),
            text => format!("{text}\n"),
        }
    }
}
