//! Prints data to stdout, and errors, warnings and remarks to stderr.

use std::fmt::Display;
use std::io::Write;

use comfy_table::{ContentArrangement, Row, Table, presets};
use od_host::HostError;
use serde::Serialize;

use crate::cli::terminal::{self, BOLD, DIM, FAILURE, WARNING, paint, sanitize};

/// Prints styled text to stdout. A closed pipe is not an error: the reader needs no more.
pub(crate) fn print(text: &str) -> Result<(), HostError> {
    let mut stdout = anstream::stdout();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(stdout_failed(&error)),
        _ => Ok(()),
    }
}

/// The error of a failed write to stdout, for example with a full disk.
pub(crate) fn stdout_failed(error: &std::io::Error) -> HostError {
    HostError::storage("cannot write to stdout", error).with_hint(
        "check where stdout goes; the run's events are in its journal: od-host replay last",
    )
}

/// Writes bytes to stdout. False when the pipe is closed.
pub(crate) fn write_bytes(bytes: &[u8]) -> Result<bool, HostError> {
    let mut stdout = std::io::stdout();
    match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(stdout_failed(&error)),
    }
}

/// Prints a value as indented JSON.
pub(crate) fn print_json(value: &impl Serialize) -> Result<(), HostError> {
    let text = serde_json::to_string_pretty(value)
        .map_err(|error| HostError::storage("cannot write JSON", &std::io::Error::other(error)))?;
    print(&format!("{text}\n"))
}

/// Prints an error and its hint to stderr.
pub(crate) fn print_error(error: &HostError) {
    print_lines("error", FAILURE, &error.message);
    if let Some(hint) = &error.hint {
        print_lines("hint", BOLD, hint);
    }
}

/// Prints a warning to stderr.
pub(crate) fn print_warning(text: &str) {
    print_lines("warning", WARNING, text);
}

/// Prints a remark to stderr.
pub(crate) fn print_remark(text: impl Display) {
    print_to_stderr(&format!("{}\n", paint(DIM, text)));
}

/// Prints styled text to stderr. Ignores a closed stderr.
pub(crate) fn print_to_stderr(text: &str) {
    let mut stderr = anstream::stderr();
    if let Err(error) = stderr.write_all(text.as_bytes()).and_then(|()| stderr.flush()) {
        tracing::debug!(%error, "cannot write to stderr");
    }
}

fn print_lines(label: &str, style: anstyle::Style, text: &str) {
    let lead = paint(style.bold(), format!("{label}:"));
    let text = sanitize(text);
    for (index, line) in text.trim().lines().enumerate() {
        let lead = if index == 0 { lead.as_str() } else { " " };
        print_to_stderr(&format!("{lead} {line}\n"));
    }
}

/// A table without borders that fits the terminal.
pub(crate) fn table(header: &[&str]) -> Table {
    let mut table = Table::new();
    table
        .load_style(presets::NOTHING)
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_width(u16::try_from(terminal::columns()).unwrap_or(u16::MAX))
        .set_header(Row::from(header));
    table
}

/// The table as text, without trailing spaces.
pub(crate) fn table_text(table: &Table) -> String {
    let lines: Vec<String> = table
        .lines()
        .map(|line| line.strip_prefix(' ').unwrap_or(&line).trim_end().to_owned())
        .collect();
    lines.join("\n") + "\n"
}
