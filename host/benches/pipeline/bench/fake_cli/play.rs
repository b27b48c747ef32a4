//! Runs the script of the fake CLI.

use std::fs::File;
use std::io::{self, BufRead, Write};
use std::os::fd::AsFd;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::script::{Folder, Manner, Script, Text, Writes};
use super::stream_json;
use crate::bench::system;

/// The argument that makes the fake CLI its own child.
const CHILD: &str = "--pipeline-child";

/// The capacity of a pipe.
const BIG_WRITE: usize = 64 * 1024;

/// Runs the script beside this executable.
///
/// # Errors
/// When there is no script, or stdout is gone.
pub(crate) fn perform() -> io::Result<()> {
    if std::env::args().any(|argument| argument == "--version") {
        return writeln!(io::stdout(), "2.1.197 (Claude Code)");
    }
    let folder = Folder::of_this_process()?;
    let script = folder.read_script()?;
    let delta = stream_json::delta(&script);
    let mut stdin = io::stdin().lock();
    // Unbuffered: the lines are ready, and every copy would be a cost of ours.
    let mut stdout = File::from(io::stdout().as_fd().try_clone_to_owned()?);
    await_line(&mut stdin, stream_json::is_prompt)?;
    stdout.write_all(stream_json::opening().as_bytes())?;
    say(&script, &delta, &mut stdout)?;
    match script.manner {
        Manner::Finishes => {
            if let Some(time) = system::processor_time() {
                folder.note_time(time.own)?;
            }
            stdout.write_all(stream_json::closing().as_bytes())
        }
        Manner::Polite => {
            folder.note_pid(std::process::id())?;
            await_line(&mut stdin, stream_json::is_interrupt)?;
            stdout.write_all(stream_json::aborted().as_bytes())
        }
        Manner::Stubborn => be_stubborn(&folder),
    }
}

/// Whether this process is the child of the fake CLI; the child ignores signals and outlives its parent.
///
/// # Errors
/// When it cannot create its own session.
pub(crate) fn detached_child() -> io::Result<bool> {
    if !std::env::args().any(|argument| argument == CHILD) {
        return Ok(false);
    }
    rustix::process::setsid()?;
    ignore_signals()?;
    Folder::of_this_process()?.note_pid(std::process::id())?;
    sleep_long();
    Ok(true)
}

fn say(script: &Script, delta: &str, stdout: &mut File) -> io::Result<()> {
    if script.text == Text::Clock {
        for _ in 0..script.events {
            std::thread::sleep(script.pause);
            stdout.write_all(stream_json::delta(script).as_bytes())?;
        }
        return Ok(());
    }
    let lines_per_write = match script.writes {
        Writes::Each => 1,
        Writes::Big => (BIG_WRITE / delta.len()).max(1),
    };
    let block = delta.repeat(lines_per_write);
    let whole = script.events / lines_per_write as u64;
    for _ in 0..whole {
        stdout.write_all(block.as_bytes())?;
    }
    let rest = (script.events - whole * lines_per_write as u64) as usize;
    stdout.write_all(&block.as_bytes()[..rest * delta.len()])
}

/// Reads stdin until a line matches, or to its end.
fn await_line(stdin: &mut impl BufRead, fits: fn(&[u8]) -> bool) -> io::Result<()> {
    let mut line = Vec::new();
    while stdin.read_until(b'\n', &mut line)? > 0 && !fits(&line) {
        line.clear();
    }
    Ok(())
}

fn be_stubborn(folder: &Folder) -> io::Result<()> {
    ignore_signals()?;
    Command::new(folder.program())
        .arg(CHILD)
        .env_clear()
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    folder.note_pid(std::process::id())?;
    sleep_long();
    Ok(())
}

fn ignore_signals() -> io::Result<()> {
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
        signal_hook::flag::register(signal, Arc::new(AtomicBool::new(false)))?;
    }
    Ok(())
}

/// Longer than the bench takes, but bounded in case the bench is killed.
fn sleep_long() {
    std::thread::sleep(Duration::from_secs(300));
}
