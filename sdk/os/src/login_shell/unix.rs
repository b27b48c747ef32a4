//! Queries a shell on Unix: as an interactive login shell, because people set PATH in either kind
//! of startup file, and in its own session, because an interactive shell would otherwise
//! compete for the terminal.

use std::ffi::OsString;
use std::io::Read;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::process::{ChildStdout, Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use super::{LoginShell, QueryError};
use crate::tree::{Orphans, Tree};

/// Startup files may print anything: PATH is printed between two of these.
const MARKER: &str = "__od_login_path__";

/// Prints PATH in the language of every supported shell. The second program is for a PATH without
/// system folders.
const PRINT_PATH: &str = "printenv PATH || /usr/bin/printenv PATH";

/// A shell that prints more than this is not read further.
const MAX_OUTPUT_BYTES: usize = 256 * 1024;

/// Startup files below the home folder.
const USER_FILES: [&str; 13] = [
    ".profile",
    ".bash_profile",
    ".bash_login",
    ".bashrc",
    ".zshenv",
    ".zprofile",
    ".zshrc",
    ".zlogin",
    ".config/fish/config.fish",
    ".config/fish/conf.d",
    ".cshrc",
    ".tcshrc",
    ".login",
];

/// Startup files of all users.
const SYSTEM_FILES: [&str; 13] = [
    "/etc/profile",
    "/etc/profile.d",
    "/etc/environment",
    "/etc/paths",
    "/etc/paths.d",
    "/etc/bashrc",
    "/etc/bash.bashrc",
    "/etc/zshenv",
    "/etc/zprofile",
    "/etc/zshrc",
    "/etc/zsh/zshenv",
    "/etc/zsh/zprofile",
    "/etc/zsh/zshrc",
];

/// Returns the user's shell: `$SHELL`, else the one in the user database, else the system's
/// default. `None` on Windows.
pub fn user_shell() -> Option<PathBuf> {
    let from_env = std::env::var_os("SHELL").map(PathBuf::from).filter(|shell| shell.is_absolute());
    let user = rustix::process::geteuid().as_raw();
    let from_passwd = || shell_in_passwd(&std::fs::read_to_string("/etc/passwd").ok()?, user);
    let default = if cfg!(target_os = "macos") { "/bin/zsh" } else { "/bin/sh" };
    from_env.or_else(from_passwd).or_else(|| Some(PathBuf::from(default)))
}

/// Finds the shell of a user in the text of `/etc/passwd`.
fn shell_in_passwd(passwd: &str, user: u32) -> Option<PathBuf> {
    let shell = passwd.lines().find_map(|line| {
        let fields: Vec<&str> = line.split(':').collect();
        (fields.get(2)?.parse() == Ok(user)).then(|| fields.get(6).copied())?
    });
    shell.map(PathBuf::from).filter(|shell| shell.is_absolute())
}

/// Lists every file that can change the answer. `folders` are the home folder and `$ZDOTDIR`.
pub(super) fn startup_files(folders: &[&Path]) -> Vec<PathBuf> {
    let user = folders.iter().flat_map(|folder| USER_FILES.iter().map(|name| folder.join(name)));
    user.chain(SYSTEM_FILES.iter().map(PathBuf::from)).collect()
}

/// Starts the shell and reads its PATH.
pub(super) fn query_path(shell: &LoginShell, limit: Duration) -> Result<OsString, QueryError> {
    let (tree, pipes) = Tree::spawn(command(shell)).map_err(QueryError::NotStarted)?;
    let (sender, receiver) = mpsc::channel();
    if let Some(stdout) = pipes.stdout {
        // A background job of a startup file may hold the pipe open, so this thread is not joined.
        std::thread::spawn(move || sender.send(read_path(stdout)));
    }
    let answer = receiver.recv_timeout(limit);
    // A process that hangs in the kernel must not block the caller.
    if tree.kill_all(Orphans::None) {
        tree.reap();
    }
    match answer {
        Ok(Some(path)) => Ok(path),
        Ok(None) | Err(RecvTimeoutError::Disconnected) => Err(QueryError::NoPath),
        Err(RecvTimeoutError::Timeout) => Err(QueryError::TimedOut(limit)),
    }
}

fn command(shell: &LoginShell) -> Command {
    let mut command = Command::new(&shell.program);
    command
        .args(switches(&shell.program))
        .arg(format!("echo {MARKER}; {PRINT_PATH}; echo {MARKER}"))
        .env_clear()
        .envs(shell.env.iter().map(|(name, value)| (name, value)))
        .env("TERM", "dumb")
        .env("OD_LOGIN_PATH", "1")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    if let Some(home) = shell.home.as_ref().filter(|home| home.is_dir()) {
        command.env("HOME", home).current_dir(home);
    }
    command
}

/// Interactive, login, command. csh rejects `-l` beside other switches.
fn switches(shell: &Path) -> &'static [&'static str] {
    match shell.file_name().and_then(|name| name.to_str()) {
        Some("csh" | "tcsh") => &["-i", "-c"],
        _ => &["-i", "-l", "-c"],
    }
}

/// Reads until the answer is complete, which may be before the end of the output.
fn read_path(mut stdout: ChildStdout) -> Option<OsString> {
    let (mut output, mut chunk) = (Vec::new(), [0; 4096]);
    while output.len() < MAX_OUTPUT_BYTES {
        let length = stdout.read(&mut chunk).ok().filter(|length| *length > 0)?;
        output.extend_from_slice(&chunk[..length]);
        if let Some(path) = path_between_markers(&output) {
            return Some(path);
        }
    }
    None
}

/// Returns the one line between the markers once both have arrived.
fn path_between_markers(output: &[u8]) -> Option<OsString> {
    let marker = MARKER.as_bytes();
    let begin = memchr::memmem::find(output, marker)? + marker.len();
    let length = memchr::memmem::find(&output[begin..], marker)?;
    let path = output[begin..begin + length].trim_ascii();
    let is_one_line = !path.is_empty() && !path.contains(&b'\n');
    is_one_line.then(|| OsString::from_vec(path.to_vec()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_of_startup_files_is_ignored() {
        let output = format!("hello\n{MARKER}\n/a:/b c\n{MARKER}\nbye");
        assert_eq!(path_between_markers(output.as_bytes()), Some("/a:/b c".into()));
        for incomplete in [format!("{MARKER}\n/a"), format!("{MARKER}\n{MARKER}\n"), String::new()]
        {
            assert_eq!(path_between_markers(incomplete.as_bytes()), None, "{incomplete:?}");
        }
    }

    #[test]
    fn passwd_names_shell_of_user() {
        let passwd = "root:x:0:0::/root:/bin/bash\nada:x:1000:1000:Ada:/home/ada:/usr/bin/fish\n\
                      odd:x:7:7\nnone:x:8:8::/:\n";
        assert_eq!(shell_in_passwd(passwd, 1000), Some("/usr/bin/fish".into()));
        assert_eq!(shell_in_passwd(passwd, 7), None);
        assert_eq!(shell_in_passwd(passwd, 8), None);
    }

    #[test]
    fn csh_gets_no_login_switch() {
        assert_eq!(switches(Path::new("/bin/tcsh")), ["-i", "-c"]);
        assert_eq!(switches(Path::new("/bin/zsh")), ["-i", "-l", "-c"]);
    }

    #[test]
    fn profile_of_home_folder_sets_path() {
        let home = tempfile::tempdir().expect("a folder");
        std::fs::write(home.path().join(".profile"), "echo Hello\nPATH=/ada/bin:$PATH\n")
            .expect("a startup file");
        let shell = LoginShell {
            program: "/bin/sh".into(),
            home: Some(home.path().to_owned()),
            env: vec![("PATH".into(), "/usr/bin:/bin".into())],
        };
        let path = shell.query_path(super::super::STARTUP_LIMIT).expect("a PATH");
        assert!(path.to_string_lossy().starts_with("/ada/bin:"), "{path:?}");
    }
}
