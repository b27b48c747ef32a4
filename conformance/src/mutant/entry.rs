//! Starts the suite's executable as this adapter, and parses its command line.

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use serde_json::Value;

use super::fault::{Behaviour, Fault};
use super::manifest::{CLI_NAME, manifest};
use super::{fault_record, serve};
use crate::generated_faults;

/// The file name that makes the suite's executable this adapter.
pub const EXECUTABLE: &str = "od-adapter-mutant";

/// The file beside the executable that names the fault.
pub const FAULT_FILE: &str = "fault";

/// Runs as the adapter if the executable has its name.
pub fn become_adapter(executable: &Path, arguments: &[String]) -> Option<ExitCode> {
    (executable.file_stem()? == EXECUTABLE).then(|| start(executable, arguments))
}

fn start(executable: &Path, arguments: &[String]) -> ExitCode {
    fault_record::begin(executable);
    generated_faults::begin(executable);
    let (behaviour, rest) = match behaviour(executable, arguments) {
        Ok(found) => found,
        Err(name) => return refuse(&format!("unknown fault {name}")),
    };
    match rest {
        [switch] if switch == "--manifest" => print_manifest(behaviour),
        [switch] if switch == "--stdio" => serve::serve(behaviour),
        [switch, ..] if switch == "--stdio" && behaviour.has(Fault::IgnoresExtraArguments) => {
            serve::serve(behaviour)
        }
        [switch] if switch == "--help" && behaviour.has(Fault::HelpExitsZero) => ExitCode::SUCCESS,
        _ if behaviour.has(Fault::AcceptsAnyArgument) => print_manifest(behaviour),
        _ => refuse(
            "this is an adapter: start it with --stdio to serve a host, or with --manifest to \
             see what it is",
        ),
    }
}

fn refuse(text: &str) -> ExitCode {
    eprintln!("{EXECUTABLE}: {text}");
    ExitCode::from(2)
}

/// The fault by `--fault NAME`, or by the file beside the executable.
fn behaviour<'a>(
    executable: &Path,
    arguments: &'a [String],
) -> Result<(Behaviour, &'a [String]), String> {
    if let [switch, name, rest @ ..] = arguments
        && switch == "--fault"
    {
        let fault = Fault::from_name(name).ok_or_else(|| name.clone())?;
        return Ok((Behaviour::with(fault), rest));
    }
    match std::fs::read_to_string(executable.with_file_name(FAULT_FILE)) {
        Ok(name) => {
            let fault = Fault::from_name(name.trim()).ok_or(name)?;
            Ok((Behaviour::with(fault), arguments))
        }
        Err(_) => Ok((Behaviour::RIGHT, arguments)),
    }
}

fn print_manifest(behaviour: Behaviour) -> ExitCode {
    if behaviour.has(Fault::ManifestNeedsPath)
        && std::env::var_os("PATH").is_none_or(|p| p.is_empty())
    {
        eprintln!("cannot find {CLI_NAME}: PATH is empty");
        return ExitCode::FAILURE;
    }
    if behaviour.has(Fault::ManifestNeedsHome) && std::env::var_os("HOME").is_none() {
        eprintln!("HOME is not set");
        return ExitCode::FAILURE;
    }
    if behaviour.has(Fault::ManifestSpawnsCli) {
        // Whether the CLI exists makes no difference to the fault.
        let _absent = std::process::Command::new(CLI_NAME).arg("--version").output();
    }
    if behaviour.has(Fault::ManifestWritesFile) {
        let folder = std::env::var_os("HOME").unwrap_or_else(|| ".".into());
        let _refused = std::fs::write(Path::new(&folder).join("mutant-manifest.json"), "{}");
    }
    let mut text = generated_faults::manifest(manifest_document(behaviour)).to_string();
    if behaviour.has(Fault::ManifestBanner) {
        text.insert_str(0, "Welcome to the mutant adapter!\n");
    }
    text.push('\n');
    match std::io::stdout().lock().write_all(text.as_bytes()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

fn manifest_document(behaviour: Behaviour) -> Value {
    let mut document = serde_json::to_value(manifest()).unwrap_or_default();
    if behaviour.has(Fault::ManifestWrongId) {
        document["adapterId"] = "mutation".into();
    }
    if behaviour.has(Fault::DuplicateCliName) {
        document["cli"]["names"] = serde_json::json!([CLI_NAME, CLI_NAME]);
    }
    if behaviour.has(Fault::ManifestLies) {
        document["capabilities"]["skills"] = serde_json::json!({});
    }
    if behaviour.has(Fault::ManifestVaries) {
        document["_meta"] = serde_json::json!({"_pid": std::process::id()});
    }
    document
}
