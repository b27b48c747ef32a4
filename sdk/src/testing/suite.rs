//! One test per recording. An adapter's `tests/recordings.rs` (`harness = false` in its Cargo.toml)
//! calls [`run_suites`] from `main`; each file is then one test for `cargo test` and nextest.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::ExitCode;

use libtest_mimic::{Arguments, Trial, run};

use super::recording::{Recording, check_recording};
use super::{Replay, folder_entries};

/// The recordings of one agent.
#[derive(Debug, Clone, Copy)]
pub struct RecordingSuite {
    /// The first part of the names of its tests: the id of the agent.
    pub name: &'static str,
    /// The folder with one folder per version of the agent CLI.
    pub folder: &'static str,
    /// What the name of the recorded file ends with, such as `stdout.jsonl`.
    pub input: &'static str,
    /// Replays one recording.
    pub replay: fn(&Recording) -> Replay,
    /// Scenarios that other tests check, because they have several expectations.
    pub checked_elsewhere: &'static [&'static str],
}

/// Runs the tests of all suites, named `<agent>/<version>/<scenario>`.
pub fn run_suites(suites: &[RecordingSuite]) -> ExitCode {
    let trials = suites.iter().flat_map(trials).collect();
    run(&Arguments::from_args(), trials).exit_code()
}

fn trials(suite: &RecordingSuite) -> Vec<Trial> {
    let RecordingSuite { name: agent, replay, .. } = *suite;
    let mut unused: BTreeSet<&str> = suite.checked_elsewhere.iter().copied().collect();
    let mut trials = Vec::new();
    for recording in recordings(suite) {
        if suite.checked_elsewhere.contains(&recording.scenario()) {
            unused.remove(recording.scenario());
            continue;
        }
        let name = format!("{agent}/{}/{}", recording.version(), recording.scenario());
        trials.push(Trial::test(name, move || {
            check_recording(&recording, replay);
            Ok(())
        }));
    }
    let (is_empty, folder) = (trials.is_empty(), suite.folder);
    let unused: Vec<String> = unused.into_iter().map(str::to_owned).collect();
    trials.push(Trial::test(format!("{agent}/complete"), move || {
        assert!(!is_empty, "{} has no recordings", folder);
        assert!(unused.is_empty(), "no recording of {unused:?}");
        Ok(())
    }));
    trials
}

fn recordings(suite: &RecordingSuite) -> Vec<Recording> {
    let suffix = format!(".{}", suite.input);
    let versions = folder_entries(Path::new(suite.folder));
    let mut found = Vec::new();
    for version in versions.into_iter().filter(|path| path.is_dir()) {
        for file in folder_entries(&version) {
            let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if let Some(scenario) = name.strip_suffix(&suffix) {
                found.push(Recording::in_folder(&version, scenario));
            }
        }
    }
    found
}
