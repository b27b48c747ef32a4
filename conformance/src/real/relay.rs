//! The relay: the suite's own executable under the agent CLI's name, between the adapter and the
//! real agent CLI. It hands everything on and writes down what each side said, in the order it
//! passed. It obeys a file beside itself, since a correct adapter strips the environment.

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

/// What passed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "from", rename_all = "snake_case")]
pub(in crate::real) enum Passed {
    /// The relay was started.
    Start {
        /// With these arguments.
        arguments: Vec<String>,
        /// And variables of these names.
        env_names: Vec<String>,
    },
    /// A line from the adapter.
    Stdin {
        /// The line.
        line: String,
    },
    /// A line from the agent CLI.
    Stdout {
        /// The line.
        line: String,
    },
    /// A line of its stderr.
    Stderr {
        /// The line.
        line: String,
    },
    /// A signal from the adapter.
    Signal {
        /// Its name.
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
pub(in crate::real) struct Journal {
    /// Its arguments.
    pub(super) arguments: Vec<String>,
    /// The names of its variables.
    pub(super) env_names: Vec<String>,
    /// Everything that passed after that.
    pub(super) passed: Vec<Passed>,
}

impl Journal {
    /// Everything that the agent CLI printed.
    pub(super) fn stdout(&self) -> String {
        let line = |passed: &Passed| match passed {
            Passed::Stdout { line } => Some(format!("{line}\n")),
            _ => None,
        };
        self.passed.iter().filter_map(line).collect()
    }
}

/// The suite's handle on a relay.
#[derive(Debug, Clone)]
pub(super) struct Relay {
    folder: PathBuf,
    executable: PathBuf,
}

impl Relay {
    /// Puts the relay into a folder of its own, under the agent CLI's name.
    ///
    /// # Errors
    /// When the folder or a file cannot be made.
    pub(super) fn place(folder: &Path, suite: &Suite, cli: &Path) -> std::io::Result<Self> {
        std::fs::create_dir_all(folder.join(JOURNAL_FOLDER))?;
        std::fs::write(folder.join(RELAY_FILE), serde_json::to_vec(cli)?)?;
        let executable = folder.join(process::executable_name(&suite.cli_name()));
        if std::fs::hard_link(&suite.executable, &executable).is_err() {
            std::fs::copy(&suite.executable, &executable)?;
        }
        Ok(Self { folder: folder.to_owned(), executable })
    }

    /// What `config.cliPath` is set to.
    pub(super) fn executable(&self) -> &Path {
        &self.executable
    }

    /// Every start so far, the oldest first.
    pub(super) fn journals(&self) -> Vec<Journal> {
        let entries = std::fs::read_dir(self.folder.join(JOURNAL_FOLDER));
        let mut files: Vec<PathBuf> =
            entries.into_iter().flatten().flatten().map(|entry| entry.path()).collect();
        files.sort();
        files.iter().filter_map(|file| read_journal(&std::fs::read_to_string(file).ok()?)).collect()
    }
}

fn read_journal(text: &str) -> Option<Journal> {
    let mut passed = text.lines().filter_map(|line| serde_json::from_str(line).ok());
    match passed.next()? {
        Passed::Start { arguments, env_names } => {
            Some(Journal { arguments, env_names, passed: passed.collect() })
        }
        _ => None,
    }
}

/// Acts as a relay when its file lies beside the executable; `None` when there is none.
pub fn become_relay(executable: &Path, arguments: &[String]) -> Option<ExitCode> {
    let folder = executable.parent()?;
    let file = std::fs::read(folder.join(RELAY_FILE)).ok()?;
    let cli: PathBuf = serde_json::from_slice(&file).ok()?;
    Some(relay(folder, &cli, arguments).unwrap_or_else(|error| {
        eprintln!("the relay cannot start {}: {error}", cli.display());
        ExitCode::from(127)
    }))
}

/// Where a relay writes down what passes; clones write to the same file.
#[derive(Debug, Clone)]
struct Log(Arc<Mutex<std::fs::File>>);

impl Log {
    fn note(&self, passed: &Passed) {
        let line = serde_json::to_string(passed).unwrap_or_default() + "\n";
        // A full disk costs the recording, not the run.
        let _unwritten =
            self.0.lock().unwrap_or_else(PoisonError::into_inner).write_all(line.as_bytes());
    }
}

fn relay(folder: &Path, cli: &Path, arguments: &[String]) -> std::io::Result<ExitCode> {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let name = format!("{:020}-{}.jsonl", since.as_nanos(), std::process::id());
    let file = std::fs::File::create(folder.join(JOURNAL_FOLDER).join(name))?;
    let log = Log(Arc::new(Mutex::new(file)));
    let env_names = std::env::vars_os().map(|(name, _)| name.to_string_lossy().into_owned());
    log.note(&Passed::Start { arguments: arguments.to_vec(), env_names: env_names.collect() });
    let mut child = Command::new(cli)
        .args(std::env::args_os().skip(1))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let (pid, signal_log) = (child.id(), log.clone());
    process::watch_signals(move |name| {
        signal_log.note(&Passed::Signal { name: name.to_owned() });
        process::signal(pid, name);
    })?;
    let status = hand_on(&mut child, &log)?;
    log.note(&Passed::Exit { code: status.code() });
    Ok(ExitCode::from(u8::try_from(status.code().unwrap_or(1)).unwrap_or(1)))
}

/// Hands everything on until the agent CLI has ended and said its last.
fn hand_on(child: &mut Child, log: &Log) -> std::io::Result<ExitStatus> {
    if let Some(stdin) = child.stdin.take() {
        // It ends with this process: an adapter may keep its end open for ever.
        copy(std::io::stdin(), stdin, log.clone(), |line| Passed::Stdin { line });
    }
    let stdout = child
        .stdout
        .take()
        .map(|stdout| copy(stdout, std::io::stdout(), log.clone(), |line| Passed::Stdout { line }));
    let stderr = child
        .stderr
        .take()
        .map(|stderr| copy(stderr, std::io::stderr(), log.clone(), |line| Passed::Stderr { line }));
    let status = child.wait()?;
    for thread in [stdout, stderr].into_iter().flatten() {
        // A thread of ours that panicked has said so on stderr.
        let _panicked = thread.join();
    }
    Ok(status)
}

/// Copies bytes as they come. What a line says is written down before it is handed on, so that an
/// answer to it always stands behind it.
fn copy(
    mut from: impl Read + Send + 'static,
    mut to: impl Write + Send + 'static,
    log: Log,
    passed: fn(String) -> Passed,
) -> JoinHandle<()> {
    std::thread::spawn(move || {
        let mut chunk = vec![0; 64 * 1024];
        let mut line: Vec<u8> = Vec::new();
        let note = |bytes: &[u8]| {
            let text = String::from_utf8_lossy(bytes);
            log.note(&passed(text.trim_end_matches('\r').to_owned()));
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
    fn a_journal_begins_with_its_start() {
        let start = Passed::Start { arguments: vec!["-p".to_owned()], env_names: Vec::new() };
        let said = Passed::Stdout { line: "a \"b\"".to_owned() };
        let lines = [&start, &said].map(|it| serde_json::to_string(it).expect("it is data"));
        let journal = read_journal(&format!("{}\n{}\n{{half", lines[0], lines[1]));
        let journal = journal.expect("there is a start");
        assert_eq!((journal.arguments, journal.passed), (vec!["-p".to_owned()], vec![said]));
        assert_eq!(read_journal(&lines[1]), None);
    }
}
