//! `od-adapter-my-agent`: the executable. Everything else is in the library.
#![deny(clippy::print_stdout)]

use std::process::ExitCode;

use od_adapter_my_agent::MyAgentAdapter;

fn main() -> ExitCode {
    od_sdk::serve(MyAgentAdapter)
}
