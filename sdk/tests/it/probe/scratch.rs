//! A made-up machine: home, PATH and state folder below one temporary folder.

use std::fs;
use std::io::Write;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use od_protocol::adapter::StartRunParams;
use od_protocol::{AuthStatus, ErrorObject, Evidence, InstallMethod, Manifest};
use od_sdk::{Adapter, Install, Invocation, Machine, Mapper, auth};

/// A name that no real machine has in its well-known folders.
pub(super) const CLI: &str = "od-made-up-cli";

pub(super) struct Scratch {
    folder: tempfile::TempDir,
}

impl Scratch {
    pub(super) fn new() -> Self {
        let scratch = Self { folder: tempfile::tempdir().expect("a temporary folder") };
        for folder in ["home", "path"] {
            fs::create_dir(scratch.at(folder)).expect("a new folder");
        }
        scratch
    }

    /// A path below the temporary folder, which has no links in it.
    pub(super) fn at(&self, relative: &str) -> PathBuf {
        self.folder.path().canonicalize().expect("the folder exists").join(relative)
    }

    /// PATH is the folder `path` and the folders of the system's own tools.
    pub(super) fn machine(&self) -> Machine {
        let path = format!("{}:/usr/bin:/bin", self.at("path").display());
        Machine {
            env: [("PATH".to_owned(), path)].into(),
            home: self.at("home"),
            state_dir: Some(self.at("state")),
            ..Machine::default()
        }
    }

    pub(super) fn file(&self, relative: &str, content: &str) -> PathBuf {
        let path = self.at(relative);
        fs::create_dir_all(path.parent().expect("a folder above")).expect("folders");
        fs::write(&path, content).expect("a written file");
        path
    }

    /// Creates an executable script. Another process writes it: if a thread forked while this process
    /// had the file open, starting it would fail with "text file busy".
    pub(super) fn program(&self, relative: &str, body: &str) -> PathBuf {
        let path = self.at(relative);
        fs::create_dir_all(path.parent().expect("a folder above")).expect("folders");
        let mut writer = Command::new("/bin/sh")
            .args(["-c", "cat > \"$0.new\" && chmod 755 \"$0.new\" && mv \"$0.new\" \"$0\""])
            .arg(&path)
            .stdin(Stdio::piped())
            .spawn()
            .expect("a shell");
        let mut stdin = writer.stdin.take().expect("a pipe");
        stdin.write_all(format!("#!/bin/sh\n{body}\n").as_bytes()).expect("a script");
        drop(stdin);
        assert!(writer.wait().expect("an end").success());
        path
    }

    /// Creates a program that counts how often it was started.
    pub(super) fn counting_program(&self, relative: &str, body: &str) -> PathBuf {
        let count = self.at("count");
        self.program(relative, &format!("echo started >> '{}'\n{body}", count.display()))
    }

    pub(super) fn count(&self) -> usize {
        fs::read_to_string(self.at("count")).map_or(0, |text| text.lines().count())
    }

    pub(super) fn link(&self, relative: &str, target: impl AsRef<Path>) -> PathBuf {
        let path = self.at(relative);
        fs::create_dir_all(path.parent().expect("a folder above")).expect("folders");
        symlink(target, &path).expect("a new link");
        path
    }

    pub(super) fn set_mode(&self, relative: &str, mode: u32) {
        let permissions = fs::Permissions::from_mode(mode);
        fs::set_permissions(self.at(relative), permissions).expect("changed permissions");
    }

    /// Fails unless the process whose id a program wrote into a file ends.
    pub(super) fn assert_ended(&self, pid_file: &str) {
        let pid = fs::read_to_string(self.at(pid_file)).expect("the program wrote its id");
        let deadline = Instant::now() + Duration::from_secs(10);
        while is_alive(pid.trim()) {
            assert!(Instant::now() < deadline, "process {pid} is still running");
            std::thread::yield_now();
        }
    }

    /// Returns every file below the home folder with its content.
    pub(super) fn home_files(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let mut files = Vec::new();
        let mut folders = vec![self.at("home")];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).expect("a folder").flatten() {
                match entry.file_type().expect("a type").is_dir() {
                    true => folders.push(entry.path()),
                    false => files.push((entry.path(), fs::read(entry.path()).unwrap_or_default())),
                }
            }
        }
        files.sort();
        files
    }
}

/// A zombie is not alive.
fn is_alive(pid: &str) -> bool {
    let listing = Command::new("ps").args(["-o", "stat=", "-p", pid]).output().expect("ps");
    let state = String::from_utf8_lossy(&listing.stdout).trim().to_owned();
    !state.is_empty() && !state.starts_with('Z')
}

/// An adapter with little more than a manifest.
pub(super) struct PlainAdapter {
    pub(super) manifest: Manifest,
    pub(super) help_pages: &'static [&'static [&'static str]],
}

impl PlainAdapter {
    pub(super) fn new() -> Self {
        let mut manifest = Manifest::new("made-up", "Made Up");
        manifest.cli.names = vec![CLI.to_owned()];
        manifest.cli.version_min = Some("2.0.0".to_owned());
        manifest.cli.version_tested = Some("2.1.0".to_owned());
        manifest.cli.install = vec![
            method("script", "curl -fsSL https://cli.example/install | sh"),
            method("npm", "npm install -g made-up"),
        ];
        manifest.auth.env = vec!["MADE_UP_API_KEY".to_owned()];
        manifest.auth.files = vec!["~/.made-up/auth.json".to_owned()];
        manifest.auth.login_command = Some("od-made-up-cli login".to_owned());
        Self { manifest, help_pages: &[] }
    }
}

fn method(kind: &str, command: &str) -> InstallMethod {
    InstallMethod {
        platform: "any".to_owned(),
        kind: kind.to_owned(),
        command: command.to_owned(),
        notes: None,
    }
}

impl Adapter for PlainAdapter {
    fn manifest(&self) -> Manifest {
        self.manifest.clone()
    }

    fn auth(&self, machine: &Machine) -> AuthStatus {
        use od_protocol::CredentialKind::{ApiKey, Subscription};
        let api_key =
            auth::EnvCredential { variable: "MADE_UP_API_KEY", kind: ApiKey, method: "api_key" };
        let file = machine.home.join(".made-up/auth.json");
        let login = auth::env_login(machine, &[api_key]).or_else(|| {
            let file = auth::CredentialFile::read(&file).ok()??;
            let expires_at = file.token_expiry("/token");
            let login = auth::Login::new("oauth", Subscription, "~/.made-up/auth.json");
            file.has("/token").then(|| login.expiring(expires_at, false))
        });
        match login {
            Some(login) => login.status(&self.manifest.auth, auth::now()),
            None => auth::missing(&self.manifest.auth),
        }
    }

    fn help_pages(&self) -> &'static [&'static [&'static str]] {
        self.help_pages
    }

    fn invocation(&self, _: &StartRunParams, _: &Install) -> Result<Invocation, ErrorObject> {
        Ok(Invocation::default())
    }

    fn mapper(&self, _: &StartRunParams, _: &Install) -> Box<dyn Mapper> {
        struct Silent;
        impl Mapper for Silent {
            fn on_line(&mut self, _: &[u8], _: &mut od_sdk::RunOutput) {}
        }
        Box::new(Silent)
    }
}

/// Returns the evidence about one subject.
pub(super) fn about(evidence: &[Evidence], subject: impl AsRef<Path>) -> Option<&Evidence> {
    let subject = subject.as_ref().display().to_string();
    evidence.iter().find(|evidence| evidence.subject == subject)
}
