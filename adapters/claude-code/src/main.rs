//! `od-adapter-claude-code`: Claude Code as an OD adapter. The library beside it has the code.
#![deny(clippy::print_stdout)]

use std::process::ExitCode;

use od_adapter_claude_code::ClaudeCode;

fn main() -> ExitCode {
    od_sdk::serve(ClaudeCode)
}
