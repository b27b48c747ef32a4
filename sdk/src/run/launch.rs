//! Turns an invocation into a process.

use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

use od_os::tree::{Pipes, Tree};
use od_protocol::adapter::StartRunParams;
use od_protocol::{ErrorKind, ErrorObject, Event, Notice, NoticeLevel, RunStarted};
use tempfile::TempDir;

use super::os;
use crate::invocation::{ProcessUse, RUN_FOLDER, RunFile};
use crate::{Install, Invocation, event, files};

/// Linux refuses a longer single argument; other systems have similar limits on the whole.
const MAX_ARGUMENT_BYTES: usize = 128 * 1024 - 1;

/// The limit of the whole command line, which is far lower on Windows.
const MAX_COMMAND_LINE_BYTES: usize = if cfg!(windows) { 32_000 } else { 1024 * 1024 };

/// A longer report is not read.
const MAX_REPORT_BYTES: u64 = 4 << 20;

/// Everything needed to start an agent CLI.
#[derive(Debug)]
pub(super) struct Launch {
    pub(super) install: Install,
    pub(super) invocation: Invocation,
    pub(super) env: std::collections::BTreeMap<String, String>,
    pub(super) start_run_params: StartRunParams,
    /// The run's own folder, once it exists.
    pub(super) folder: Option<TempDir>,
}

impl Launch {
    /// Checks the limits of the system, whose own error is less clear.
    pub(super) fn check(&self) -> Result<(), ErrorObject> {
        self.check_trace_file()?;
        let lengths = self.invocation.args.iter().map(|argument| argument.text.len());
        let (longest, total) =
            lengths.fold((0, 0), |(longest, total), length| (length.max(longest), total + length));
        if longest <= MAX_ARGUMENT_BYTES && total <= MAX_COMMAND_LINE_BYTES {
            return Ok(());
        }
        Err(ErrorObject::new(
            ErrorKind::PromptTooLarge,
            format!(
                "the command line is too long: {total} bytes, its longest argument {longest} bytes"
            ),
        )
        .with_hint("shorten the system prompt or the tool lists, or put them into a file"))
    }

    fn check_trace_file(&self) -> Result<(), ErrorObject> {
        let Some(path) = self.start_run_params.trace_path.as_ref() else { return Ok(()) };
        os::open_private(Path::new(path)).map(drop).map_err(|error| {
            let message = format!("tracePath {path:?} cannot be written: {error}");
            ErrorObject::new(ErrorKind::ConfigInvalid, message)
                .with_hint("give a file in a folder that exists and can be written")
        })
    }

    /// Creates the run's own folder if the agent CLI needs one. It is removed with the launch.
    fn create_folder(&mut self) -> io::Result<()> {
        if self.invocation.files.is_empty() {
            return Ok(());
        }
        let folder = tempfile::Builder::new().prefix("od-run-").tempdir()?;
        for RunFile { name, contents } in &self.invocation.files {
            fs::write(folder.path().join(name), contents)?;
        }
        let path = folder.path().to_string_lossy();
        let arguments = self.invocation.args.iter_mut().map(|argument| &mut argument.text);
        for text in arguments.chain(self.env.values_mut()) {
            if let Some(rest) = text.strip_prefix(RUN_FOLDER) {
                *text = format!("{path}{rest}");
            }
        }
        self.folder = Some(folder);
        Ok(())
    }

    /// Removes the run's own folder and returns the report that the agent CLI wrote into it.
    pub(super) fn remove_folder(&mut self) -> Option<Vec<u8>> {
        let folder = self.folder.take()?;
        let name = self.invocation.report.as_ref()?;
        files::read_bounded(&folder.path().join(name), MAX_REPORT_BYTES).ok()
    }

    /// Starts the process.
    pub(super) fn spawn(&mut self) -> io::Result<(Tree, Pipes)> {
        self.create_folder()?;
        let mut command = Command::new(&self.install.path);
        command
            .args(&self.install.leading_args)
            .args(self.invocation.args.iter().map(|argument| &argument.text))
            .env_clear()
            .envs(&self.env)
            .current_dir(&self.start_run_params.cwd)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        Tree::spawn(command)
    }

    /// Returns `run_started` and a notice for each flag that was left out.
    pub(super) fn first_events(&self, pid: Option<u32>) -> Vec<Event> {
        let left_out = self.invocation.left_out.iter().map(|flag| {
            let text =
                format!("this version of the agent CLI has no {flag}; the run starts without it");
            let hint = Some("install the tested version; `od-host agents` lists it".to_owned());
            Event::Notice(Notice { hint, ..event::notice(NoticeLevel::Warn, "flag_missing", text) })
        });
        [Event::RunStarted(self.run_started(pid))].into_iter().chain(left_out).collect()
    }

    /// Opens the file that receives the raw output.
    pub(super) fn trace_file(&self) -> Option<File> {
        let path = self.start_run_params.trace_path.as_ref()?;
        match os::open_private(Path::new(path)) {
            Ok(file) => Some(file),
            Err(error) => {
                tracing::warn!(path, %error, "cannot open the trace file");
                None
            }
        }
    }

    /// The first event.
    pub(super) fn run_started(&self, pid: Option<u32>) -> RunStarted {
        if self.invocation.process == ProcessUse::Attached {
            let credential = self.install.credential.clone();
            let permission_mode = self.invocation.permission_mode.clone();
            return RunStarted { credential, permission_mode, ..RunStarted::default() };
        }
        let mut argv = vec![self.install.path.to_string_lossy().into_owned()];
        argv.extend(self.install.leading_args.iter().cloned());
        argv.extend(self.invocation.shown_args());
        RunStarted {
            cli_path: Some(self.install.path.to_string_lossy().into_owned()),
            cli_version: self.install.version.clone(),
            pid,
            argv,
            permission_mode: self.invocation.permission_mode.clone(),
            credential: self.install.credential.clone(),
            tested_version: self.install.tested_version,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn run_files_are_removed_with_run() {
        let mut invocation = Invocation::default();
        let path = invocation.file("settings.json", "{}");
        invocation.flag("--settings", &path).arg("not {run-folder}");
        let env = [("SETTINGS".to_owned(), path)].into();
        let mut launch = Launch {
            install: Install::default(),
            invocation,
            env,
            start_run_params: StartRunParams::default(),
            folder: None,
        };
        launch.create_folder().expect("a folder is created");
        let path = launch.env["SETTINGS"].clone();
        assert_eq!(fs::read_to_string(&path).expect("the file exists"), "{}");
        assert_eq!(launch.invocation.args[1].text, path);
        assert_eq!(launch.invocation.args[2].text, "not {run-folder}");
        drop(launch);
        assert!(!std::path::Path::new(&path).exists());
    }

    #[test]
    fn flag_missing_from_help_emits_notice() {
        let flags = Some(crate::Flags::parse("--format"));
        let install = Install { flags, ..Install::default() };
        let mut invocation = Invocation::default();
        invocation.known_flag(&install, "--format", "json").known_arg(&install, "--thinking");
        invocation.known_arg(&Install::default(), "--variant");
        let launch = Launch {
            install,
            invocation,
            env: Default::default(),
            start_run_params: StartRunParams::default(),
            folder: None,
        };
        assert_eq!(launch.invocation.shown_args(), ["--format", "json", "--variant"]);
        let events = launch.first_events(None);
        assert!(matches!(&events[1], Event::Notice(notice) if notice.text.contains("--thinking")));
        assert_eq!(events.len(), 2);
    }
}
