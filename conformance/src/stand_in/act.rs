//! The stand-in as a process: how it starts, which questions it answers at once. Playing the
//! script is in `actor.rs`.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use super::actor::Actor;
use super::ears;
use super::notebook::Notebook;
use super::script::{ProbeMode, SCRIPT_FILE, Script, StdinMode};
use super::seen::Entry;
use crate::process;

/// The argument that makes the stand-in a detached process that only lives.
pub const DETACHED: &str = "--conformance-detached";

/// How long a detached process lives when nobody ends it.
const DETACHED_LIFE: Duration = Duration::from_secs(180);

/// How long a stand-in hangs when nobody ends it.
pub(super) const HANG_LIMIT: Duration = Duration::from_secs(180);

/// The exit code of a stand-in that was not told what it expects.
pub(super) const EXPECT_FAILED: u8 = 3;

/// Acts as the stand-in when a script lies beside the executable; `None` when there is none.
pub fn become_stand_in(executable: &Path, arguments: &[String]) -> Option<ExitCode> {
    let folder = executable.parent()?.to_owned();
    let script = std::fs::read(folder.join(SCRIPT_FILE)).ok()?;
    if arguments.first().is_some_and(|argument| argument == DETACHED) {
        return Some(live_detached());
    }
    let script: Script = serde_json::from_slice(&script).ok()?;
    Some(match act(folder, executable, arguments, script) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("the stand-in cannot go on: {error}");
            ExitCode::from(EXPECT_FAILED)
        }
    })
}

fn live_detached() -> ExitCode {
    process::leave_session();
    // Signals are noticed and nothing follows: only SIGKILL ends it early.
    let _unwatched = process::watch_signals(|_| {});
    std::thread::sleep(DETACHED_LIFE);
    ExitCode::SUCCESS
}

fn act(
    folder: PathBuf,
    executable: &Path,
    arguments: &[String],
    script: Script,
) -> std::io::Result<ExitCode> {
    let notebook = Notebook::open(&folder)?;
    notebook.note_start(arguments)?;
    if let Some(probe) = script.probes.iter().find(|probe| probe.args == arguments) {
        notebook.note(&Entry::Probe)?;
        let (stdout, stderr, exit) = (probe.stdout.clone(), probe.stderr.clone(), probe.exit);
        return answer_probe(script.probe_mode, &stdout, &stderr, exit);
    }
    if script.stdin == StdinMode::Refuse {
        process::refuse_stdin()?;
    }
    if script.terminal {
        match process::take_terminal() {
            Ok(size) => notebook.note(&Entry::Terminal(size))?,
            Err(reason) => {
                let reason = format!("this agent CLI needs a terminal: {reason}");
                eprintln!("the stand-in gives up: {reason}");
                notebook.note(&Entry::ExpectFailed { reason })?;
                return Ok(ExitCode::from(EXPECT_FAILED));
            }
        }
    }
    let ears = ears::start(notebook.clone(), script.terminal)?;
    let code = Actor::new(script, folder, executable.to_owned(), notebook, ears).play()?;
    Ok(code.unwrap_or(ExitCode::SUCCESS))
}

fn answer_probe(
    mode: ProbeMode,
    stdout: &str,
    stderr: &str,
    exit: i32,
) -> std::io::Result<ExitCode> {
    match mode {
        ProbeMode::Answer => {
            std::io::stdout().write_all(stdout.as_bytes())?;
            std::io::stderr().write_all(stderr.as_bytes())?;
            Ok(exit_code(exit))
        }
        ProbeMode::Fail => {
            eprintln!("cannot find module 'conformance'");
            Ok(ExitCode::FAILURE)
        }
        ProbeMode::Hang => {
            std::thread::sleep(HANG_LIMIT);
            Ok(ExitCode::SUCCESS)
        }
        ProbeMode::Flood => {
            let until = Instant::now() + HANG_LIMIT;
            let block = "0123456789abcdef\n".repeat(4096);
            while Instant::now() < until {
                std::io::stdout().write_all(block.as_bytes())?;
            }
            Ok(ExitCode::SUCCESS)
        }
    }
}

/// An exit code as the system takes it.
pub(super) fn exit_code(code: i32) -> ExitCode {
    ExitCode::from(u8::try_from(code).unwrap_or(1))
}
