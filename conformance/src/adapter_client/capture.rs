//! Runs an adapter with arguments to its end and captures output, exit status and duration.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use super::launch::AdapterPath;
use crate::process;
use crate::transcript::{Source, Transcript};

/// How many bytes of output are kept.
const MAX_OUTPUT_BYTES: u64 = 4 * 1024 * 1024;

/// The timeout for the remaining output after the process has ended.
const PIPE_TIMEOUT: Duration = Duration::from_secs(1);

/// The captured result.
#[derive(Debug, Clone)]
pub struct CapturedOutput {
    /// Its exit status; `None` if it was killed after the timeout.
    pub status: Option<ExitStatus>,
    /// Its stdout, up to the limit.
    pub stdout: Vec<u8>,
    /// Its stderr, up to the limit.
    pub stderr: Vec<u8>,
    /// How long it took.
    pub took: Duration,
}

impl CapturedOutput {
    /// Returns its stderr for messages.
    pub fn stderr_text(&self) -> String {
        String::from_utf8_lossy(&self.stderr).trim().to_owned()
    }

    /// Writes everything to a transcript.
    pub fn write_to(&self, transcript: &Transcript, arguments: &[&str]) {
        transcript.note(Source::Suite, format!("started with {arguments:?}").as_bytes());
        let outputs = [(Source::Stdout, &self.stdout), (Source::Stderr, &self.stderr)];
        for (source, output) in outputs {
            for line in output.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
                transcript.note(source, line);
            }
        }
        transcript.note(Source::Remark, format!("the adapter ended: {}", self.ending()).as_bytes());
    }

    /// Describes how it ended.
    pub fn ending(&self) -> String {
        self.status
            .map_or_else(|| format!("killed after {:.1?}", self.took), |status| status.to_string())
    }
}

/// Runs the adapter with these arguments and an empty stdin, at most for the given time.
pub fn run_to_end(
    adapter: &AdapterPath,
    arguments: &[&str],
    env: &BTreeMap<String, String>,
    cwd: &Path,
    limit: Duration,
) -> std::io::Result<CapturedOutput> {
    let started = Instant::now();
    let mut child = Command::new(&adapter.executable)
        .args(&adapter.arguments)
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
    // A process that the adapter left behind may hold the pipe open forever.
    let finish = |pipe: Option<Receiver<Vec<u8>>>| {
        pipe.and_then(|pipe| pipe.recv_timeout(PIPE_TIMEOUT).ok()).unwrap_or_default()
    };
    Ok(CapturedOutput { status, stdout: finish(stdout), stderr: finish(stderr), took })
}

fn collect(pipe: impl Read + Send + 'static) -> Receiver<Vec<u8>> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let mut pipe = pipe.take(MAX_OUTPUT_BYTES);
        // The bytes before a read error are kept; the pipe closes when this returns.
        let _ended = pipe.read_to_end(&mut bytes);
        let _unwanted = sender.send(bytes);
    });
    receiver
}
