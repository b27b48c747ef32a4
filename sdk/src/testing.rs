//! Helpers for the tests of adapters: recorded output in, events out, both as files beside the
//! adapter.

mod acp_recording;
mod decision;
mod home;
mod login;
mod recording;
mod scripted_http_run;
mod sessions;
mod start;
#[cfg(feature = "testing")]
mod suite;

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::mpsc::channel;

use od_protocol::{Event, MAX_LINE_BYTES, RunStarted};
use serde_json::Value;

use crate::emit::Emitter;
use crate::output::{RunOutput, StdinCommand};
use crate::{Exit, Mapper, RunOutcome};
pub use acp_recording::AcpRecording;
pub use decision::{cancel, decide, decision};
pub use home::TestHome;
pub use login::{auth_in, check_auth, check_auth_name};
use od_os::lines::LineReader;
pub use recording::{Recording, check_recording};
pub use scripted_http_run::ScriptedHttpRun;
pub use sessions::{check_session, check_unknown_sessions, listed, read_session};
pub use start::{
    SESSION, args, has, refused, start_params, started, started_with, stdin_lines, values,
};

#[cfg(feature = "testing")]
pub use suite::{RecordingSuite, run_suites};

/// The variable that rewrites expectations instead of comparing with them.
const UPDATE: &str = "UPDATE_EXPECT";

/// The result of a replay.
#[derive(Debug, Clone, PartialEq)]
pub struct Replay {
    /// The events from `run_started` to `done`, without number, time and duration.
    pub events: Vec<Value>,
    /// What the mapper wrote to the agent CLI.
    pub stdin: Vec<u8>,
}

/// Feeds recorded stdout to a mapper as a run does, including the rules of the stream.
pub fn replay(mapper: &mut dyn Mapper, stdout: &[u8], exit: &Exit) -> Replay {
    replay_with(mapper, stdout, exit, |_, _| {})
}

/// As [`replay`]; `between` is called after each line and acts as the host: it may answer an approval,
/// send input or cancel.
pub fn replay_with(
    mapper: &mut dyn Mapper,
    stdout: &[u8],
    exit: &Exit,
    mut between: impl FnMut(&mut dyn Mapper, &mut RunOutput),
) -> Replay {
    let (stdin_sender, stdin_commands) = channel();
    let mut output = RunOutput::new(Emitter::new("run", MAX_LINE_BYTES, Vec::new()), stdin_sender);
    output.event(Event::RunStarted(RunStarted::default()));
    let mut reader = LineReader::new(stdout, usize::try_from(MAX_LINE_BYTES).unwrap_or(usize::MAX));
    let mut on_line = |line: &[u8], output: &mut RunOutput| {
        if output.outcome.is_none() {
            mapper.on_line(line, output);
            between(mapper, output);
        }
    };
    while reader.fill() {
        reader.each_line(|line| on_line(line, &mut output));
    }
    reader.last_line(|line| on_line(line, &mut output));
    for line in exit.stderr_tail.lines() {
        mapper.on_stderr_line(line.as_bytes(), &mut output);
    }
    let events = end(mapper, &mut output, exit);
    Replay { events, stdin: written(stdin_commands) }
}

/// Ends the run after the agent CLI has ended; returns all events.
fn end(mapper: &mut dyn Mapper, output: &mut RunOutput, exit: &Exit) -> Vec<Value> {
    if output.outcome.is_none() {
        let explained = mapper.on_exit(exit, output);
        output.outcome = output.outcome.take().or(explained);
    }
    let ending = output.outcome.clone().unwrap_or_else(|| crashed(output));
    output.emitter.done(ending, exit);
    output
        .emitter
        .lines()
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty())
        .map(without_time)
        .collect()
}

/// Compares the events of a replay with those in a file, one JSON object per line. `UPDATE_EXPECT=1` rewrites it.
///
/// # Panics
/// They differ; the message has the first difference.
pub fn check_events(expected_file: &Path, replay: &Replay) {
    let mut actual = String::new();
    for event in &replay.events {
        actual.push_str(&event.to_string());
        actual.push('\n');
    }
    if std::env::var_os(UPDATE).is_some() {
        fs::write(expected_file, actual).expect("the expectation can be written");
        return;
    }
    let shown = expected_file.display();
    let expected = fs::read_to_string(expected_file)
        .unwrap_or_else(|error| panic!("{shown}: {error}; {UPDATE}=1 writes it"));
    for (number, (expected, actual)) in expected.lines().zip(actual.lines()).enumerate() {
        assert_eq!(actual, expected, "{shown}, event {number}; {UPDATE}=1 rewrites it");
    }
    let (expected_count, actual_count) = (expected.lines().count(), actual.lines().count());
    assert_eq!(actual_count, expected_count, "{shown}: the number of events differs");
}

/// Compares what `EXECUTABLE --manifest` prints with the committed manifest. `UPDATE_EXPECT=1` rewrites
/// the file.
///
/// # Panics
/// They differ, or the adapter prints no manifest.
pub fn check_manifest(committed_file: &Path, executable: &str) {
    let printed = Command::new(executable).arg("--manifest").output();
    let actual = printed.expect("the adapter can be started").stdout;
    if std::env::var_os(UPDATE).is_some() {
        fs::write(committed_file, actual).expect("the manifest can be written");
        return;
    }
    let actual = String::from_utf8(actual).expect("a manifest is text");
    let committed = fs::read_to_string(committed_file).unwrap_or_default();
    let shown = committed_file.display();
    assert_eq!(committed.replace("\r\n", "\n"), actual, "{shown}; {UPDATE}=1 rewrites it");
}

/// Parses what a mapper wrote to the agent CLI: one JSON value per line.
///
/// # Panics
/// A line is not JSON.
pub fn stdin_values(replay: &Replay) -> Vec<Value> {
    let lines = replay.stdin.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    lines.map(|line| serde_json::from_slice(line).expect("a line is JSON")).collect()
}

fn crashed(output: &mut RunOutput) -> RunOutcome {
    use od_protocol::{DoneEvidence, ErrorEvent, ErrorKind};
    let message = "the agent CLI ended before it reported a result";
    output.event(Event::Error(ErrorEvent::fatal(ErrorKind::CliCrashed, message)));
    RunOutcome { evidence: DoneEvidence::ExitCode, ..RunOutcome::FAILED }
}

fn without_time(line: &[u8]) -> Value {
    let message: Value = serde_json::from_slice(line).expect("an emitted line is JSON");
    let mut event = message["params"]["event"].clone();
    if let Some(fields) = event.as_object_mut() {
        fields.remove("durationMs");
    }
    event
}

fn written(commands: std::sync::mpsc::Receiver<StdinCommand>) -> Vec<u8> {
    let mut bytes = Vec::new();
    for command in commands.try_iter() {
        match command {
            StdinCommand::Write(more) => bytes.extend(more),
            StdinCommand::Close => break,
        }
    }
    bytes
}

#[cfg(feature = "testing")]
fn folder_entries(folder: &Path) -> Vec<std::path::PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    let mut paths: Vec<_> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    paths
}
