//! PATH of the user's login shell, for a [`Machine`]. The shell is queried in `od_os`.

use std::path::{Path, PathBuf};
use std::time::Duration;

use od_os::login_shell::{LoginShell, remembered_path};

use crate::Machine;

/// Returns the login shell's PATH as far as it is known without starting the shell.
pub(crate) fn remembered(machine: &Machine) -> Option<String> {
    let from_file = || remembered_path(&cache_file(machine)?, Path::new(machine.var("SHELL")?));
    machine.login_path.clone().or_else(from_file)
}

/// Returns the login shell's PATH. Starts the shell when nothing recent is cached or on `refresh`.
pub(crate) fn path(machine: &Machine, refresh: bool, limit: Duration) -> Option<String> {
    let shell = LoginShell {
        program: machine.var("SHELL")?.into(),
        home: Some(machine.home.clone()),
        env: machine
            .allowed_env(|_| false, &[])
            .into_iter()
            .map(|(name, value)| (name.into(), value.into()))
            .collect(),
    };
    let path = shell.cached_path(cache_file(machine).as_deref(), refresh, limit)?;
    path.into_string().ok()
}

fn cache_file(machine: &Machine) -> Option<PathBuf> {
    Some(machine.state_dir.as_ref()?.join("login-path.json"))
}
