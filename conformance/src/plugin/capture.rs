//! Running a plugin with some switch to its end: what it printed, how it ended, how long it took.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use super::launch::PluginPath;
use crate::process;
use crate::transcript::{Source, Transcript};

/// The most bytes of output that are kept.
const OUTPUT_LIMIT: u64 = 4 * 1024 * 1024;

/// How long the rest of the output is waited for after the process has ended.
const PIPE_LIMIT: Duration = Duration::from_secs(1);

/// What came of it.
#[derive(Debug, Clone)]
pub struct Captured {
    /// How it ended; `None` when it had to be killed.
    pub status: Option<ExitStatus>,
    /// Its stdout, as much as is kept.
    pub stdout: Vec<u8>,
    /// Its stderr, as much as is kept.
    pub stderr: Vec<u8>,
    /// How long it took.
    pub took: Duration,
}

impl Captured {
    /// Its stderr, for messages.
    pub fn stderr_text(&self) -> String {
        String::from_utf8_lossy(&self.stderr).trim().to_owned()
    }

    /// Writes everything down as a transcript.
    pub fn write_down(&self, transcript: &Transcript, arguments: &[&str]) {
        transcript.note(Source::Suite, format!("started with {arguments:?}").as_bytes());
        let outputs = [(Source::Plugin, &self.stdout), (Source::Stderr, &self.stderr)];
        for (source, output) in outputs {
            for line in output.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
                transcript.note(source, line);
            }
        }
        transcript.note(Source::Remark, format!("the plugin ended: {}", self.ending()).as_bytes());
    }

    /// How it ended, for messages.
    pub fn ending(&self) -> String {
        self.status.map_or_else(
            || format!("it had to be killed after {:.1?}", self.took),
            |status| status.to_string(),
        )
    }
}

/// Runs the plugin with these arguments and nothing on stdin, never longer than the limit.
///
/// # Errors
/// When the process cannot be started.
pub fn run_to_end(
    plugin: &PluginPath,
    arguments: &[&str],
    env: &BTreeMap<String, String>,
    cwd: &Path,
    limit: Duration,
) -> std::io::Result<Captured> {
    let started = Instant::now();
    let mut child = Command::new(&plugin.executable)
        .args(&plugin.arguments)
        .args(arguments)
        .env_clear()
        .envs(env)
        .current_dir(cwd)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let stdout = child.stdout.take().map(collect);
    let stderr = child.stderr.take().map(collect);
    let mut status = None;
    while status.is_none() && started.elapsed() < limit {
        status = child.try_wait()?;
        if status.is_none() {
            std::thread::sleep(Duration::from_millis(2));
        }
    }
    let took = started.elapsed();
    if status.is_none() {
        process::kill_tree(child.id());
        child.wait()?;
    }
    // A process that the plugin left behind may hold the pipe for ever.
    let finish = |pipe: Option<Receiver<Vec<u8>>>| {
        pipe.and_then(|pipe| pipe.recv_timeout(PIPE_LIMIT).ok()).unwrap_or_default()
    };
    Ok(Captured { status, stdout: finish(stdout), stderr: finish(stderr), took })
}

fn collect(pipe: impl Read + Send + 'static) -> Receiver<Vec<u8>> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let mut pipe = pipe.take(OUTPUT_LIMIT);
        // What was read before an error is what there is; the pipe closes when this returns.
        let _ended = pipe.read_to_end(&mut bytes);
        let _unwanted = sender.send(bytes);
    });
    receiver
}
