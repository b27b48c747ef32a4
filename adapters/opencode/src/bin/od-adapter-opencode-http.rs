//! The executable `od-adapter-opencode-http`.
#![deny(clippy::print_stdout)]

use std::process::ExitCode;

fn main() -> ExitCode {
    od_sdk::serve(opencode_family::OpenCodeHttp)
}
