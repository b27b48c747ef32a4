//! The output `text`: the last message that counts, and nothing else.

use od_host::run;
use od_protocol::Event;

use crate::cli::terminal::sanitize;

/// Keeps the last message, without what would steer a terminal.
#[derive(Debug, Default)]
pub(crate) struct FinalText(run::FinalText);

impl FinalText {
    pub(crate) fn on_event(&mut self, event: &Event) {
        self.0.on_event(event);
    }

    /// The text, ending in one line end; empty when the agent said nothing.
    pub(crate) fn text(&self) -> String {
        match sanitize(self.0.text()).trim() {
            "" => String::new(),
            text => format!("{text}\n"),
        }
    }
}
