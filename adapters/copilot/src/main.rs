//! `od-adapter-copilot`: GitHub Copilot CLI as an OD adapter. Everything is in the library beside.
#![deny(clippy::print_stdout)]

use std::process::ExitCode;

use od_adapter_copilot::Copilot;

fn main() -> ExitCode {
    od_sdk::serve(Copilot)
}
