//! The size of the terminal.

use std::io::IsTerminal;

use crate::cli::render::Viewport;

/// The size without a terminal.
const DEFAULT_COLUMNS: usize = 80;
const DEFAULT_ROWS: usize = 24;
/// Narrower output is unreadable.
const MIN_COLUMNS: usize = 30;

/// The size and abilities of stdout.
pub(crate) fn stdout_viewport() -> Viewport {
    let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    let (columns, rows) = size();
    Viewport { is_live: std::io::stdout().is_terminal() && !dumb, columns, rows }
}

/// The columns of stdout.
pub(crate) fn columns() -> usize {
    size().0
}

fn size() -> (usize, usize) {
    match terminal_size::terminal_size_of(std::io::stdout()) {
        // A width of 0 means unknown.
        Some((width, height)) if width.0 > 0 => {
            (usize::from(width.0).max(MIN_COLUMNS), usize::from(height.0))
        }
        _ => (DEFAULT_COLUMNS, DEFAULT_ROWS),
    }
}
