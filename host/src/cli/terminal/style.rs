//! The few styles the commands use, as values. Whether they reach the terminal is decided where
//! the text is written (`anstream`), never here.

use std::fmt::Display;

use anstyle::{AnsiColor, Style};

/// Less important than the rest.
pub(crate) const DIM: Style = Style::new().dimmed();
/// A name or a heading.
pub(crate) const BOLD: Style = Style::new().bold();
/// It worked.
pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
/// It failed.
pub(crate) const BAD: Style = AnsiColor::Red.on_default();
/// Somebody should look.
pub(crate) const WARN: Style = AnsiColor::Yellow.on_default();
/// Something to type, or a question.
pub(crate) const ASK: Style = AnsiColor::Cyan.on_default();

/// The text in the style; an empty text stays empty.
pub(crate) fn paint(style: Style, text: impl Display) -> String {
    let text = text.to_string();
    if text.is_empty() { text } else { format!("{style}{text}{style:#}") }
}
