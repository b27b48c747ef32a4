//! Finds the agent CLI and reads its version.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::adapter_client::{AdapterPath, CapturedOutput, base_env, run_to_end};
use crate::process;

/// The time limit of a probe; a first start may unpack files.
const VERSION_LIMIT: Duration = Duration::from_secs(30);

/// The given file, or the first with this name on PATH.
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

/// The first line of its version output, on stdout or stderr.
///
/// # Errors
/// When it cannot be started or prints nothing.
pub fn version_text(cli: &Path, arguments: &[String], home: &Path) -> Result<String, String> {
    let captured = run_cli(cli, arguments, home)?;
    let stdout = String::from_utf8_lossy(&captured.stdout).into_owned();
    let stderr = captured.stderr_text();
    let is_well = captured.status.is_some_and(|status| status.success());
    let spoken = stdout.lines().chain(stderr.lines().filter(|_| is_well));
    let line = spoken.map(str::trim).find(|line| !line.is_empty());
    line.map(str::to_owned).ok_or_else(|| {
        let (name, ending) = (cli.display(), captured.ending());
        format!("{name} {} printed nothing ({ending}): {stderr}", arguments.join(" "))
    })
}

/// Its help, on stdout or stderr, for each argument list.
///
/// # Errors
/// When it cannot be started.
pub fn help_text(cli: &Path, lists: &[Vec<String>], home: &Path) -> Result<String, String> {
    let mut text = String::new();
    for arguments in lists {
        let captured = run_cli(cli, arguments, home)?;
        text.push_str(&String::from_utf8_lossy(&captured.stdout));
        text.push('\n');
        text.push_str(&captured.stderr_text());
        text.push('\n');
    }
    Ok(text)
}

/// Runs the agent CLI with these arguments in a scratch home.
fn run_cli(cli: &Path, arguments: &[String], home: &Path) -> Result<CapturedOutput, String> {
    std::fs::create_dir_all(home.join("tmp")).map_err(|error| error.to_string())?;
    let program = AdapterPath { executable: cli.to_owned(), arguments: arguments.to_vec() };
    let env = base_env(home, &process::own_search_path(cli));
    run_to_end(&program, &[], &env, home, VERSION_LIMIT)
        .map_err(|error| format!("could not start {}: {error}", cli.display()))
}
