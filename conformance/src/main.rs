//! The binary `conformance`: hands over to the command. Under another name, or with a script
//! beside it, the same executable is the reference adapter or the stand-in agent CLI.

use std::process::ExitCode;

use od_conformance::{command, mutant, stand_in};

fn main() -> ExitCode {
    let arguments: Vec<String> =
        std::env::args_os().skip(1).map(|text| text.to_string_lossy().into_owned()).collect();
    let other_role = std::env::current_exe().ok().and_then(|executable| {
        stand_in::become_stand_in(&executable, &arguments)
            .or_else(|| mutant::become_adapter(&executable, &arguments))
    });
    other_role.unwrap_or_else(command::main)
}
