//! The styles of the commands. `anstream` removes them where the output is not a terminal.

use std::fmt::Display;

use anstyle::{AnsiColor, Style};

/// Less important than the rest.
pub(crate) const DIM: Style = Style::new().dimmed();
/// A name or a heading.
pub(crate) const BOLD: Style = Style::new().bold();
pub(crate) const SUCCESS: Style = AnsiColor::Green.on_default();
pub(crate) const FAILURE: Style = AnsiColor::Red.on_default();
pub(crate) const WARNING: Style = AnsiColor::Yellow.on_default();
/// Something to type, or a question.
pub(crate) const PROMPT: Style = AnsiColor::Cyan.on_default();

/// Applies a style; an empty text stays empty.
pub(crate) fn paint(style: Style, text: impl Display) -> String {
    let text = text.to_string();
    if text.is_empty() { text } else { format!("{style}{text}{style:#}") }
}
