//! The executable `conformance`. Under another name, or with a marker file beside it, the same
//! executable is the fake CLI, the relay of a real CLI, the reference adapter or the reference agent.

use std::process::ExitCode;

use od_conformance::{acp, command, fake_cli, mutant, real};

fn main() -> ExitCode {
    let arguments: Vec<String> =
        std::env::args_os().skip(1).map(|text| text.to_string_lossy().into_owned()).collect();
    let other_role = std::env::current_exe().ok().and_then(|executable| {
        fake_cli::become_fake_cli(&executable, &arguments)
            .or_else(|| real::become_relay(&executable, &arguments))
            .or_else(|| mutant::become_adapter(&executable, &arguments))
            .or_else(|| acp::become_agent(&executable, &arguments))
    });
    other_role.unwrap_or_else(command::main)
}
