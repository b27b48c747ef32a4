//! Signals, sessions and terminals on Windows, as far as they exist.

use std::path::Path;

use super::WindowSize;

/// PATH with the system folders only.
pub const SYSTEM_PATH: &str = r"C:\Windows\System32;C:\Windows";

/// Returns the file name of an executable.
pub fn executable_name(name: &str) -> String {
    format!("{name}.exe")
}

/// Returns PATH with a folder before the system folders.
pub fn search_path(first: &Path) -> String {
    format!("{};{SYSTEM_PATH}", first.display())
}

/// Kills a process and its descendants.
pub fn kill(pid: u32) {
    kill_tree(pid);
}

/// Kills a process and its descendants.
pub fn kill_tree(pid: u32) {
    // The caller wants the process to be gone.
    let _gone = std::process::Command::new("taskkill")
        .args(["/T", "/F", "/PID", &pid.to_string()])
        .output();
}

/// Windows has no signals: every signal kills the process.
pub fn signal(pid: u32, _name: &str) {
    kill_tree(pid);
}

/// Windows has no sessions to leave.
pub fn leave_session() {}

/// Closing stdin for the writer has no safe equivalent on Windows.
///
/// # Errors
/// Always.
pub fn refuse_stdin() -> std::io::Result<()> {
    Err(std::io::Error::other("stdin cannot be refused on Windows"))
}

/// The fake CLI cannot use a terminal on Windows.
///
/// # Errors
/// Always.
pub fn take_terminal() -> Result<WindowSize, String> {
    Err("the fake CLI cannot use a terminal on Windows".to_owned())
}

/// Whether this process runs with all rights; unknown on Windows.
pub fn is_root() -> bool {
    false
}

/// Returns the names of this user and this machine.
pub fn user_names() -> Vec<String> {
    ["USERNAME", "COMPUTERNAME"].into_iter().filter_map(|name| std::env::var(name).ok()).collect()
}

/// A process cannot replace itself on Windows.
pub fn become_program(_command: &mut std::process::Command) -> std::io::Error {
    std::io::Error::other("a process cannot replace itself on Windows")
}

/// Windows has no signals: the process exits.
pub fn die_by(_signal: &str) {
    std::process::exit(1);
}

/// Windows has no signals.
pub const SIGNALS: &[(&str, i32)] = &[];

/// Windows has no signals, so this never calls back.
///
/// # Errors
/// Never.
pub fn watch_signals(_on_signal: impl Fn(&'static str) + Send + 'static) -> std::io::Result<()> {
    Ok(())
}

/// Creates a symbolic link to a file.
///
/// # Errors
/// When it cannot be created, for example without permission.
pub fn link_file(file: &Path, link: &Path) -> std::io::Result<()> {
    std::os::windows::fs::symlink_file(file, link)
}

/// Copies a program to a new file.
///
/// # Errors
/// When the copy cannot be written.
pub fn copy_program(program: &Path, copy: &Path) -> std::io::Result<()> {
    std::fs::copy(program, copy).map(drop)
}

/// Windows has no named pipes in folders.
///
/// # Errors
/// Always.
pub fn make_fifo(_path: &Path) -> std::io::Result<()> {
    Err(std::io::Error::other("there are no named pipes in folders on Windows"))
}

/// Windows has no permission bits.
///
/// # Errors
/// Never.
pub fn set_mode(_path: &Path, _mode: u32) -> std::io::Result<()> {
    Ok(())
}

/// Creates a symbolic link to a folder.
///
/// # Errors
/// When it cannot be created, for example without permission.
pub fn link_folder(folder: &std::path::Path, link: &std::path::Path) -> std::io::Result<()> {
    std::os::windows::fs::symlink_dir(folder, link)
}
