//! A temporary home folder for tests of detection.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use tempfile::TempDir;

use crate::Machine;

/// A home folder for one test.
#[derive(Debug)]
pub struct TestHome {
    folder: TempDir,
    machine: Machine,
}

impl TestHome {
    /// Creates a home with these files (relative path and content) on a machine with these variables.
    ///
    /// # Panics
    /// A file cannot be written.
    pub fn new(files: &[(&str, &str)], env: &[(&str, &str)]) -> Self {
        let folder = TempDir::new().expect("a temporary folder");
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

    /// Creates a home whose `config.cliPath` is a shell script that acts as the agent CLI.
    ///
    /// # Panics
    /// The script cannot be written.
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
