//! `od-adapter-qwen`: Qwen Code as an OD adapter. Everything is in the library beside.
#![deny(clippy::print_stdout)]

use std::process::ExitCode;

use od_adapter_qwen::Qwen;

fn main() -> ExitCode {
    od_sdk::serve(Qwen)
}
