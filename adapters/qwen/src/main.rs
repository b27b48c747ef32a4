//! `od-adapter-qwen`: Qwen Code as an OD adapter. The library beside it has the code.
#![deny(clippy::print_stdout)]

use std::process::ExitCode;

use od_adapter_qwen::Qwen;

fn main() -> ExitCode {
    od_sdk::serve(Qwen)
}
