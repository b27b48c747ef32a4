//! `od-adapter-claude-code`: Claude Code as an OD adapter. Everything is in the library beside.
#![deny(clippy::print_stdout)]

use std::process::ExitCode;

use od_adapter_claude_code::ClaudeCode;

fn main() -> ExitCode {
    od_sdk::serve(ClaudeCode)
}
