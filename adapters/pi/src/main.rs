//! `od-adapter-pi`: Pi as an OD adapter. Everything is in the library beside.
#![deny(clippy::print_stdout)]

use std::process::ExitCode;

fn main() -> ExitCode {
    od_sdk::serve(od_adapter_pi::PI)
}
