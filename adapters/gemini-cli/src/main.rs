//! `od-adapter-gemini-cli`: Gemini CLI as an OD adapter. Everything is in the library beside.
#![deny(clippy::print_stdout)]

use std::process::ExitCode;

use od_adapter_gemini_cli::GeminiCli;

fn main() -> ExitCode {
    od_sdk::serve(GeminiCli)
}
