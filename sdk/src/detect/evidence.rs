//! The evidence of a detection: names of files and variables, never their content.

use std::path::Path;

use od_protocol::{AuthInfo, Evidence, Manifest};

use crate::probe::{self, os};
use crate::{Install, Machine, files};

/// The version and its origin, or why it is unknown.
pub(super) fn of_version(install: &Install, version: Option<&str>, how: &str) -> Evidence {
    Evidence {
        signal: "version".to_owned(),
        subject: install.path.display().to_string(),
        found: version.is_some(),
        detail: Some(match version {
            Some(version) => format!("{version}, {how}"),
            None => how.to_owned(),
        }),
    }
}

/// The login shell that reported no PATH.
pub(super) fn of_failed_shell(machine: &Machine) -> Evidence {
    let shell = machine.var("SHELL");
    Evidence {
        signal: "login_shell_path".to_owned(),
        subject: shell.unwrap_or("SHELL").to_owned(),
        found: false,
        detail: Some(match shell {
            Some(_) => "reported no PATH".to_owned(),
            None => "SHELL is not set".to_owned(),
        }),
    }
}

/// The agent CLI's settings folder.
pub(super) fn of_config_dir(folder: &Path) -> Evidence {
    Evidence {
        signal: "config_dir".to_owned(),
        subject: folder.display().to_string(),
        found: folder.is_dir(),
        detail: None,
    }
}

/// The variables and files in which the manifest expects credentials.
pub(super) fn of_auth(auth_info: &AuthInfo, machine: &Machine) -> Vec<Evidence> {
    let variables = auth_info.env.iter().map(|name| Evidence {
        signal: "env".to_owned(),
        subject: name.clone(),
        found: machine.var(name).is_some(),
        detail: None,
    });
    let files =
        auth_info.files.iter().map(|file| of_auth_file(&files::expand_home(file, &machine.home)));
    variables.chain(files).collect()
}

fn of_auth_file(path: &Path) -> Evidence {
    let metadata = path.metadata();
    let is_open = metadata.as_ref().is_ok_and(os::is_world_readable);
    Evidence {
        signal: "auth_file".to_owned(),
        subject: path.display().to_string(),
        found: metadata.is_ok(),
        detail: is_open.then(|| {
            format!("every user of this machine can read it; {}", os::make_private_command(path))
        }),
    }
}

/// The programs that the manifest requires.
pub(super) fn of_programs(
    manifest: &Manifest,
    install: &Install,
    machine: &Machine,
) -> Vec<Evidence> {
    let of_program = |name: &String| Evidence {
        signal: "bin".to_owned(),
        subject: name.clone(),
        found: probe::has_program(name, install, machine),
        detail: None,
    };
    manifest.requirements.bins.iter().map(of_program).collect()
}
