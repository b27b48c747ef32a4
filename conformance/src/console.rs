//! Printing for people and pipes. A reader that has gone away (`conformance list | head`) costs the
//! rest of the text, not the verdict.

use std::fmt::Arguments;
use std::io::Write;

/// Prints a line; colours vanish where they are not wanted.
pub fn print_line(text: Arguments<'_>) {
    // Nobody is left to tell.
    let _reader_gone = writeln!(anstream::stdout(), "{text}");
}

/// Prints a line, with the words of `println!`.
macro_rules! say {
    ($($text:tt)*) => { $crate::console::print_line(format_args!($($text)*)) };
}

pub(crate) use say;
