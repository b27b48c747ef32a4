//! One recorded run of a real agent CLI: `<scenario>.stdout.jsonl`, `.stderr.txt` and `.meta.json`
//! in `recordings/<version>/` of the adapter, with the events that must come out beside them.

use std::collections::BTreeSet;
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
    /// One of an adapter; `adapter_dir` is its `CARGO_MANIFEST_DIR`.
    pub fn new(adapter_dir: &str, version: &str, scenario: &str) -> Self {
        Self { folder: folder(adapter_dir, version), scenario: scenario.to_owned() }
    }

    /// Its name.
    pub fn scenario(&self) -> &str {
        &self.scenario
    }

    /// One of its files, such as `stdout.jsonl`.
    ///
    /// # Panics
    /// When it is not there.
    pub fn read(&self, part: &str) -> String {
        let path = self.file(part);
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    /// How it was made.
    ///
    /// # Panics
    /// When the file is no JSON.
    pub fn meta(&self) -> Value {
        serde_json::from_str(&self.read("meta.json")).expect("meta is JSON")
    }

    /// The value that followed a flag on the recorded command line.
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
    /// When that was not recorded.
    pub fn exit(&self) -> Exit {
        let code = self.meta()["exit_code"].as_i64().expect("a recording has an exit code") as i32;
        Exit {
            code: (code >= 0).then_some(code),
            signal: (code < 0).then_some(-code),
            stderr_tail: self.read("stderr.txt"),
        }
    }

    /// Compares with the events that must come out.
    pub fn check(&self, replay: &Replay) {
        check_events(&self.file("events.jsonl"), replay);
    }

    fn file(&self, part: &str) -> PathBuf {
        self.folder.join(format!("{}.{part}", self.scenario))
    }
}

/// Every recording of a version is a test, and every test has its recording.
///
/// # Panics
/// When one is missing.
pub fn check_complete(adapter_dir: &str, version: &str, scenarios: &[&str]) {
    let files = fs::read_dir(folder(adapter_dir, version)).expect("the recordings are there");
    let names = files.filter_map(|file| file.ok()?.file_name().into_string().ok());
    let recorded: BTreeSet<String> =
        names.filter_map(|name| name.strip_suffix(".stdout.jsonl").map(str::to_owned)).collect();
    let tested: BTreeSet<String> = scenarios.iter().map(|name| (*name).to_owned()).collect();
    assert_eq!(recorded, tested);
}

fn folder(adapter_dir: &str, version: &str) -> PathBuf {
    Path::new(adapter_dir).join("recordings").join(version)
}
