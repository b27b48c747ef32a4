//! Printing to stdout. A closed pipe (`conformance list | head`) only loses the rest of the text.

use std::fmt::Arguments;
use std::io::Write;

/// Prints a line; colours are removed if stdout does not support them.
pub fn print_line(text: Arguments<'_>) {
    // The reader has closed the pipe, so there is nowhere to report the error.
    let _reader_gone = writeln!(anstream::stdout(), "{text}");
}

/// Prints a line, like `println!`.
macro_rules! say {
    ($($text:tt)*) => { $crate::console::print_line(format_args!($($text)*)) };
}

pub(crate) use say;
