//! A made-up home: what an adapter's detection finds there is what a test has put there.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use tempfile::TempDir;

use crate::Machine;

/// A folder that is a person's home for one test.
#[derive(Debug)]
pub struct TestHome {
    folder: TempDir,
    machine: Machine,
}

impl TestHome {
    /// A home with these files (path below it, content) on a machine with these variables.
    ///
    /// # Panics
    /// When a file cannot be written.
    pub fn new(files: &[(&str, &str)], env: &[(&str, &str)]) -> Self {
        let folder = TempDir::new().expect("a scratch home");
        for (path, content) in files {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().expect("a file has a folder")).expect("a folder");
            fs::write(path, content).expect("a file");
        }
        let env: BTreeMap<String, String> =
            env.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let machine = Machine { env, home: folder.path().to_owned(), ..Machine::default() };
        Self { folder, machine }
    }

    /// A home whose agent CLI is a shell script, named by `config.cliPath`.
    ///
    /// # Panics
    /// When the script cannot be written.
    #[cfg(unix)]
    pub fn with_cli(name: &str, script: &str) -> Self {
        use std::os::unix::fs::PermissionsExt;

        let script = format!("#!/bin/sh\n{script}\n");
        let mut home = Self::new(&[(name, &script)], &[("PATH", "/usr/bin:/bin")]);
        let path = home.path().join(name);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("executable");
        home.machine.cli_path = Some(path);
        home
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// The machine as an adapter sees it.
    pub fn machine(&self) -> &Machine {
        &self.machine
    }
}
