//! Everything that one run passes to the agent CLI: arguments, variables, stdin and files. Contains
//! no check.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use serde_json::Value;

use super::expectations::{after_last_expectation, completed, output_steps};
use crate::adapter_client::{AdapterClient, Answer};
use crate::context::CheckContext;
use crate::fake_cli::Step;
use crate::outcome::{Finding, shorten};
use crate::prepared_run::{PreparedRun, RUN_TIMEOUT};

/// The gate at which the agent CLI waits, just before its last output.
const GATE: &str = "cli-input";
/// The timeout for the agent CLI to reach the gate.
const GATE_TIMEOUT: Duration = Duration::from_secs(5);
/// How many files are read, and how many bytes of each.
const MAX_FILES: usize = 500;
const MAX_FILE_BYTES: u64 = 1 << 20;

/// Everything that was passed to an agent CLI.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct CliInput {
    arguments: Vec<String>,
    variables: BTreeMap<String, String>,
    stdin: String,
    /// Files below its home and its working folder, by path.
    files: BTreeMap<String, Vec<u8>>,
}

impl CliInput {
    /// Runs to the end and collects the input while the agent CLI is running: files that were
    /// written for it may be deleted afterwards.
    pub(super) fn record(
        context: &mut CheckContext,
        adapter: &mut AdapterClient,
        prepared: &PreparedRun,
        sent: &str,
    ) -> Result<Self, Finding> {
        let mut prepared = prepared.clone();
        prepared.request.run_id = format!("run-{}", context.nonce());
        let gate = format!("{GATE}-{}", context.nonce());
        let lines = output_steps(&prepared.script, after_last_expectation(&prepared.script));
        let at = lines.last().copied().unwrap_or(prepared.script.steps.len());
        prepared.script.steps.insert(at, Step::Gate { name: gate.clone() });
        prepared.script.steps.iter_mut().for_each(expect_more);
        let before = adapter.fake_cli.invocations().len();
        if let refused @ Answer::Error(_) = adapter.try_begin(&prepared)? {
            return Err(adapter.failure("the run is accepted", refused.summary(), sent));
        }
        let limit = adapter.limit(GATE_TIMEOUT);
        // If the gate is not reached, the wait for the end of the run reports it.
        adapter.fake_cli.wait_until(limit, |starts| {
            starts.iter().skip(before).any(|start| start.gates.contains(&gate) || start.ended)
        });
        let input = Self::collect(adapter, before, Path::new(&prepared.request.cwd));
        adapter.fake_cli.open_gate(&gate)?;
        completed(&adapter.finish(prepared.run_id(), RUN_TIMEOUT)?, sent)?;
        Ok(input)
    }

    fn collect(adapter: &AdapterClient, before: usize, cwd: &Path) -> Self {
        let mut input = Self::default();
        for start in adapter.fake_cli.invocations().into_iter().skip(before) {
            input.stdin.push_str(&start.received_text());
            input.arguments.extend(start.args);
            input.variables.extend(start.env);
        }
        for folder in [&adapter.home, cwd] {
            add_files(folder, &mut input.files);
        }
        input
    }

    /// Whether the input contains this text.
    pub(super) fn has(&self, mark: &str) -> bool {
        self.count(mark) > 0
    }

    /// Counts how often arguments, variables and stdin contain this text; an adapter may write
    /// several files of which the agent CLI reads one.
    pub(super) fn count_passed(&self, mark: &str) -> usize {
        let texts = self.arguments.iter().chain(self.variables.values()).chain([&self.stdin]);
        texts.map(|text| text.matches(mark).count()).sum()
    }

    /// Counts how often the input contains this text.
    pub(super) fn count(&self, mark: &str) -> usize {
        let in_texts = self.count_passed(mark);
        let in_files = self.files.iter().map(|(path, bytes)| {
            path.matches(mark).count() + usize::from(has_bytes(bytes, mark.as_bytes()))
        });
        in_texts + in_files.sum::<usize>()
    }

    /// Whether the input contains exactly this text, as it is or escaped in JSON.
    pub(super) fn has_text(&self, text: &str) -> bool {
        // Parsed, because a writer may escape every character.
        let mut messages = self.stdin.lines().filter_map(|line| serde_json::from_str(line).ok());
        if messages.any(|message: Value| has_string(&message, text)) {
            return true;
        }
        let escaped = Value::from(text).to_string();
        let escaped = &escaped[1..escaped.len() - 1];
        // JSON inside a text of JSON is escaped twice.
        let twice = Value::from(escaped).to_string();
        let forms = [text, escaped, &twice[1..twice.len() - 1]];
        forms.iter().any(|form| self.has(form))
    }

    /// Whether an argument, a variable, a line of stdin or a file is JSON that contains this value.
    pub(super) fn has_json(&self, part: &Value) -> bool {
        let values = self.arguments.iter().chain(self.variables.values()).map(String::as_str);
        let joined = self.arguments.iter().filter_map(|it| Some(it.split_once('=')?.1));
        let files = self.files.values().filter_map(|bytes| std::str::from_utf8(bytes).ok());
        let texts = values.chain(joined).chain(files).chain(self.stdin.lines());
        texts
            .filter_map(|text| serde_json::from_str::<Value>(text).ok())
            .any(|value| contains_json(&value, part))
    }

    /// Returns the characters before the first occurrence of a text, over all arguments and stdin.
    pub(super) fn text_before(&self, text: &str, chars: usize) -> String {
        let whole = format!("{}\n{}", self.arguments.join(" "), self.stdin);
        let end = whole.find(text).unwrap_or(0);
        let before: Vec<char> = whole[..end].chars().rev().take(chars).collect();
        before.into_iter().rev().collect()
    }

    /// Whether a file contains these bytes.
    pub(super) fn has_file_with(&self, bytes: &[u8]) -> bool {
        self.files.values().any(|file| has_bytes(file, bytes))
    }

    /// Summarizes the input for messages.
    pub(super) fn summary(&self) -> String {
        let stdin = shorten(&self.stdin, 200);
        let files: Vec<&String> = self.files.keys().take(5).collect();
        format!("arguments {:?}, stdin {stdin:?}, files {files:?}", self.arguments)
    }
}

/// Accepts any list: an option can add entries that the pack does not know.
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

/// Whether a value contains a text that contains this one.
fn has_string(value: &Value, text: &str) -> bool {
    match value {
        Value::String(found) => found.contains(text),
        Value::Array(entries) => entries.iter().any(|entry| has_string(entry, text)),
        Value::Object(members) => members.values().any(|member| has_string(member, text)),
        _ => false,
    }
}

fn has_bytes(whole: &[u8], part: &[u8]) -> bool {
    whole.windows(part.len().max(1)).any(|window| window == part)
}

fn add_files(folder: &Path, files: &mut BTreeMap<String, Vec<u8>>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        if files.len() >= MAX_FILES {
            return;
        }
        let path = entry.path();
        match entry.metadata() {
            Ok(metadata) if metadata.is_dir() => add_files(&path, files),
            Ok(metadata) if metadata.is_file() && metadata.len() <= MAX_FILE_BYTES => {
                let bytes = std::fs::read(&path).unwrap_or_default();
                files.insert(path.to_string_lossy().into_owned(), bytes);
            }
            _ => {}
        }
    }
}

/// Whether a JSON value contains another one; a text may contain it as JSON too.
fn contains_json(value: &Value, part: &Value) -> bool {
    value == part
        || match value {
            Value::Array(items) => items.iter().any(|item| contains_json(item, part)),
            Value::Object(members) => members.values().any(|member| contains_json(member, part)),
            Value::String(text) => serde_json::from_str::<Value>(text)
                .is_ok_and(|inner| !inner.is_string() && contains_json(&inner, part)),
            _ => false,
        }
}
