//! Asks a program one short question (`--version`, `--help`, a shell's PATH): nothing on stdin, a
//! limit of time and bytes, and nothing of it left alive afterwards.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use od_protocol::environment::{FIXED, RUN_ID_VARIABLE, crosses};

use crate::environment::extend_path;
use crate::tree::{Ownership, Tree};
use crate::{Install, Machine};

/// More than any help page; a program that says more is flooding.
const ANSWER_LIMIT: usize = 256 * 1024;

/// What a program that has ended may still have in its pipes when something else holds them open.
const AFTER_EXIT: Duration = Duration::from_millis(100);

/// One question.
#[derive(Debug)]
pub(crate) struct Question<'a> {
    /// The program.
    pub(crate) program: &'a Path,
    /// Its arguments.
    pub(crate) args: Vec<String>,
    /// Folders it needs on PATH before the others.
    pub(crate) path_folders: Vec<PathBuf>,
    /// How long it may take.
    pub(crate) limit: Duration,
    /// Where it works; the person's home when nobody says.
    pub(crate) cwd: Option<PathBuf>,
}

impl<'a> Question<'a> {
    /// A question to an agent CLI.
    pub(crate) fn to_cli(install: &'a Install, args: &[&str], limit: Duration) -> Self {
        let args = args.iter().map(|arg| (*arg).to_owned());
        Self {
            program: &install.path,
            args: install.leading_args.iter().cloned().chain(args).collect(),
            path_folders: install.path_folders(),
            limit,
            cwd: None,
        }
    }
}

/// What came back.
#[derive(Debug, Default)]
pub(crate) struct Answer {
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: Vec<u8>,
    pub(crate) end: End,
}

/// Why no more came back.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum End {
    /// The program ended by itself; without a code when by a signal.
    Exited(Option<i32>),
    /// It said too much and was ended.
    Flooded,
    /// It took too long and was ended.
    #[default]
    TimedOut,
}

enum Report {
    Stdout(Vec<u8>),
    Stderr(Vec<u8>),
    Closed,
    Exited,
}

/// What a program gets beyond the question itself: lines on stdin, variables.
#[derive(Debug, Default)]
pub(crate) struct Words {
    /// All of stdin; nothing means none.
    pub(crate) stdin: Vec<u8>,
    /// What becomes of stdin then.
    pub(crate) then: Stdin,
    /// Variables on top of the allowlist.
    pub(crate) env: BTreeMap<String, String>,
    /// Gets stdout in place of the answer, for a program that leaves what a pipe does not take at once.
    pub(crate) stdout: Option<File>,
}

/// What becomes of stdin once everything was said.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) enum Stdin {
    /// It is closed.
    #[default]
    Closed,
    /// It stays open until the answer so far is enough, and then nothing more is waited for.
    OpenUntil(fn(&[u8]) -> bool),
}

/// Asks and waits. When it returns, everything the program started has ended.
///
/// # Errors
/// The program could not be started.
pub(crate) fn ask(question: &Question<'_>, machine: &Machine) -> io::Result<Answer> {
    ask_saying(question, machine, Words::default())
}

/// As [`ask`], for a program that is told something first.
///
/// # Errors
/// The program could not be started.
pub(crate) fn ask_saying(
    question: &Question<'_>,
    machine: &Machine,
    words: Words,
) -> io::Result<Answer> {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let mark = format!("probe-{}-{number}", std::process::id());
    let deadline = Instant::now() + question.limit;
    let mut command = command(question, machine, &mark);
    command.envs(&words.env);
    if !words.stdin.is_empty() {
        command.stdin(Stdio::piped());
    }
    if let Some(file) = words.stdout {
        command.stdout(file);
    }
    let (tree, pipes) = Tree::spawn(command)?;
    let tree = Arc::new(tree);
    let (sender, receiver) = sync_channel(16);
    let (keep_open, let_go) = sync_channel::<()>(0);
    if let Some(mut stdin) = pipes.stdin {
        // A program that does not read ends the write when it ends.
        std::thread::spawn(move || {
            let written = stdin.write_all(&words.stdin);
            if matches!(words.then, Stdin::OpenUntil(_)) {
                // Nothing is ever sent: this waits until the other end is dropped.
                let_go.recv().ok();
            }
            written
        });
    }
    let open_pipes = usize::from(pipes.stdout.is_some()) + usize::from(pipes.stderr.is_some());
    if let Some(stdout) = pipes.stdout {
        forward(stdout, sender.clone(), Report::Stdout);
    }
    if let Some(stderr) = pipes.stderr {
        forward(stderr, sender.clone(), Report::Stderr);
    }
    let watched = Arc::clone(&tree);
    let watcher = std::thread::spawn(move || {
        watched.wait_for_exit();
        // Nobody listens any more once the time is up.
        sender.send(Report::Exited).ok();
    });
    let mut answer = listen(&receiver, deadline, words.then, open_pipes);
    drop((receiver, keep_open));
    let everything_ended = tree.kill_all(Ownership { run_id: &mark, alone: false });
    // A process stuck in the kernel must not take us with it.
    if everything_ended && watcher.join().is_ok() {
        let status = tree.reap();
        if let End::Exited(code) = &mut answer.end {
            *code = status.code;
        }
    }
    Ok(answer)
}

fn listen(
    receiver: &Receiver<Report>,
    deadline: Instant,
    then: Stdin,
    mut open_pipes: usize,
) -> Answer {
    let mut answer = Answer::default();
    let mut deadline = deadline;
    let mut exited = false;
    while !(exited && open_pipes == 0) {
        let report = receiver.recv_timeout(deadline.saturating_duration_since(Instant::now()));
        match report {
            Ok(Report::Stdout(bytes)) => answer.stdout.extend(bytes),
            Ok(Report::Stderr(bytes)) => answer.stderr.extend(bytes),
            Ok(Report::Closed) => open_pipes -= 1,
            Ok(Report::Exited) => {
                exited = true;
                deadline = deadline.min(Instant::now() + AFTER_EXIT);
            }
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => break,
        }
        if answer.stdout.len() + answer.stderr.len() > ANSWER_LIMIT {
            answer.end = End::Flooded;
            return answer;
        }
        if matches!(then, Stdin::OpenUntil(is_enough) if is_enough(&answer.stdout)) {
            return answer;
        }
    }
    if exited {
        answer.end = End::Exited(None);
    }
    answer
}

/// A thread of its own per pipe: it ends when the pipe does or when nobody listens.
fn forward(
    mut pipe: impl Read + Send + 'static,
    sender: SyncSender<Report>,
    report: fn(Vec<u8>) -> Report,
) {
    std::thread::spawn(move || {
        let mut buffer = [0; 8192];
        loop {
            match pipe.read(&mut buffer) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Ok(0) | Err(_) => break,
                Ok(length) => {
                    if sender.send(report(buffer[..length].to_vec())).is_err() {
                        return;
                    }
                }
            }
        }
        sender.send(Report::Closed).ok();
    });
}

fn command(question: &Question<'_>, machine: &Machine, mark: &str) -> Command {
    let mut command = Command::new(question.program);
    command
        .args(&question.args)
        .env_clear()
        .envs(environment(question, machine))
        .env(RUN_ID_VARIABLE, mark)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    // Not the adapter's own folder: an agent CLI may read a project's settings from there.
    let cwd = question.cwd.as_ref().unwrap_or(&machine.home);
    if cwd.is_dir() {
        command.current_dir(cwd);
    }
    command
}

/// The allowlist and no credential: the version is nobody's secret.
fn environment(question: &Question<'_>, machine: &Machine) -> BTreeMap<String, String> {
    let mut env: BTreeMap<String, String> = machine
        .env
        .iter()
        .filter(|(name, _)| crosses(name))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    env.extend(FIXED.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
    extend_path(&mut env, &question.path_folders);
    env
}
