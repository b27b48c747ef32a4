//! Which agent CLI is driven: where it is and what it says its version is.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::plugin::{Captured, PluginPath, base_env, run_to_end};
use crate::process;

/// How long a version is waited for; a first start may unpack itself.
const VERSION_LIMIT: Duration = Duration::from_secs(30);

/// The agent CLI: the file that was named, else the first of this name on PATH.
pub fn find_cli(named: Option<&Path>, name: &str) -> Option<PathBuf> {
    let found = match named {
        Some(file) => Some(file.to_owned()),
        None => {
            let path = std::env::var_os("PATH").unwrap_or_default();
            let file_name = process::executable_name(name);
            std::env::split_paths(&path)
                .map(|folder| folder.join(&file_name))
                .find(|it| it.is_file())
        }
    };
    found.filter(|file| file.is_file()).and_then(|file| std::path::absolute(file).ok())
}

/// PATH with the agent CLI's folder in front of what the suite itself has: many agent CLIs need an
/// interpreter from there.
pub(crate) fn search_path(cli: &Path) -> String {
    let own = std::env::var_os("PATH").unwrap_or_default();
    let folders = cli.parent().map(Path::to_owned).into_iter().chain(std::env::split_paths(&own));
    std::env::join_paths(folders).map_or_else(
        |_| process::SYSTEM_PATH.to_owned(),
        |path| path.to_string_lossy().into_owned(),
    )
}

/// The first line that the agent CLI prints about its version; some print it on stderr.
///
/// # Errors
/// When it cannot be started or prints nothing.
pub fn version_text(cli: &Path, arguments: &[String], home: &Path) -> Result<String, String> {
    let captured = ask(cli, arguments, home)?;
    let stdout = String::from_utf8_lossy(&captured.stdout).into_owned();
    let stderr = captured.stderr_text();
    let is_well = captured.status.is_some_and(|status| status.success());
    let spoken = stdout.lines().chain(stderr.lines().filter(|_| is_well));
    let line = spoken.map(str::trim).find(|line| !line.is_empty());
    line.map(str::to_owned).ok_or_else(|| {
        let (name, ending) = (cli.display(), captured.ending());
        format!("{name} {} says nothing ({ending}): {stderr}", arguments.join(" "))
    })
}

/// What the agent CLI prints about its flags, on stdout or stderr, for each argument list.
///
/// # Errors
/// When it cannot be started.
pub fn help_text(cli: &Path, lists: &[Vec<String>], home: &Path) -> Result<String, String> {
    let mut text = String::new();
    for arguments in lists {
        let captured = ask(cli, arguments, home)?;
        text.push_str(&String::from_utf8_lossy(&captured.stdout));
        text.push('\n');
        text.push_str(&captured.stderr_text());
        text.push('\n');
    }
    Ok(text)
}

/// Runs the agent CLI with these arguments in a home of its own.
fn ask(cli: &Path, arguments: &[String], home: &Path) -> Result<Captured, String> {
    std::fs::create_dir_all(home.join("tmp")).map_err(|error| error.to_string())?;
    let program = PluginPath { executable: cli.to_owned(), arguments: arguments.to_vec() };
    let env = base_env(home, &search_path(cli));
    run_to_end(&program, &[], &env, home, VERSION_LIMIT)
        .map_err(|error| format!("{} cannot be started: {error}", cli.display()))
}
