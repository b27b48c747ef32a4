//! The relay: the suite's own executable under the agent CLI's name, between the adapter and the
//! real agent CLI. It forwards everything and records both sides in order. It reads a file beside
//! itself, because a correct adapter strips the environment.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use crate::process;
use crate::suite::Suite;

/// The file beside the executable that makes it a relay; it names the real agent CLI.
const RELAY_FILE: &str = "conformance-relay.json";

/// The folder beside the executable with one file per start.
const JOURNAL_FOLDER: &str = "journal";

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "from", rename_all = "snake_case")]
pub(in crate::real) enum RelayRecord {
    /// The relay was started.
    Start {
        arguments: Vec<String>,
        /// And variables of these names.
        env_names: Vec<String>,
    },
    /// A line from the adapter.
    Stdin {
        line: String,
    },
    /// A line from the agent CLI.
    Stdout {
        line: String,
    },
    Stderr {
        line: String,
    },
    Signal {
        name: String,
    },
    /// The agent CLI ended.
    Exit {
        /// Its exit code; `None` when a signal ended it.
        code: Option<i32>,
    },
}

/// One start of the agent CLI.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::real) struct RelayLog {
    pub(super) arguments: Vec<String>,
    pub(super) env_names: Vec<String>,
    pub(super) records: Vec<RelayRecord>,
}

impl RelayLog {
    /// The whole stdout of the agent CLI.
    pub(super) fn stdout(&self) -> String {
        let line = |entry: &RelayRecord| match entry {
            RelayRecord::Stdout { line } => Some(format!("{line}\n")),
            _ => None,
        };
        self.records.iter().filter_map(line).collect()
    }
}

/// The suite's handle on a relay.
#[derive(Debug, Clone)]
pub(super) struct Relay {
    folder: PathBuf,
    executable: PathBuf,
}

impl Relay {
    /// Installs the relay in its own folder, under the agent CLI's name.
    ///
    /// # Errors
    /// When the folder or a file cannot be made.
    pub(super) fn location(folder: &Path, suite: &Suite, cli: &Path) -> std::io::Result<Self> {
        std::fs::create_dir_all(folder.join(JOURNAL_FOLDER))?;
        std::fs::write(folder.join(RELAY_FILE), serde_json::to_vec(cli)?)?;
        let executable = folder.join(process::executable_name(&suite.cli_name()));
        if std::fs::hard_link(&suite.executable, &executable).is_err() {
            std::fs::copy(&suite.executable, &executable)?;
        }
        Ok(Self { folder: folder.to_owned(), executable })
    }

    /// The value of `config.cliPath`.
    pub(super) fn executable(&self) -> &Path {
        &self.executable
    }

    /// Every start so far, the oldest first.
    pub(super) fn relay_logs(&self) -> Vec<RelayLog> {
        let entries = std::fs::read_dir(self.folder.join(JOURNAL_FOLDER));
        let mut files: Vec<PathBuf> =
            entries.into_iter().flatten().flatten().map(|entry| entry.path()).collect();
        files.sort();
        files
            .iter()
            .filter_map(|file| read_relay_log(&std::fs::read_to_string(file).ok()?))
            .collect()
    }
}

fn read_relay_log(text: &str) -> Option<RelayLog> {
    let mut entries = text.lines().filter_map(|line| serde_json::from_str(line).ok());
    match entries.next()? {
        RelayRecord::Start { arguments, env_names } => {
            Some(RelayLog { arguments, env_names, records: entries.collect() })
        }
        _ => None,
    }
}

/// Runs as a relay if its file is beside the executable.
pub fn become_relay(executable: &Path, arguments: &[String]) -> Option<ExitCode> {
    let folder = executable.parent()?;
    let file = std::fs::read(folder.join(RELAY_FILE)).ok()?;
    let cli: PathBuf = serde_json::from_slice(&file).ok()?;
    Some(relay(folder, &cli, arguments).unwrap_or_else(|error| {
        eprintln!("the relay could not start {}: {error}", cli.display());
        ExitCode::from(127)
    }))
}

/// Writes the records; clones write to the same file.
#[derive(Debug, Clone)]
struct RelayLogWriter(Arc<Mutex<std::fs::File>>);

impl RelayLogWriter {
    fn note(&self, entry: &RelayRecord) {
        let line = serde_json::to_string(entry).unwrap_or_default() + "\n";
        // A full disk loses the recording, not the run.
        let _unwritten =
            self.0.lock().unwrap_or_else(PoisonError::into_inner).write_all(line.as_bytes());
    }
}

fn relay(folder: &Path, cli: &Path, arguments: &[String]) -> std::io::Result<ExitCode> {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let name = format!("{:020}-{}.jsonl", since.as_nanos(), std::process::id());
    let file = std::fs::File::create(folder.join(JOURNAL_FOLDER).join(name))?;
    let log = RelayLogWriter(Arc::new(Mutex::new(file)));
    let env_names = std::env::vars_os().map(|(name, _)| name.to_string_lossy().into_owned());
    log.note(&RelayRecord::Start { arguments: arguments.to_vec(), env_names: env_names.collect() });
    let mut child = Command::new(cli)
        .args(std::env::args_os().skip(1))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let (pid, signal_log) = (child.id(), log.clone());
    process::watch_signals(move |name| {
        signal_log.note(&RelayRecord::Signal { name: name.to_owned() });
        process::signal(pid, name);
    })?;
    let status = forward(&mut child, &log)?;
    log.note(&RelayRecord::Exit { code: status.code() });
    Ok(ExitCode::from(u8::try_from(status.code().unwrap_or(1)).unwrap_or(1)))
}

/// Forwards everything until the agent CLI has exited and its output has ended.
fn forward(child: &mut Child, log: &RelayLogWriter) -> std::io::Result<ExitStatus> {
    if let Some(stdin) = child.stdin.take() {
        // This thread ends with the process: an adapter may never close stdin.
        copy(std::io::stdin(), stdin, log.clone(), |line| RelayRecord::Stdin { line });
    }
    let stdout = child.stdout.take().map(|stdout| {
        copy(stdout, std::io::stdout(), log.clone(), |line| RelayRecord::Stdout { line })
    });
    let stderr = child.stderr.take().map(|stderr| {
        copy(stderr, std::io::stderr(), log.clone(), |line| RelayRecord::Stderr { line })
    });
    let status = child.wait()?;
    for thread in [stdout, stderr].into_iter().flatten() {
        // A panic of the thread is already on stderr.
        let _panicked = thread.join();
    }
    Ok(status)
}

/// Copies bytes as they arrive. A line is recorded before it is forwarded, so that the response is
/// always recorded after it.
fn copy(
    mut from: impl Read + Send + 'static,
    mut to: impl Write + Send + 'static,
    log: RelayLogWriter,
    entry: fn(String) -> RelayRecord,
) -> JoinHandle<()> {
    std::thread::spawn(move || {
        let mut chunk = vec![0; 64 * 1024];
        let mut line: Vec<u8> = Vec::new();
        let note = |bytes: &[u8]| {
            let text = String::from_utf8_lossy(bytes);
            log.note(&entry(text.trim_end_matches('\r').to_owned()));
        };
        while let Ok(count @ 1..) = from.read(&mut chunk) {
            for byte in &chunk[..count] {
                match byte {
                    b'\n' => note(&std::mem::take(&mut line)),
                    byte => line.push(*byte),
                }
            }
            if to.write_all(&chunk[..count]).and_then(|()| to.flush()).is_err() {
                return;
            }
        }
        if !line.is_empty() {
            note(&line);
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn log_starts_with_start_record() {
        let start = RelayRecord::Start { arguments: vec!["-p".to_owned()], env_names: Vec::new() };
        let received = RelayRecord::Stdout { line: "a \"b\"".to_owned() };
        let lines = [&start, &received].map(|it| serde_json::to_string(it).expect("a JSON value"));
        let relay_log = read_relay_log(&format!("{}\n{}\n{{half", lines[0], lines[1]));
        let relay_log = relay_log.expect("a start record");
        assert_eq!(
            (relay_log.arguments, relay_log.records),
            (vec!["-p".to_owned()], vec![received])
        );
        assert_eq!(read_relay_log(&lines[1]), None);
    }
}
