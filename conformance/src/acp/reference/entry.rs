//! Runs the suite's executable as the reference agent.

use std::path::Path;
use std::process::ExitCode;

use super::fault::{AgentFault, Behaviour};
use super::serve;
use crate::mutant::FAULT_FILE;

/// The file name with which the suite's executable runs as this agent.
pub const AGENT_EXECUTABLE: &str = "acp-reference-agent";

/// The variable with the URL of the model.
pub const MODEL_VARIABLE: &str = "REFERENCE_MODEL_URL";

/// Runs as the agent if the executable has its name; otherwise `None`.
pub fn become_agent(executable: &Path, arguments: &[String]) -> Option<ExitCode> {
    if executable.file_stem()? != AGENT_EXECUTABLE {
        return None;
    }
    let beside = std::fs::read_to_string(executable.with_file_name(FAULT_FILE)).ok();
    let named = match arguments {
        [] => beside,
        [switch, name] if switch == "--fault" => Some(name.clone()),
        _ => return Some(refuse("the only argument is --fault NAME")),
    };
    Some(match named.as_deref().map(str::trim) {
        None => serve::serve(Behaviour::CORRECT),
        Some(name) => match AgentFault::from_name(name) {
            Some(fault) => serve::serve(Behaviour::with(fault)),
            None => refuse(&format!("unknown fault {name}")),
        },
    })
}

fn refuse(text: &str) -> ExitCode {
    eprintln!("{AGENT_EXECUTABLE}: {text}");
    ExitCode::from(2)
}
