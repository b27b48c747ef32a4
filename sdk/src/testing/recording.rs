//! One recorded run of a real agent CLI: `<scenario>.stdout.jsonl`, `.stderr.txt` and `.meta.json`
//! in `recordings/<version>/` of the agent's folder, with the expected events in `.events.jsonl`.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{Replay, check_events};
use crate::Exit;

/// A recorded run.
#[derive(Debug, Clone)]
pub struct Recording {
    folder: PathBuf,
    scenario: String,
}

impl Recording {
    /// Creates the recording of an agent from `recordings/<version>/` of its folder.
    pub fn new(agent_folder: &str, version: &str, scenario: &str) -> Self {
        Self::in_folder(&Path::new(agent_folder).join("recordings").join(version), scenario)
    }

    /// Creates the recording in this folder.
    pub fn in_folder(folder: &Path, scenario: &str) -> Self {
        Self { folder: folder.to_owned(), scenario: scenario.to_owned() }
    }

    /// The name of the scenario.
    pub fn scenario(&self) -> &str {
        &self.scenario
    }

    /// The recorded version of the agent CLI: the name of the folder.
    pub fn version(&self) -> String {
        self.folder.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// Whether a file of the recording exists.
    pub fn has(&self, part: &str) -> bool {
        self.file(part).is_file()
    }

    /// Reads one of its files, such as `stdout.jsonl`.
    ///
    /// # Panics
    /// The file cannot be read.
    pub fn read(&self, part: &str) -> String {
        let path = self.file(part);
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    /// How the recording was made.
    ///
    /// # Panics
    /// The file is not JSON.
    pub fn meta(&self) -> Value {
        serde_json::from_str(&self.read("meta.json")).expect("meta is JSON")
    }

    /// Returns the value after a flag of the recorded command line.
    pub fn flag(&self, flag: &str) -> Option<String> {
        let arguments = self.arguments();
        let index = arguments.iter().position(|argument| argument == flag)?;
        arguments.get(index + 1).cloned()
    }

    /// The recorded command line.
    pub fn arguments(&self) -> Vec<String> {
        let meta = self.meta();
        let arguments = meta["argv"].as_array().into_iter().flatten();
        arguments.filter_map(|argument| argument.as_str().map(str::to_owned)).collect()
    }

    /// How the process ended.
    ///
    /// # Panics
    /// The exit code was not recorded.
    pub fn exit(&self) -> Exit {
        let code = self.meta()["exit_code"].as_i64().expect("a recording has an exit code") as i32;
        Exit {
            code: (code >= 0).then_some(code),
            signal: (code < 0).then_some(-code),
            stderr_tail: self.read("stderr.txt"),
        }
    }

    /// Compares a replay with the expected events.
    pub fn check(&self, replay: &Replay) {
        check_events(&self.file("events.jsonl"), replay);
    }

    fn file(&self, part: &str) -> PathBuf {
        self.folder.join(format!("{}.{part}", self.scenario))
    }
}

/// Replays a recording and compares the events with the expected ones. `UPDATE_EXPECT=1` rewrites
/// the expectation.
///
/// # Panics
/// The events differ, or the expectation is missing.
pub fn check_recording(recording: &Recording, replay: impl FnOnce(&Recording) -> Replay) {
    recording.check(&replay(recording));
}
