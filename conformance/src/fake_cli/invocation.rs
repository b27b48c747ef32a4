//! The records of the fake CLI as the suite reads them: one file per start.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::http::Request;
use super::route::Pairs;
use crate::process::WindowSize;

/// One record.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "saw", rename_all = "snake_case")]
pub enum Entry {
    /// It was started.
    Started {
        /// As this process.
        pid: u32,
        /// The arguments after the program's name.
        args: Vec<String>,
        /// The whole environment. The suite passed it to the adapter, so it holds nothing personal.
        env: BTreeMap<String, String>,
        /// The folder.
        cwd: String,
    },
    /// It answered a probe instead of running its steps.
    Probe,
    /// Its stdin and stdout are a terminal.
    Terminal(WindowSize),
    /// A placeholder got its value.
    Bound {
        /// The placeholder.
        name: String,
        /// The value.
        value: Value,
    },
    /// The end of stdin.
    StdinEnd,
    /// A request arrived.
    Request(RecordedRequest),
    /// A request matched nothing and was refused.
    Refused {
        /// Which one, and why.
        reason: String,
    },
    /// A signal arrived.
    Signal {
        /// Its name.
        name: String,
        /// When it arrived, in milliseconds since 1970.
        at_ms: u64,
    },
    /// It started a detached process.
    Child {
        /// That process.
        pid: u32,
    },
    /// It waits at a gate.
    AtGate {
        /// Its name.
        name: String,
    },
    /// It waits for something, or (`None`) it has arrived.
    Waits {
        /// What.
        thing: Option<String>,
    },
    /// Something expected did not arrive.
    ExpectFailed {
        /// What was expected, and why it cannot arrive any more.
        reason: String,
    },
    /// All steps ran, a step made it exit, or it replied to the request that stops it.
    Ended,
}

impl Entry {
    /// A signal that arrives now.
    pub(super) fn signal(name: &str) -> Self {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let at_ms = u64::try_from(since.as_millis()).unwrap_or(u64::MAX);
        Self::Signal { name: name.to_owned(), at_ms }
    }

    pub(super) fn request(request: &Request) -> Self {
        let Request { method, target, headers, body } = request.clone();
        Self::Request(RecordedRequest { method, target, headers, body })
    }
}

/// A request that arrived.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedRequest {
    /// Such as `POST`.
    pub method: String,
    /// Path and query, not decoded.
    pub target: String,
    /// All headers.
    pub headers: Pairs,
    /// The body.
    pub body: String,
}

/// One start of the fake CLI, with the records so far.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Invocation {
    /// Its process.
    pub pid: u32,
    /// The arguments after the program's name.
    pub args: Vec<String>,
    /// Its environment.
    pub env: BTreeMap<String, String>,
    /// The folder it was started in.
    pub cwd: String,
    /// It answered a probe instead of running its steps.
    pub is_probe: bool,
    /// Its terminal, if the pack requires one.
    pub terminal: Option<WindowSize>,
    /// The bound placeholders, such as `prompt`.
    pub bound: BTreeMap<String, Value>,
    /// Its whole stdin.
    pub stdin: Vec<u8>,
    /// Its stdin was closed.
    pub stdin_ended: bool,
    /// The requests, in order.
    pub requests: Vec<RecordedRequest>,
    /// Requests that the pack does not know, and why they were refused.
    pub refused: Vec<String>,
    /// The signals in order, each with its time in milliseconds since 1970.
    pub signals: Vec<(String, u64)>,
    /// The detached processes it started.
    pub children: Vec<u32>,
    /// The gates it reached.
    pub gates: Vec<String>,
    /// What it waits for.
    pub waits_for: Option<String>,
    /// Something expected did not arrive: the adapter did not send what the pack expects.
    pub expect_failed: Option<String>,
    /// It ended by itself (see [`Entry::Ended`]).
    pub ended: bool,
}

impl Invocation {
    /// What a placeholder was bound to, as text.
    pub fn bound_text(&self, name: &str) -> Option<String> {
        self.bound.get(name).map(|value| match value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        })
    }

    /// Everything the adapter sent, as text: stdin, then each request.
    pub fn received_text(&self) -> String {
        let mut text = String::from_utf8_lossy(&self.stdin).into_owned();
        for request in &self.requests {
            text.push_str(&format!("{} {}\n{}\n", request.method, request.target, request.body));
        }
        text
    }

    /// Whether a request has this text as a segment of its path or as a value of its query.
    pub fn has_request_part(&self, word: &str) -> bool {
        self.requests.iter().any(|seen| {
            let RecordedRequest { method, target, headers, body } = seen.clone();
            let request = Request { method, target, headers, body };
            request.segments().iter().any(|part| part == word)
                || request.query().iter().any(|(_, value)| value == word)
        })
    }

    /// What went wrong for the fake CLI, which usually explains a failed check.
    pub fn problem(&self) -> Option<String> {
        let refused = (!self.refused.is_empty()).then(|| self.refused.join("; "));
        let waits = self.waits_for.as_ref().filter(|_| self.expect_failed.is_none());
        let waits = waits.map(|thing| format!("it waits for {thing}"));
        let problems: Vec<String> =
            self.expect_failed.clone().into_iter().chain(refused).chain(waits).collect();
        (!problems.is_empty()).then(|| problems.join("; "))
    }

    fn add(&mut self, entry: Entry) {
        match entry {
            Entry::Started { pid, args, env, cwd } => {
                (self.pid, self.args, self.env, self.cwd) = (pid, args, env, cwd);
            }
            Entry::Probe => self.is_probe = true,
            Entry::Terminal(size) => self.terminal = Some(size),
            Entry::Bound { name, value } => {
                self.bound.insert(name, value);
            }
            Entry::StdinEnd => self.stdin_ended = true,
            Entry::Request(request) => self.requests.push(request),
            Entry::Refused { reason } => self.refused.push(reason),
            Entry::Signal { name, at_ms } => self.signals.push((name, at_ms)),
            Entry::Child { pid } => self.children.push(pid),
            Entry::AtGate { name } => self.gates.push(name),
            Entry::Waits { thing } => self.waits_for = thing,
            Entry::ExpectFailed { reason } => self.expect_failed = Some(reason),
            Entry::Ended => self.ended = true,
        }
    }
}

/// Reads all records, the oldest start first. An incomplete line is skipped.
///
/// # Errors
/// When the folder cannot be read.
pub fn read_all(folder: &Path) -> std::io::Result<Vec<Invocation>> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "jsonl"))
        .collect();
    files.sort();
    Ok(files.iter().filter_map(|file| read_one(file)).collect())
}

fn read_one(file: &Path) -> Option<Invocation> {
    let text = std::fs::read_to_string(file).ok()?;
    let mut invocation = Invocation::default();
    let mut started = false;
    for entry in text.lines().filter_map(|line| serde_json::from_str(line).ok()) {
        started |= matches!(entry, Entry::Started { .. });
        invocation.add(entry);
    }
    invocation.stdin = std::fs::read(file.with_extension("stdin")).unwrap_or_default();
    started.then_some(invocation)
}
