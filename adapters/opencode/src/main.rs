//! `od-adapter-opencode`: OpenCode as an OD adapter. Everything is in the library beside.
#![deny(clippy::print_stdout)]

use std::process::ExitCode;

use od_adapter_opencode::OpenCode;

fn main() -> ExitCode {
    od_sdk::serve(OpenCode)
}
