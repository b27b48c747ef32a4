//! `od-adapter-codex`: Codex as an OD adapter. The library beside it has the code.
#![deny(clippy::print_stdout)]

use std::process::ExitCode;

use od_adapter_codex::Codex;

fn main() -> ExitCode {
    od_sdk::serve(Codex)
}
