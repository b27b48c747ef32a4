//! stderr for the spinner, narrower than the terminal. A spinner that fills the line leaves the cursor at the
//! margin, where the echo of Ctrl-C would wrap and the line could not be erased.

use std::io::{Result, Write, stderr};

use indicatif::TermLike;

use super::columns;

/// Space for the echo of a key or two.
const MARGIN_COLUMNS: usize = 6;

/// See the module.
#[derive(Debug)]
pub(super) struct NarrowStderr;

impl NarrowStderr {
    fn move_cursor(count: usize, direction: char) -> Result<()> {
        match count {
            0 => Ok(()),
            _ => write!(stderr(), "\u{1b}[{count}{direction}"),
        }
    }
}

impl TermLike for NarrowStderr {
    fn width(&self) -> u16 {
        u16::try_from(columns().saturating_sub(MARGIN_COLUMNS)).unwrap_or(u16::MAX)
    }

    fn move_cursor_up(&self, count: usize) -> Result<()> {
        Self::move_cursor(count, 'A')
    }

    fn move_cursor_down(&self, count: usize) -> Result<()> {
        Self::move_cursor(count, 'B')
    }

    fn move_cursor_right(&self, count: usize) -> Result<()> {
        Self::move_cursor(count, 'C')
    }

    fn move_cursor_left(&self, count: usize) -> Result<()> {
        Self::move_cursor(count, 'D')
    }

    fn write_line(&self, text: &str) -> Result<()> {
        writeln!(stderr(), "{text}")
    }

    fn write_str(&self, text: &str) -> Result<()> {
        write!(stderr(), "{text}")
    }

    fn clear_line(&self) -> Result<()> {
        write!(stderr(), "\r\u{1b}[2K")
    }

    fn flush(&self) -> Result<()> {
        stderr().flush()
    }
}
