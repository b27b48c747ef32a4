//! `od-adapter-opencode-http`: OpenCode's server as an OD adapter. Everything is in the library
//! beside.
#![deny(clippy::print_stdout)]

use std::process::ExitCode;

use od_adapter_opencode_http::OpenCodeHttp;

fn main() -> ExitCode {
    od_sdk::serve(OpenCodeHttp)
}
