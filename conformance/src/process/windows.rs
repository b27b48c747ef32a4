//! Processes on Windows. The suite cannot look at other processes here, and says so by
//! [`CAN_INSPECT`]: checks that need it are skipped with that reason.

use std::path::Path;

use crate::stand_in::WindowSize;

/// Whether this system lets the suite see other processes.
pub const CAN_INSPECT: bool = false;

/// PATH with the system's own folders only.
pub const SYSTEM_PATH: &str = r"C:\Windows\System32;C:\Windows";

/// The file name of an executable.
pub fn executable_name(name: &str) -> String {
    format!("{name}.exe")
}

/// PATH with a folder in front of the system's own.
pub fn search_path(first: &Path) -> String {
    format!("{};{SYSTEM_PATH}", first.display())
}

/// Whether a process is there; not known here, so a caller must ask [`CAN_INSPECT`] first.
pub fn is_alive(_pid: u32) -> bool {
    false
}

/// Every live process below another one; none can be seen here.
pub fn descendants(_ancestor: u32) -> Vec<u32> {
    Vec::new()
}

/// Every live process whose executable lies in the folder; none can be seen here.
pub fn running_from(_folder: &Path) -> Vec<u32> {
    Vec::new()
}

/// Every live process that works below the folder; none can be seen here.
pub fn left_below(_folder: &Path) -> Vec<u32> {
    Vec::new()
}

/// Ends a process and everything below it.
pub fn kill(pid: u32) {
    kill_tree(pid);
}

/// Ends a process and everything below it.
pub fn kill_tree(pid: u32) {
    // A process that is already gone is what the caller wants.
    let _gone = std::process::Command::new("taskkill")
        .args(["/T", "/F", "/PID", &pid.to_string()])
        .output();
}

/// There are no signals: every one of them ends the process.
pub fn signal(pid: u32, _name: &str) {
    kill_tree(pid);
}

/// There are no sessions to leave.
pub fn leave_session() {}

/// Closing stdin for the writer has no safe counterpart here.
///
/// # Errors
/// Always.
pub fn refuse_stdin() -> std::io::Result<()> {
    Err(std::io::Error::other("stdin cannot be refused on Windows"))
}

/// The stand-in cannot use a terminal here.
///
/// # Errors
/// Always.
pub fn take_terminal() -> Result<WindowSize, String> {
    Err("the stand-in cannot use one on Windows".to_owned())
}

/// Whether this process may do everything; not known here.
pub fn is_root() -> bool {
    false
}

/// The names of this person and this machine, as far as they are told.
pub fn user_names() -> Vec<String> {
    ["USERNAME", "COMPUTERNAME"].into_iter().filter_map(|name| std::env::var(name).ok()).collect()
}

/// A process cannot become another program here.
pub fn become_program(_command: &mut std::process::Command) -> std::io::Error {
    std::io::Error::other("a process cannot become another program on Windows")
}

/// There are no signals: the process just ends.
pub fn die_by(_signal: &str) {
    std::process::exit(1);
}

/// There are no signals.
pub const SIGNALS: &[(&str, i32)] = &[];

/// There are no signals, so this never calls back.
///
/// # Errors
/// Never.
pub fn watch_signals(_on_signal: impl Fn(&'static str) + Send + 'static) -> std::io::Result<()> {
    Ok(())
}

/// Makes a symbolic link to a folder.
///
/// # Errors
/// When it cannot be made, such as without the right to.
pub fn link_folder(folder: &std::path::Path, link: &std::path::Path) -> std::io::Result<()> {
    std::os::windows::fs::symlink_dir(folder, link)
}
