//! How much room there is, and whether text can be taken back.

use std::io::IsTerminal;

use crate::cli::render::Look;

/// What is assumed where there is no terminal.
const COLUMNS: usize = 80;
const ROWS: usize = 24;

/// The room on stdout.
pub(crate) fn stdout_look() -> Look {
    let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    let (columns, rows) = size();
    Look { live: std::io::stdout().is_terminal() && !dumb, columns, rows }
}

/// Columns of stdout.
pub(crate) fn columns() -> usize {
    size().0
}

fn size() -> (usize, usize) {
    match terminal_size::terminal_size_of(std::io::stdout()) {
        // Narrower than this, nothing reads well anyway; a width of 0 means unknown.
        Some((width, height)) if width.0 > 0 => {
            (usize::from(width.0).max(30), usize::from(height.0))
        }
        _ => (COLUMNS, ROWS),
    }
}
