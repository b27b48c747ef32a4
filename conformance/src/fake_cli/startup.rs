//! The fake CLI as a process: starts, answers probes, then runs its script (`script_runner.rs`).

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use super::call_recorder::CallRecorder;
use super::input_channel;
use super::invocation::Entry;
use super::script::{ProbeMode, SCRIPT_FILE, Script, StdinMode};
use super::script_runner::ScriptRunner;
use crate::process;

/// The argument that makes the fake CLI a detached process that only sleeps.
pub const DETACHED: &str = "--conformance-detached";

/// A detached process exits after this time if it is not killed.
const DETACHED_LIFETIME: Duration = Duration::from_secs(180);

/// A hanging fake CLI exits after this time if it is not killed.
pub(super) const HANG_LIMIT: Duration = Duration::from_secs(180);

/// The exit code when the adapter did not send what the script expects.
pub(super) const EXPECT_FAILED_CODE: u8 = 3;

/// Runs as the fake CLI if a script is beside the executable.
pub fn become_fake_cli(executable: &Path, arguments: &[String]) -> Option<ExitCode> {
    let folder = executable.parent()?.to_owned();
    let script = std::fs::read(folder.join(SCRIPT_FILE)).ok()?;
    if arguments.first().is_some_and(|argument| argument == DETACHED) {
        return Some(run_detached());
    }
    let script: Script = serde_json::from_slice(&script).ok()?;
    Some(match startup(folder, executable, arguments, script) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("the fake CLI failed: {error}");
            ExitCode::from(EXPECT_FAILED_CODE)
        }
    })
}

fn run_detached() -> ExitCode {
    process::leave_session();
    // Signals are caught and ignored: only SIGKILL ends the process early.
    let _unwatched = process::watch_signals(|_| {});
    std::thread::sleep(DETACHED_LIFETIME);
    ExitCode::SUCCESS
}

fn startup(
    folder: PathBuf,
    executable: &Path,
    arguments: &[String],
    script: Script,
) -> std::io::Result<ExitCode> {
    let recorder = CallRecorder::open(&folder)?;
    recorder.record_start(arguments)?;
    if let Some(probe) = script.probes.iter().find(|probe| probe.args == arguments) {
        recorder.record(&Entry::Probe)?;
        let (stdout, stderr, exit) = (probe.stdout.clone(), probe.stderr.clone(), probe.exit);
        return answer_probe(script.probe_mode, &stdout, &stderr, exit);
    }
    if script.stdin == StdinMode::Refuse {
        process::refuse_stdin()?;
    }
    if script.terminal {
        match process::take_terminal() {
            Ok(size) => recorder.record(&Entry::Terminal(size))?,
            Err(reason) => {
                let reason = format!("this agent CLI needs a terminal: {reason}");
                eprintln!("the fake CLI stops: {reason}");
                recorder.record(&Entry::ExpectFailed { reason })?;
                return Ok(ExitCode::from(EXPECT_FAILED_CODE));
            }
        }
    }
    let inputs = input_channel::start(recorder.clone(), &script)?;
    let code = ScriptRunner::new(script, folder, executable.to_owned(), recorder, inputs).run()?;
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

/// The exit code as the operating system accepts it.
pub(super) fn exit_code(code: i32) -> ExitCode {
    ExitCode::from(u8::try_from(code).unwrap_or(1))
}
