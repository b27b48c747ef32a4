//! `od-adapter-codex`: Codex as an OD adapter. Everything is in the library beside.
#![deny(clippy::print_stdout)]

use std::process::ExitCode;

use od_adapter_codex::Codex;

fn main() -> ExitCode {
    od_sdk::serve(Codex)
}
