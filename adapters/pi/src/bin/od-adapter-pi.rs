//! The executable `od-adapter-pi`.
#![deny(clippy::print_stdout)]

use std::process::ExitCode;

fn main() -> ExitCode {
    od_sdk::serve(pi_family::PI)
}
