//! Signals, sessions and terminals on Unix.

use std::path::Path;

use rustix::process::{Pid, Signal};

use super::{WindowSize, descendants};

/// PATH with the system folders only.
pub const SYSTEM_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// Returns the file name of an executable.
pub fn executable_name(name: &str) -> String {
    name.to_owned()
}

/// Returns PATH with a folder before the system folders.
pub fn search_path(first: &Path) -> String {
    format!("{}:{SYSTEM_PATH}", first.display())
}

/// Kills a process.
pub fn kill(pid: u32) {
    send_signal(pid, Signal::KILL);
}

/// Sends a signal by its name; unknown names are ignored.
pub fn signal(pid: u32, name: &str) {
    if let Some(signal) = signal_number(name).and_then(Signal::from_named_raw) {
        send_signal(pid, signal);
    }
}

/// Kills a process and its descendants.
pub fn kill_tree(pid: u32) {
    let below = descendants(pid);
    kill(pid);
    below.into_iter().for_each(kill);
}

/// Leaves the session of the parent, so that a group kill does not reach this process.
pub fn leave_session() {
    // It fails only for a group leader, and a process that was just started is not one.
    let _already_leading = rustix::process::setsid();
}

/// Closes stdin, so that writing to it fails.
///
/// # Errors
/// When the null device cannot be opened or duplicated.
pub fn refuse_stdin() -> std::io::Result<()> {
    let nothing = std::fs::File::open("/dev/null")?;
    Ok(rustix::stdio::dup2_stdin(&nothing)?)
}

/// Switches the terminal of stdin and stdout to raw mode and returns its size.
///
/// # Errors
/// When stdin or stdout is not a terminal.
pub fn take_terminal() -> Result<WindowSize, String> {
    use rustix::termios::{OptionalActions, isatty, tcgetattr, tcgetwinsize, tcsetattr};
    let (stdin, stdout) = (std::io::stdin(), std::io::stdout());
    for (name, is_one) in [("stdin", isatty(&stdin)), ("stdout", isatty(&stdout))] {
        if !is_one {
            return Err(format!("{name} is not a terminal"));
        }
    }
    let failed = |error: rustix::io::Errno| format!("the terminal cannot be set up: {error}");
    let mut settings = tcgetattr(&stdin).map_err(failed)?;
    settings.make_raw();
    tcsetattr(&stdin, OptionalActions::Now, &settings).map_err(failed)?;
    let size = tcgetwinsize(&stdout).map_err(failed)?;
    Ok(WindowSize { columns: size.ws_col, rows: size.ws_row })
}

/// Whether this process runs as root.
pub fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Returns the names of this user and this machine, without generic ones.
pub fn user_names() -> Vec<String> {
    let of_env = ["USER", "LOGNAME"].into_iter().filter_map(|name| std::env::var(name).ok());
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").ok();
    let mut names: Vec<String> = of_env.chain(host).map(|name| name.trim().to_owned()).collect();
    names.retain(|name| name.len() > 3 && !PLAIN_NAMES.contains(&name.as_str()));
    names
}

/// Names that identify no user and occur as ordinary words.
const PLAIN_NAMES: &[&str] = &["root", "user", "host", "localhost", "runner"];

/// Replaces this process with another program; returns only on failure.
pub fn become_program(command: &mut std::process::Command) -> std::io::Error {
    std::os::unix::process::CommandExt::exec(command)
}

/// Ends this process by a signal.
pub fn die_by(signal: &str) {
    let this = rustix::process::getpid();
    if let Some(number) = signal_number(signal).filter(|number| *number != Signal::KILL.as_raw()) {
        // Only unknown numbers are refused, and these come from our own table.
        let _refused = signal_hook::low_level::emulate_default_handler(number);
    }
    // Reached by SIGKILL and by names outside the table.
    let _gone = rustix::process::kill_process(this, Signal::KILL);
}

/// The signals that can be caught, with their numbers.
pub const SIGNALS: &[(&str, i32)] = &[
    ("SIGINT", signal_hook::consts::SIGINT),
    ("SIGTERM", signal_hook::consts::SIGTERM),
    ("SIGHUP", signal_hook::consts::SIGHUP),
    ("SIGQUIT", signal_hook::consts::SIGQUIT),
];

/// Calls back with the name of each received signal, on a separate thread.
///
/// # Errors
/// When the handlers cannot be installed.
pub fn watch_signals(on_signal: impl Fn(&'static str) + Send + 'static) -> std::io::Result<()> {
    let mut signals =
        signal_hook::iterator::Signals::new(SIGNALS.iter().map(|(_, number)| *number))?;
    std::thread::spawn(move || {
        for number in signals.forever() {
            if let Some((name, _)) = SIGNALS.iter().find(|(_, known)| *known == number) {
                on_signal(name);
            }
        }
    });
    Ok(())
}

fn signal_number(name: &str) -> Option<i32> {
    let known = SIGNALS.iter().find(|(known, _)| *known == name).map(|(_, number)| *number);
    known.or(match name {
        "SIGKILL" => Some(Signal::KILL.as_raw()),
        "SIGSEGV" => Some(Signal::SEGV.as_raw()),
        "SIGABRT" => Some(Signal::ABORT.as_raw()),
        _ => None,
    })
}

fn send_signal(pid: u32, signal: Signal) {
    if let Some(pid) = to_pid(pid) {
        // The caller wants the process to be gone.
        let _gone = rustix::process::kill_process(pid, signal);
    }
}

fn to_pid(pid: u32) -> Option<Pid> {
    Pid::from_raw(i32::try_from(pid).ok()?)
}

/// Creates a symbolic link to a file.
pub fn link_file(file: &Path, link: &Path) -> std::io::Result<()> {
    std::os::unix::fs::symlink(file, link)
}

/// Copies a program to a new file. Another process writes the copy: a thread that forks while this
/// process has the file open for writing would keep it from being executed.
pub fn copy_program(program: &Path, copy: &Path) -> std::io::Result<()> {
    let status = std::process::Command::new("cp").arg(program).arg(copy).status()?;
    if status.success() { Ok(()) } else { Err(std::io::Error::other("cp failed")) }
}

/// Creates a named pipe: opening it for reading blocks until there is a writer.
pub fn make_fifo(path: &Path) -> std::io::Result<()> {
    let status = std::process::Command::new("mkfifo").arg(path).status()?;
    if status.success() { Ok(()) } else { Err(std::io::Error::other("mkfifo failed")) }
}

/// Sets the permission bits of a file.
pub fn set_mode(path: &Path, mode: u32) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode))
}

/// Creates a symbolic link to a folder.
pub fn link_folder(folder: &std::path::Path, link: &std::path::Path) -> std::io::Result<()> {
    std::os::unix::fs::symlink(folder, link)
}
