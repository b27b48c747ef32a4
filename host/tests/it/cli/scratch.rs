//! A scratch machine: its own home, host folder, work folder and PATH.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use crate::library::stage::add_to;

/// The run id of the recorded journals.
pub(crate) const RECORDED_RUN: &str = "0193a7b2-0000-7000-8000-000000000001";

/// The folder of the recorded journals.
pub(crate) const RECORDINGS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/cli/render");

/// See the module.
pub(crate) struct Scratch {
    root: tempfile::TempDir,
    variables: Vec<(&'static str, String)>,
}

impl Scratch {
    pub(crate) fn new() -> Self {
        let root = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a scratch folder");
        let scratch = Self { root, variables: Vec::new() };
        for folder in ["home", "od", "work", "adapters", "bin"] {
            std::fs::create_dir(scratch.path(folder)).expect("a folder");
        }
        // The host searches the folder of its executable; it must not find the adapters of the build.
        std::fs::hard_link(env!("CARGO_BIN_EXE_od-host"), scratch.program())
            .expect("the build's temporary folder is on the same disk as its programs");
        scratch
    }

    /// A machine with one adapter in this mode.
    pub(crate) fn with_adapter(id: &str, mode: &str) -> Self {
        let scratch = Self::new();
        scratch.add_adapter(id, mode);
        scratch
    }

    /// Sets a variable for every `od-host` on it.
    pub(crate) fn with_variable(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.variables.push((name, value.into()));
        self
    }

    pub(crate) fn add_adapter(&self, id: &str, mode: &str) {
        add_to(&self.path("adapters"), id, mode);
    }

    pub(crate) fn write_settings(&self, text: &str) {
        std::fs::write(self.path("od/settings.toml"), text).expect("settings");
    }

    /// Adds the demo adapter of this build.
    pub(crate) fn add_demo(&self) {
        let name = format!("od-adapter-demo{}", std::env::consts::EXE_SUFFIX);
        let host = Path::new(env!("CARGO_BIN_EXE_od-host"));
        let program = host.with_file_name(&name);
        assert!(program.exists(), "{name} does not exist: cargo build -p od-adapter-demo");
        std::fs::hard_link(program, self.path("adapters").join(name)).expect("an adapter");
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    fn program(&self) -> PathBuf {
        self.path("bin").join(format!("od-host{}", std::env::consts::EXE_SUFFIX))
    }

    /// `od-host` with a minimal environment.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(self.program());
        command
            .args(arguments)
            .env_clear()
            .env("HOME", self.path("home"))
            .env("OD_HOME", self.path("od"))
            .env("OD_ADAPTER_PATH", self.path("adapters"))
            .env("PATH", "/usr/bin:/bin")
            .env("TZ", "UTC")
            .envs(self.variables.iter().map(|(name, value)| (name, value)))
            .current_dir(self.path("work"))
            .stdin(Stdio::null());
        command
    }

    /// Runs `od-host` until it exits.
    pub(crate) fn od_host(&self, arguments: &[&str]) -> Finished {
        Finished::of(self.command(arguments).output().expect("od-host starts"))
    }

    /// Starts `od-host` with pipes for stdout and stderr.
    pub(crate) fn spawn(&self, arguments: &[&str]) -> Child {
        let mut command = self.command(arguments);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("od-host starts")
    }

    /// Runs `od-host` with this input on stdin until it exits.
    pub(crate) fn od_host_with_stdin(&self, arguments: &[&str], input: &[u8]) -> Finished {
        let mut command = self.command(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("od-host starts");
        child.stdin.take().expect("a pipe").write_all(input).expect("od-host reads");
        Finished::of(child.wait_with_output().expect("od-host ends"))
    }

    /// Installs a journal of `tests/it/cli/render` as an ended run.
    pub(crate) fn record(&self, name: &str) {
        let events = Path::new(RECORDINGS).join(format!("{name}.events.jsonl"));
        let folder = self.path("od").join("runs").join(RECORDED_RUN);
        std::fs::create_dir_all(&folder).expect("the folder of a run");
        std::fs::copy(events, folder.join("events.jsonl")).expect("a recording");
        let record = serde_json::json!({
            "runId": RECORDED_RUN, "agent": "demo", "adapterPath": "/opt/bin/od-adapter-demo",
            "adapterVersion": "0.1.0", "cwd": "/scratch/site", "promptPreview": "make a page",
            "model": null, "startedAt": 1_763_251_200_000_u64, "endedAt": 1_763_251_212_345_u64,
            "host": {"pid": 1, "startedAt": 1}, "status": "completed", "errorKind": null,
            "sessionId": "5e55-1",
        });
        std::fs::write(folder.join("run.json"), record.to_string()).expect("run.json");
    }
}

/// The output of an ended process.
pub(crate) struct Finished {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Finished {
    pub(crate) fn of(output: Output) -> Self {
        Self {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).expect("stdout is UTF-8"),
            stderr: String::from_utf8(output.stderr).expect("stderr is UTF-8"),
        }
    }

    /// Checks the exit code; a failure shows the output.
    #[track_caller]
    pub(crate) fn exits_with(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "stdout:\n{}\nstderr:\n{}", self.stdout, self.stderr);
        self
    }

    /// Checks for an error with a hint on stderr and nothing on stdout.
    #[track_caller]
    pub(crate) fn fails_with(self, code: i32, error: &str, hint: &str) {
        let finished = self.exits_with(code);
        let stderr = &finished.stderr;
        assert!(stderr.contains("error: ") && stderr.contains(error), "no {error:?} in:\n{stderr}");
        assert!(stderr.contains("hint: ") && stderr.contains(hint), "no {hint:?} in:\n{stderr}");
        assert_eq!(finished.stdout, "");
    }
}
