//! Asking a shell on Unix: as an interactive login shell, because people set PATH in either kind of startup
//! file; in a session of its own, because an interactive shell would otherwise fight for our terminal.

use std::ffi::OsString;
use std::io::Read;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::process::{ChildStdout, Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use od_protocol::environment::NESTING_MARKERS;
use process_wrap::std::{CommandWrap, ProcessSession};

/// Startup files may print what they like; the answer stands between two of these.
const MARKER: &str = "__od_login_path__";
const LONGEST: usize = 256 * 1024;

/// Startup files below the home folder.
const OWN_FILES: [&str; 13] = [
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
const SHARED_FILES: [&str; 13] = [
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

/// The person's shell: `$SHELL`, else what the user database says, else the system's own.
pub(super) fn shell() -> Option<PathBuf> {
    let named = std::env::var_os("SHELL").map(PathBuf::from).filter(|shell| shell.is_absolute());
    let listed = || listed_shell(&std::fs::read_to_string("/etc/passwd").ok()?, own_user());
    let usual = if cfg!(target_os = "macos") { "/bin/zsh" } else { "/bin/sh" };
    named.or_else(listed).or_else(|| Some(PathBuf::from(usual)))
}

/// Every file whose change may change the answer.
pub(super) fn startup_files(home_dir: Option<&Path>) -> Vec<PathBuf> {
    let zsh = std::env::var_os("ZDOTDIR").map(PathBuf::from);
    let own = home_dir.into_iter().chain(zsh.as_deref());
    own.flat_map(|folder| OWN_FILES.iter().map(move |name| folder.join(name)))
        .chain(SHARED_FILES.iter().map(PathBuf::from))
        .collect()
}

/// Starts the shell and reads its PATH. Whatever it has started in its session ends with it.
pub(super) fn ask(
    shell: &Path,
    home_dir: Option<&Path>,
    limit: Duration,
) -> Result<OsString, String> {
    let mut command = Command::new(shell);
    command.args(switches(shell)).arg(format!("echo {MARKER}; printenv PATH; echo {MARKER}"));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    for marker in NESTING_MARKERS {
        command.env_remove(marker);
    }
    // For startup files that would rather not start a multiplexer or a prompt for us.
    command.env("TERM", "dumb").env("OD_LOGIN_PATH", "1");
    if let Some(home_dir) = home_dir {
        command.env("HOME", home_dir).current_dir(home_dir);
    }
    let mut child = CommandWrap::from(command)
        .wrap(ProcessSession)
        .spawn()
        .map_err(|error| format!("it cannot be started: {error}"))?;
    let (answers, answer) = mpsc::channel();
    if let Some(stdout) = child.stdout().take() {
        // What a startup file leaves in the background may hold the pipe open, so nobody waits for this.
        std::thread::spawn(move || drop(answers.send(read_answer(stdout))));
    }
    let answer = answer.recv_timeout(limit);
    if let Err(error) = child.start_kill().and_then(|()| child.wait()) {
        tracing::debug!(%error, "the login shell was gone already");
    }
    match answer {
        Ok(Some(path)) => Ok(path),
        Ok(None) => Err("it printed no PATH".to_owned()),
        Err(_) => Err(format!("it did not answer within {} s", limit.as_secs())),
    }
}

/// Interactive, login, command; csh takes no login switch beside others.
fn switches(shell: &Path) -> &'static [&'static str] {
    match shell.file_name().and_then(|name| name.to_str()) {
        Some("csh" | "tcsh") => &["-i", "-c"],
        _ => &["-i", "-l", "-c"],
    }
}

/// Reads until the answer is whole, which may be before the end.
fn read_answer(mut stdout: ChildStdout) -> Option<OsString> {
    let (mut output, mut chunk) = (Vec::new(), [0; 4096]);
    while output.len() < LONGEST {
        let length = stdout.read(&mut chunk).ok().filter(|length| *length > 0)?;
        output.extend_from_slice(&chunk[..length]);
        if let Some(path) = between_markers(&output) {
            return Some(path);
        }
    }
    None
}

/// The one line between the markers, when both are there.
fn between_markers(output: &[u8]) -> Option<OsString> {
    let marker = MARKER.as_bytes();
    let begin = memchr::memmem::find(output, marker)? + marker.len();
    let length = memchr::memmem::find(&output[begin..], marker)?;
    let path = output[begin..begin + length].trim_ascii();
    let one_line = !path.is_empty() && !path.contains(&b'\n');
    one_line.then(|| OsString::from_vec(path.to_vec()))
}

fn own_user() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// The shell of a user in the form of `/etc/passwd`.
fn listed_shell(passwd: &str, user: u32) -> Option<PathBuf> {
    let shell = passwd.lines().find_map(|line| {
        let fields: Vec<&str> = line.split(':').collect();
        (fields.get(2)?.parse() == Ok(user)).then(|| fields.get(6).copied())?
    });
    shell.map(PathBuf::from).filter(|shell| shell.is_absolute())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_startup_files_print_is_left_out() {
        let said = format!("hello\n{MARKER}\n/a:/b c\n{MARKER}\nbye");
        assert_eq!(between_markers(said.as_bytes()), Some("/a:/b c".into()));
        for incomplete in [format!("{MARKER}\n/a"), format!("{MARKER}\n{MARKER}\n"), String::new()]
        {
            assert_eq!(between_markers(incomplete.as_bytes()), None, "{incomplete:?}");
        }
    }

    #[test]
    fn the_user_database_names_the_shell() {
        let passwd = "root:x:0:0::/root:/bin/bash\nada:x:1000:1000:Ada:/home/ada:/usr/bin/fish\n\
                      odd:x:7:7\nnone:x:8:8::/:\n";
        assert_eq!(listed_shell(passwd, 1000), Some("/usr/bin/fish".into()));
        assert_eq!(listed_shell(passwd, 7), None);
        assert_eq!(listed_shell(passwd, 8), None);
    }

    #[test]
    fn csh_gets_switches_that_it_understands() {
        assert_eq!(switches(Path::new("/bin/tcsh")), ["-i", "-c"]);
        assert_eq!(switches(Path::new("/bin/zsh")), ["-i", "-l", "-c"]);
    }
}
