//! The reference: the pipe of the fake CLI, read by a loop that only counts lines.

use std::io::{self, Read, Write};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use super::fake_cli::{Folder, Script, clock_in, now_nanoseconds, prompt_lines};
use super::statistics::milliseconds;

const CHUNK: usize = 256 * 1024;

/// From the start of the fake CLI to its first output, in milliseconds.
pub(super) fn first_output(folder: &Folder) -> io::Result<f64> {
    folder.write_script(&Script::burst(10))?;
    let started = Instant::now();
    let (mut child, mut stdout) = start(folder)?;
    let mut buffer = vec![0; CHUNK];
    let mut count = stdout.read(&mut buffer)?;
    let first = started.elapsed();
    while count > 0 {
        count = stdout.read(&mut buffer)?;
    }
    child.wait()?;
    Ok(milliseconds(first))
}

/// Lines per second, from the first bytes to the end.
pub(super) fn lines_per_second(folder: &Folder, script: &Script) -> io::Result<f64> {
    folder.write_script(script)?;
    let (mut child, mut stdout) = start(folder)?;
    let mut buffer = vec![0; CHUNK];
    let mut lines = 0;
    let mut started = None;
    loop {
        let count = stdout.read(&mut buffer)?;
        if count == 0 {
            break;
        }
        started.get_or_insert_with(Instant::now);
        lines += memchr::memchr_iter(b'\n', &buffer[..count]).count();
    }
    let span = started.map_or(Duration::ZERO, |started| started.elapsed());
    child.wait()?;
    Ok(lines as f64 / span.as_secs_f64())
}

/// The latency of each line of a slow script, in microseconds.
pub(super) fn latencies(folder: &Folder, script: &Script) -> io::Result<Vec<f64>> {
    folder.write_script(script)?;
    let (mut child, mut stdout) = start(folder)?;
    let mut buffer = vec![0; CHUNK];
    let mut samples = Vec::new();
    loop {
        let count = stdout.read(&mut buffer)?;
        if count == 0 {
            break;
        }
        let now = now_nanoseconds();
        let lines = buffer[..count].split(|byte| *byte == b'\n');
        samples.extend(lines.filter_map(clock_in).map(|then| microseconds_between(then, now)));
    }
    child.wait()?;
    Ok(samples)
}

pub(super) fn microseconds_between(then: u128, now: u128) -> f64 {
    now.saturating_sub(then) as f64 / 1e3
}

fn start(folder: &Folder) -> io::Result<(Child, ChildStdout)> {
    let mut child = Command::new(folder.program())
        .env_clear()
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        stdin.write_all(prompt_lines().as_bytes())?;
    }
    let stdout = child.stdout.take().ok_or(io::ErrorKind::BrokenPipe)?;
    Ok((child, stdout))
}
