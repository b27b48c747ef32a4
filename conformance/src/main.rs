//! The binary `conformance`: hands over to the command. Under another name, or with a file beside it
//! that says so, the same executable is the reference adapter, the reference agent, the stand-in
//! agent CLI, or a relay in front of the real one.

use std::process::ExitCode;

use od_conformance::{acp, command, mutant, real, stand_in};

fn main() -> ExitCode {
    let arguments: Vec<String> =
        std::env::args_os().skip(1).map(|text| text.to_string_lossy().into_owned()).collect();
    let other_role = std::env::current_exe().ok().and_then(|executable| {
        stand_in::become_stand_in(&executable, &arguments)
            .or_else(|| real::become_relay(&executable, &arguments))
            .or_else(|| mutant::become_adapter(&executable, &arguments))
            .or_else(|| acp::become_agent(&executable, &arguments))
    });
    other_role.unwrap_or_else(command::main)
}
