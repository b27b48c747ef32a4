//! Runs a program for one short answer (`--version`, `--help`, a list of models): with a limit on
//! time and output, and with nothing of it left running afterwards.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{ChildStdin, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use od_os::tree::{Orphans, Tree};
use od_protocol::environment::RUN_ID_VARIABLE;

use crate::{Install, Machine};

/// More than any help page: a program that prints more is stopped.
const MAX_ANSWER_BYTES: usize = 256 * 1024;

/// How long the pipes are read after the program has ended: another process may hold them open.
const DRAIN_GRACE: Duration = Duration::from_millis(100);

/// The program and how it is started.
#[derive(Debug)]
pub(crate) struct Program<'a> {
    /// The executable.
    pub(crate) path: &'a Path,
    /// Its arguments.
    pub(crate) args: Vec<String>,
    /// Folders in front of PATH.
    pub(crate) path_folders: Vec<PathBuf>,
    /// How long it may take.
    pub(crate) limit: Duration,
    /// The working directory; the user's home folder when absent.
    pub(crate) cwd: Option<PathBuf>,
}

impl<'a> Program<'a> {
    /// An agent CLI.
    pub(crate) fn cli(install: &'a Install, args: &[&str], limit: Duration) -> Self {
        let args = args.iter().map(|arg| (*arg).to_owned());
        Self {
            path: &install.path,
            args: install.leading_args.iter().cloned().chain(args).collect(),
            path_folders: install.path_folders(),
            limit,
            cwd: None,
        }
    }
}

/// The output of a program and how it ended.
#[derive(Debug, Default)]
pub struct Answer {
    /// Everything on stdout.
    pub stdout: Vec<u8>,
    /// Everything on stderr.
    pub stderr: Vec<u8>,
    /// Why the program stopped.
    pub end: End,
}

/// Why a program stopped.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum End {
    /// It exited by itself; without a code when a signal ended it.
    Exited(Option<i32>),
    /// It printed too much and was killed.
    Flooded,
    /// It took too long and was killed.
    #[default]
    TimedOut,
}

enum Report {
    Stdout(Vec<u8>),
    Stderr(Vec<u8>),
    Closed,
    Exited,
}

/// What a program gets besides its arguments.
#[derive(Debug, Default)]
pub(crate) struct Input {
    /// The content of stdin; empty means no stdin.
    pub(crate) stdin: Vec<u8>,
    /// When stdin is closed.
    pub(crate) close: CloseStdin,
    /// Variables on top of the allowlist.
    pub(crate) env: BTreeMap<String, String>,
    /// Receives stdout instead of the answer, for a program that exits before a pipe has taken
    /// everything it wrote.
    pub(crate) stdout: Option<File>,
}

/// When stdin is closed.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) enum CloseStdin {
    /// After its content.
    #[default]
    AfterInput,
    /// When stdout is complete according to the function; the program is not waited for then.
    WhenComplete(fn(&[u8]) -> bool),
}

/// Runs a program without input. Every process it started has ended on return.
///
/// # Errors
/// The program cannot be started.
pub(crate) fn run(program: &Program<'_>, machine: &Machine) -> io::Result<Answer> {
    run_with_input(program, machine, Input::default())
}

/// Runs a program with input. Every process it started has ended on return.
///
/// # Errors
/// The program cannot be started.
pub(crate) fn run_with_input(
    program: &Program<'_>,
    machine: &Machine,
    input: Input,
) -> io::Result<Answer> {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let run_id = format!("probe-{}-{number}", std::process::id());
    let deadline = Instant::now() + program.limit;
    let mut command = command(program, machine, &run_id);
    command.envs(&input.env);
    if !input.stdin.is_empty() {
        command.stdin(Stdio::piped());
    }
    if let Some(file) = input.stdout {
        command.stdout(file);
    }
    let (tree, pipes) = Tree::spawn(command)?;
    let tree = Arc::new(tree);
    let (sender, receiver) = sync_channel(16);
    // Dropping the first end closes stdin.
    let (keep_stdin_open, stdin_closed) = sync_channel::<()>(0);
    if let Some(stdin) = pipes.stdin {
        write_stdin(stdin, input.stdin, input.close, stdin_closed);
    }
    let open_pipes = usize::from(pipes.stdout.is_some()) + usize::from(pipes.stderr.is_some());
    if let Some(stdout) = pipes.stdout {
        forward(stdout, sender.clone(), Report::Stdout);
    }
    if let Some(stderr) = pipes.stderr {
        forward(stderr, sender.clone(), Report::Stderr);
    }
    let waiting_tree = Arc::clone(&tree);
    let waiter = std::thread::spawn(move || {
        waiting_tree.wait_for_exit();
        // The receiver is dropped once the time is up.
        sender.send(Report::Exited).ok();
    });
    let mut answer = collect(&receiver, deadline, input.close, open_pipes);
    drop((receiver, keep_stdin_open));
    let all_ended = tree.kill_all(Orphans::With { variable: RUN_ID_VARIABLE, value: &run_id });
    // A process that hangs in the kernel must not block the caller.
    if all_ended && waiter.join().is_ok() {
        let status = tree.reap();
        if let End::Exited(code) = &mut answer.end {
            *code = status.code;
        }
    }
    Ok(answer)
}

/// Writes stdin on its own thread. The write ends when the program ends.
fn write_stdin(mut stdin: ChildStdin, input: Vec<u8>, close: CloseStdin, closed: Receiver<()>) {
    std::thread::spawn(move || {
        let written = stdin.write_all(&input);
        if matches!(close, CloseStdin::WhenComplete(_)) {
            // Nothing is ever sent: this returns when the sender is dropped.
            closed.recv().ok();
        }
        written
    });
}

fn collect(
    receiver: &Receiver<Report>,
    mut deadline: Instant,
    close: CloseStdin,
    mut open_pipes: usize,
) -> Answer {
    let mut answer = Answer::default();
    let mut has_exited = false;
    while !(has_exited && open_pipes == 0) {
        let report = receiver.recv_timeout(deadline.saturating_duration_since(Instant::now()));
        match report {
            Ok(Report::Stdout(bytes)) => answer.stdout.extend(bytes),
            Ok(Report::Stderr(bytes)) => answer.stderr.extend(bytes),
            Ok(Report::Closed) => open_pipes -= 1,
            Ok(Report::Exited) => {
                has_exited = true;
                deadline = deadline.min(Instant::now() + DRAIN_GRACE);
            }
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => break,
        }
        if answer.stdout.len() + answer.stderr.len() > MAX_ANSWER_BYTES {
            answer.end = End::Flooded;
            return answer;
        }
        if matches!(close, CloseStdin::WhenComplete(is_complete) if is_complete(&answer.stdout)) {
            return answer;
        }
    }
    if has_exited {
        answer.end = End::Exited(None);
    }
    answer
}

/// Forwards a pipe on its own thread until the pipe ends or the receiver is dropped.
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

fn command(program: &Program<'_>, machine: &Machine, run_id: &str) -> Command {
    let mut command = Command::new(program.path);
    command
        .args(&program.args)
        .env_clear()
        // No credential crosses: `--version` needs none.
        .envs(machine.allowed_env(|_| false, &program.path_folders))
        .env(RUN_ID_VARIABLE, run_id)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    // Not the adapter's working directory: an agent CLI may read a project's settings there.
    let cwd = program.cwd.as_ref().unwrap_or(&machine.home);
    if cwd.is_dir() {
        command.current_dir(cwd);
    }
    command
}
