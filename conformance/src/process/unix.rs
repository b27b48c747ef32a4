//! Processes on Unix. What is running is read from `/proc`; a system without it is told so by
//! [`CAN_INSPECT`].

use std::path::Path;

use rustix::process::{Pid, Signal};

use crate::stand_in::WindowSize;

/// Whether this system lets the suite see other processes.
pub const CAN_INSPECT: bool = cfg!(target_os = "linux");

/// PATH with the system's own folders only.
pub const SYSTEM_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// The file name of an executable.
pub fn executable_name(name: &str) -> String {
    name.to_owned()
}

/// PATH with a folder in front of the system's own.
pub fn search_path(first: &Path) -> String {
    format!("{}:{SYSTEM_PATH}", first.display())
}

/// Whether a process is there and no zombie.
pub fn is_alive(pid: u32) -> bool {
    if CAN_INSPECT {
        return status(pid).is_some_and(|status| status.state != 'Z' && status.state != 'X');
    }
    to_pid(pid).is_some_and(|pid| rustix::process::test_kill_process(pid).is_ok())
}

/// Every live process below another one.
///
/// The way leads through the dead as well: while a process with several threads is dying, its first
/// thread is a zombie already and its children still belong to it.
pub fn descendants(ancestor: u32) -> Vec<u32> {
    let all: Vec<(u32, Status)> =
        process_ids().filter_map(|pid| Some((pid, status(pid)?))).collect();
    let mut found = vec![ancestor];
    let mut next = 0;
    while let Some(&parent) = found.get(next) {
        found.extend(all.iter().filter(|(_, status)| status.parent == parent).map(|(pid, _)| *pid));
        next += 1;
    }
    let is_live = |pid: &u32| all.iter().any(|(other, status)| other == pid && status.state != 'Z');
    found.into_iter().skip(1).filter(is_live).collect()
}

/// Every live process whose executable lies in the folder.
pub fn running_from(folder: &Path) -> Vec<u32> {
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let is_from = |pid: &u32| {
        let executable = std::fs::read_link(format!("/proc/{pid}/exe"));
        executable.is_ok_and(|executable| executable.starts_with(&folder)) && is_alive(*pid)
    };
    process_ids().filter(is_from).collect()
}

/// Every live process that was started after this one and works in a folder below the given one,
/// was started from there or has it in its environment: what a plugin left behind, however it left
/// its family.
pub fn left_below(folder: &Path) -> Vec<u32> {
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let own = std::process::id();
    let Some(begun) = start_time(own) else { return Vec::new() };
    let is_below = |pid: u32| {
        let links = ["exe", "cwd"].map(|link| std::fs::read_link(format!("/proc/{pid}/{link}")));
        let is_linked = |path: std::path::PathBuf| path != folder && path.starts_with(&folder);
        let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        let home = [b"HOME=", folder.as_os_str().as_encoded_bytes(), b"/"].concat();
        links.into_iter().flatten().any(is_linked)
            || environment.split(|byte| *byte == 0).any(|entry| entry.starts_with(&home))
    };
    let is_later = |pid: u32| start_time(pid).is_some_and(|started| started >= begun);
    process_ids().filter(|pid| *pid != own && is_later(*pid) && is_below(*pid)).collect()
}

/// Ends a process at once, without asking it.
pub fn kill(pid: u32) {
    send_signal(pid, Signal::KILL);
}

/// Sends a signal by its name; names outside the table are passed over.
pub fn signal(pid: u32, name: &str) {
    if let Some(signal) = signal_number(name).and_then(Signal::from_named_raw) {
        send_signal(pid, signal);
    }
}

/// Ends a process and everything below it.
pub fn kill_tree(pid: u32) {
    let below = descendants(pid);
    kill(pid);
    below.into_iter().for_each(kill);
}

/// Leaves the session of the parent, so that a group kill does not reach this process.
pub fn leave_session() {
    // It fails only for the leader of a group, which a process that was just started is not.
    let _already_leading = rustix::process::setsid();
}

/// Closes stdin, so that whoever writes to it is told.
///
/// # Errors
/// When the null device cannot be opened or put in its place.
pub fn refuse_stdin() -> std::io::Result<()> {
    let nothing = std::fs::File::open("/dev/null")?;
    Ok(rustix::stdio::dup2_stdin(&nothing)?)
}

/// Makes the terminal that stdin and stdout are raw, without an echo, and tells its size.
///
/// # Errors
/// What is no terminal.
pub fn take_terminal() -> Result<WindowSize, String> {
    use rustix::termios::{OptionalActions, isatty, tcgetattr, tcgetwinsize, tcsetattr};
    let (stdin, stdout) = (std::io::stdin(), std::io::stdout());
    for (name, is_one) in [("stdin", isatty(&stdin)), ("stdout", isatty(&stdout))] {
        if !is_one {
            return Err(format!("its {name} is none"));
        }
    }
    let failed = |error: rustix::io::Errno| format!("it cannot be set up: {error}");
    let mut settings = tcgetattr(&stdin).map_err(failed)?;
    settings.make_raw();
    tcsetattr(&stdin, OptionalActions::Now, &settings).map_err(failed)?;
    let size = tcgetwinsize(&stdout).map_err(failed)?;
    Ok(WindowSize { columns: size.ws_col, rows: size.ws_row })
}

/// Whether this process may do everything.
pub fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// The names of this person and this machine, as far as they are told and tell anything.
pub fn user_names() -> Vec<String> {
    let of_env = ["USER", "LOGNAME"].into_iter().filter_map(|name| std::env::var(name).ok());
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").ok();
    let mut names: Vec<String> = of_env.chain(host).map(|name| name.trim().to_owned()).collect();
    names.retain(|name| name.len() > 3 && !PLAIN_NAMES.contains(&name.as_str()));
    names
}

/// Names that tell nothing, and occur as words.
const PLAIN_NAMES: &[&str] = &["root", "user", "host", "localhost", "runner"];

/// Becomes another program; returns only when that fails.
pub fn become_program(command: &mut std::process::Command) -> std::io::Error {
    std::os::unix::process::CommandExt::exec(command)
}

/// Dies by a signal.
pub fn die_by(signal: &str) {
    let this = rustix::process::getpid();
    if let Some(number) = signal_number(signal).filter(|number| *number != Signal::KILL.as_raw()) {
        // Only an unknown number is refused, and these come from our own table.
        let _refused = signal_hook::low_level::emulate_default_handler(number);
    }
    // Reached by SIGKILL and by names outside the table.
    let _gone = rustix::process::kill_process(this, Signal::KILL);
}

/// The signals that can be caught and named, with their numbers.
pub const SIGNALS: &[(&str, i32)] = &[
    ("SIGINT", signal_hook::consts::SIGINT),
    ("SIGTERM", signal_hook::consts::SIGTERM),
    ("SIGHUP", signal_hook::consts::SIGHUP),
    ("SIGQUIT", signal_hook::consts::SIGQUIT),
];

/// Calls back with the name of each signal that arrives, on a thread of its own.
///
/// # Errors
/// When the handlers cannot be put in place.
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
        // A process that is already gone is what the caller wants.
        let _gone = rustix::process::kill_process(pid, signal);
    }
}

fn to_pid(pid: u32) -> Option<Pid> {
    Pid::from_raw(i32::try_from(pid).ok()?)
}

/// Makes a symbolic link to a folder.
///
/// # Errors
/// When it cannot be made.
pub fn link_folder(folder: &std::path::Path, link: &std::path::Path) -> std::io::Result<()> {
    std::os::unix::fs::symlink(folder, link)
}

struct Status {
    state: char,
    parent: u32,
}

fn status(pid: u32) -> Option<Status> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name in parentheses may contain anything, parentheses included.
    let mut words = text.rsplit_once(')')?.1.split_whitespace();
    Some(Status { state: words.next()?.chars().next()?, parent: words.next()?.parse().ok()? })
}

/// When a process was started, in ticks of the system's clock.
fn start_time(pid: u32) -> Option<u64> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    text.rsplit_once(')')?.1.split_whitespace().nth(19)?.parse().ok()
}

fn process_ids() -> impl Iterator<Item = u32> {
    std::fs::read_dir("/proc")
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
}
