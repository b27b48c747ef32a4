//! What the stand-in writes down and the suite reads back: one file per start of the stand-in.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::http::Request;
use super::route::Pairs;

/// One thing the stand-in saw or did.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "saw", rename_all = "snake_case")]
pub enum Entry {
    /// It was started.
    Started {
        /// As this process.
        pid: u32,
        /// The arguments after the program's name.
        args: Vec<String>,
        /// The whole environment. The suite gave it to the plugin, so nothing of the person is in.
        env: BTreeMap<String, String>,
        /// The folder.
        cwd: String,
    },
    /// It answered a probe instead of playing its steps.
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
    /// Nothing more comes on stdin.
    StdinEnd,
    /// A request arrived.
    Request(SeenRequest),
    /// A request fitted nothing and was refused.
    Refused {
        /// Which one, and why.
        reason: String,
    },
    /// A signal arrived.
    Signal {
        /// Its name.
        name: String,
    },
    /// It started a detached process.
    Child {
        /// That process.
        pid: u32,
    },
    /// A gate is waited for.
    AtGate {
        /// Its name.
        name: String,
    },
    /// Something is waited for, or (`None`) it has come.
    Waits {
        /// What.
        thing: Option<String>,
    },
    /// Something that was expected did not come.
    ExpectFailed {
        /// What was waited for, and why it is hopeless.
        reason: String,
    },
    /// All steps were played, it exited as a step says, or the request that stops it was answered.
    Ended,
}

impl Entry {
    pub(super) fn request(request: &Request) -> Self {
        let Request { method, target, headers, body } = request.clone();
        Self::Request(SeenRequest { method, target, headers, body })
    }
}

/// A request that arrived.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeenRequest {
    /// Such as `POST`.
    pub method: String,
    /// Path and query as they came.
    pub target: String,
    /// Headers as they came.
    pub headers: Pairs,
    /// The body.
    pub body: String,
}

/// How big a terminal is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct WindowSize {
    /// How many characters a line has.
    pub columns: u16,
    /// How many lines there are.
    pub rows: u16,
}

/// One start of the stand-in, as far as it has got.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Invocation {
    /// Its process.
    pub pid: u32,
    /// The arguments after the program's name.
    pub args: Vec<String>,
    /// The environment it got.
    pub env: BTreeMap<String, String>,
    /// The folder it was started in.
    pub cwd: String,
    /// It answered a probe instead of playing its steps.
    pub is_probe: bool,
    /// The terminal it was given, where the pack asks for one.
    pub terminal: Option<WindowSize>,
    /// What its placeholders were bound to (`prompt` is the important one).
    pub bound: BTreeMap<String, Value>,
    /// Everything it got on stdin.
    pub stdin: Vec<u8>,
    /// Its stdin was closed.
    pub stdin_ended: bool,
    /// The requests it got, in order.
    pub requests: Vec<SeenRequest>,
    /// Requests that fitted nothing the pack knows, and why they were refused.
    pub refused: Vec<String>,
    /// The signals it got, in order.
    pub signals: Vec<String>,
    /// The detached processes it started.
    pub children: Vec<u32>,
    /// The gates it came to.
    pub gates: Vec<String>,
    /// What it waits for.
    pub waits_for: Option<String>,
    /// Something expected did not come: the adapter did not say what the pack expects.
    pub expect_failed: Option<String>,
    /// It came to its own end (see [`Entry::Ended`]).
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

    /// Everything the adapter said to it, as text: stdin, then each request.
    pub fn heard(&self) -> String {
        let mut text = String::from_utf8_lossy(&self.stdin).into_owned();
        for request in &self.requests {
            text.push_str(&format!("{} {}\n{}\n", request.method, request.target, request.body));
        }
        text
    }

    /// Whether a request has exactly this word as a part of its path or as a value of its query.
    pub fn was_asked_for(&self, word: &str) -> bool {
        self.requests.iter().any(|seen| {
            let SeenRequest { method, target, headers, body } = seen.clone();
            let request = Request { method, target, headers, body };
            request.segments().iter().any(|part| part == word)
                || request.query().iter().any(|(_, value)| value == word)
        })
    }

    /// What it has to complain about: usually why the rest went wrong.
    pub fn complaint(&self) -> Option<String> {
        let refused = (!self.refused.is_empty()).then(|| self.refused.join("; "));
        let waits = self.waits_for.as_ref().filter(|_| self.expect_failed.is_none());
        let waits = waits.map(|thing| format!("it waits for {thing}"));
        let complaints: Vec<String> =
            self.expect_failed.clone().into_iter().chain(refused).chain(waits).collect();
        (!complaints.is_empty()).then(|| complaints.join("; "))
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
            Entry::Signal { name } => self.signals.push(name),
            Entry::Child { pid } => self.children.push(pid),
            Entry::AtGate { name } => self.gates.push(name),
            Entry::Waits { thing } => self.waits_for = thing,
            Entry::ExpectFailed { reason } => self.expect_failed = Some(reason),
            Entry::Ended => self.ended = true,
        }
    }
}

/// Reads everything that was written down, the oldest start first. A line that is still being
/// written is left out.
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
