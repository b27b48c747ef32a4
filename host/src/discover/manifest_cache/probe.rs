//! Runs an adapter with `--manifest`: a short-lived process without stdin, with a time limit and an output limit.

use std::ffi::OsStr;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use od_protocol::Manifest;
use tokio::io::AsyncReadExt;
use tokio::process::Child;

use crate::environment::adapter_environment;
use crate::files::trust::{Problem, Rule};
use crate::plugin::host_marker::HostMarker;
use crate::plugin::process;
use crate::settings::Settings;

const PROBE_TIMEOUT: Duration = Duration::from_secs(2);
const MAX_MANIFEST_BYTES: u64 = 1024 * 1024;

/// Runs `--manifest` and parses its output.
pub(crate) async fn read_manifest(
    executable: &Path,
    settings: &Settings,
    search_path: Option<&OsStr>,
    marker: &HostMarker,
) -> Result<Manifest, Problem> {
    let mut command = tokio::process::Command::new(executable);
    command.arg("--manifest").env_clear().envs(adapter_environment(settings, None, search_path));
    command.envs([marker.variable()]);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = process::spawn(command)
        .map_err(|error| invalid(executable, &format!("failed to start: {error}")))?;
    let answer = tokio::time::timeout(PROBE_TIMEOUT, read(child.inner())).await;
    child.end().await;
    let (bytes, success) = match answer {
        Err(_) => return Err(timed_out(executable)),
        Ok(Err(error)) => {
            return Err(invalid(
                executable,
                &format!("printed output that cannot be read: {error}"),
            ));
        }
        Ok(Ok(answer)) => answer,
    };
    if bytes.len() as u64 > MAX_MANIFEST_BYTES {
        return Err(invalid(executable, "printed more than 1 MiB"));
    }
    if !success {
        return Err(invalid(executable, "exited with an error"));
    }
    serde_json::from_slice(&bytes)
        .map_err(|error| invalid(executable, &format!("did not print a manifest: {error}")))
}

/// The error of an adapter that did not finish in time.
pub(super) fn timed_out(executable: &Path) -> Problem {
    Problem {
        rule: Rule::ManifestTimeout,
        reason: format!("--manifest did not finish within {} s", PROBE_TIMEOUT.as_secs()),
        fix: format!("run {} --manifest by hand, or remove it", executable.display()),
    }
}

async fn read(child: &mut Child) -> std::io::Result<(Vec<u8>, bool)> {
    let mut bytes = Vec::new();
    if let Some(stdout) = child.stdout.take() {
        stdout.take(MAX_MANIFEST_BYTES + 1).read_to_end(&mut bytes).await?;
    }
    if bytes.len() as u64 > MAX_MANIFEST_BYTES {
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
