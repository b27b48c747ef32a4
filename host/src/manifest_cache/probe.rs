//! Asking an adapter for its manifest: a short-lived process with nothing on stdin, a limit of time
//! and a limit of output.

use std::ffi::OsStr;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use od_protocol::Manifest;
use tokio::io::AsyncReadExt;
use tokio::process::Child;

use crate::discover::Rule;
use crate::environment::adapter_environment;
use crate::plugin::mark::Mark;
use crate::plugin::process;
use crate::settings::Settings;
use crate::trust::Problem;

const LIMIT: Duration = Duration::from_secs(2);
const LONGEST: u64 = 1024 * 1024;

/// Runs `--manifest` and reads what it prints.
pub(crate) async fn ask(
    executable: &Path,
    settings: &Settings,
    search_path: Option<&OsStr>,
    mark: &Mark,
) -> Result<Manifest, Problem> {
    let mut command = tokio::process::Command::new(executable);
    command.arg("--manifest").env_clear().envs(adapter_environment(settings, None, search_path));
    command.envs([mark.variable()]);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = process::spawn(command)
        .map_err(|error| invalid(executable, &format!("cannot be started: {error}")))?;
    let answer = tokio::time::timeout(LIMIT, read(child.inner())).await;
    child.end().await;
    let (bytes, success) = match answer {
        Err(_) => return Err(silent(executable)),
        Ok(Err(error)) => return Err(invalid(executable, &format!("cannot be read: {error}"))),
        Ok(Ok(answer)) => answer,
    };
    if bytes.len() as u64 > LONGEST {
        return Err(invalid(executable, "printed more than 1 MiB"));
    }
    if !success {
        return Err(invalid(executable, "ended with an error"));
    }
    serde_json::from_slice(&bytes)
        .map_err(|error| invalid(executable, &format!("printed no manifest: {error}")))
}

/// It did not answer in time.
pub(super) fn silent(executable: &Path) -> Problem {
    Problem {
        rule: Rule::ManifestTimeout,
        reason: format!("--manifest did not end within {} s", LIMIT.as_secs()),
        fix: format!("run {} --manifest by hand, or remove it", executable.display()),
    }
}

async fn read(child: &mut Child) -> std::io::Result<(Vec<u8>, bool)> {
    let mut bytes = Vec::new();
    if let Some(stdout) = child.stdout.take() {
        stdout.take(LONGEST + 1).read_to_end(&mut bytes).await?;
    }
    if bytes.len() as u64 > LONGEST {
        return Ok((bytes, false));
    }
    Ok((bytes, child.wait().await?.success()))
}

fn invalid(executable: &Path, what: &str) -> Problem {
    Problem {
        rule: Rule::ManifestInvalid,
        reason: format!("--manifest {what}"),
        fix: format!(
            "run {} --manifest to see it, then reinstall or remove it",
            executable.display()
        ),
    }
}
