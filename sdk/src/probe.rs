//! Finds the agent CLI on this machine. Starts no process.

use od_protocol::{ErrorKind, ErrorObject, Manifest};

use crate::{Install, Machine};

/// Where the agent CLI is.
///
/// # Errors
/// `cli_not_found` with the command that installs it.
pub fn locate(manifest: &Manifest, machine: &Machine) -> Result<Install, ErrorObject> {
    match &machine.cli_path {
        Some(path) => Ok(Install { path: path.clone(), ..Install::default() }),
        None => Err(ErrorObject::new(
            ErrorKind::CliNotFound,
            format!("none of {:?} is installed", manifest.cli.names),
        )),
    }
}
