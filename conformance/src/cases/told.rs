//! Everything an agent CLI is told by one start of a run: arguments, variables, what it hears, and
//! the files that are laid out for it. No check lives here.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use serde_json::Value;

use super::expectations::{after_last_question, completed, output_steps};
use crate::bench::Bench;
use crate::play::{PLAY_LIMIT, Play};
use crate::plugin::{Answer, Plugin};
use crate::stand_in::Step;
use crate::verdict::{Failure, Finding, shorten};

/// The agent CLI waits there, just before it has said everything.
const GATE: &str = "told";
/// How long it may take to get there.
const GATE_LIMIT: Duration = Duration::from_secs(5);
/// How many files are looked at, and how much of each.
const FILES_LIMIT: usize = 500;
const FILE_BYTES: u64 = 1 << 20;

/// Everything an agent CLI was told.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Told {
    arguments: Vec<String>,
    variables: BTreeMap<String, String>,
    heard: String,
    /// Below its home and its folder, by path.
    files: BTreeMap<String, Vec<u8>>,
}

impl Told {
    /// Plays something to its end, and looks while the agent CLI is at work: what is laid out for
    /// it may be gone afterwards.
    pub(super) fn by(
        bench: &mut Bench,
        plugin: &mut Plugin,
        play: &Play,
        sent: &str,
    ) -> Result<Self, Finding> {
        let mut play = play.clone();
        play.request.run_id = format!("run-{}", bench.nonce());
        let gate = format!("{GATE}-{}", bench.nonce());
        let lines = output_steps(&play.script, after_last_question(&play.script));
        let at = lines.last().copied().unwrap_or(play.script.steps.len());
        play.script.steps.insert(at, Step::Gate { name: gate.clone() });
        play.script.steps.iter_mut().for_each(expect_more);
        let before = plugin.stand_in.invocations().len();
        if let refused @ Answer::Error(_) = plugin.try_begin(&play)? {
            let failure = Failure::new("the run is accepted", refused.summary());
            return Err(failure.sent(sent).at(plugin.place()).into());
        }
        let limit = plugin.limit(GATE_LIMIT);
        // One that does not get there is seen by the wait for its end.
        plugin.stand_in.wait_until(limit, |starts| {
            starts.iter().skip(before).any(|start| start.gates.contains(&gate) || start.ended)
        });
        let told = Self::look(plugin, before, Path::new(&play.request.cwd));
        plugin.stand_in.open_gate(&gate)?;
        completed(&plugin.finish(play.run_id(), PLAY_LIMIT)?, sent)?;
        Ok(told)
    }

    fn look(plugin: &Plugin, before: usize, cwd: &Path) -> Self {
        let mut told = Self::default();
        for start in plugin.stand_in.invocations().into_iter().skip(before) {
            told.heard.push_str(&start.heard());
            told.arguments.extend(start.args);
            told.variables.extend(start.env);
        }
        for folder in [&plugin.home, cwd] {
            add_files(folder, &mut told.files);
        }
        told
    }

    /// Whether it was told this.
    pub(super) fn has(&self, mark: &str) -> bool {
        self.count(mark) > 0
    }

    /// How often it was told this.
    pub(super) fn count(&self, mark: &str) -> usize {
        let texts = self.arguments.iter().chain(self.variables.values()).chain([&self.heard]);
        let said: usize = texts.map(|text| text.matches(mark).count()).sum();
        let written = self.files.iter().map(|(path, bytes)| {
            path.matches(mark).count() + usize::from(has_bytes(bytes, mark.as_bytes()))
        });
        said + written.sum::<usize>()
    }

    /// Whether a file with these bytes in it was laid out.
    pub(super) fn has_file_with(&self, bytes: &[u8]) -> bool {
        self.files.values().any(|file| has_bytes(file, bytes))
    }

    /// In a few words, for messages.
    pub(super) fn words(&self) -> String {
        let heard = shorten(&self.heard, 200);
        let files: Vec<&String> = self.files.keys().take(5).collect();
        format!("arguments {:?}, heard {heard:?}, files {files:?}", self.arguments)
    }
}

/// An option can make a list longer that the pack knows without it.
fn expect_more(step: &mut Step) {
    match step {
        Step::Expect { pattern } => any_list(pattern),
        Step::ExpectRequest { route } => route.body.iter_mut().for_each(any_list),
        _ => {}
    }
}

fn any_list(pattern: &mut Value) {
    match pattern {
        Value::Array(_) => *pattern = Value::from("{{*}}"),
        Value::Object(members) => members.values_mut().for_each(any_list),
        _ => {}
    }
}

fn has_bytes(whole: &[u8], part: &[u8]) -> bool {
    whole.windows(part.len().max(1)).any(|window| window == part)
}

fn add_files(folder: &Path, files: &mut BTreeMap<String, Vec<u8>>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        if files.len() >= FILES_LIMIT {
            return;
        }
        let path = entry.path();
        match entry.metadata() {
            Ok(metadata) if metadata.is_dir() => add_files(&path, files),
            Ok(metadata) if metadata.is_file() && metadata.len() <= FILE_BYTES => {
                let bytes = std::fs::read(&path).unwrap_or_default();
                files.insert(path.to_string_lossy().into_owned(), bytes);
            }
            _ => {}
        }
    }
}
