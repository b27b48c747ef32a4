//! What the agent remembers between runs: the prompts of each session, in a file of its own below
//! `OD_HOME` (or `~/.open-design`).

use std::collections::hash_map::RandomState;
use std::fs;
use std::hash::{BuildHasher, Hasher};
use std::io;
use std::path::PathBuf;

use super::os;

/// One session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Session {
    pub(super) id: String,
    pub(super) prompts: Vec<String>,
}

impl Session {
    /// A new one.
    pub(super) fn new(id: Option<String>) -> Self {
        Self { id: id.unwrap_or_else(fresh_id), prompts: Vec::new() }
    }

    /// An old one.
    pub(super) fn load(id: &str) -> io::Result<Self> {
        if !id.chars().all(|character| character.is_ascii_alphanumeric() || character == '-') {
            return Err(io::ErrorKind::NotFound.into());
        }
        let text = fs::read_to_string(file(id))?;
        let prompts = serde_json::from_str(&text).map_err(io::Error::other)?;
        Ok(Self { id: id.to_owned(), prompts })
    }

    /// A copy under a new id.
    pub(super) fn fork(self) -> Self {
        Self { id: fresh_id(), ..self }
    }

    /// Remembers a prompt. Memory that cannot be written is a pity, not a failure.
    pub(super) fn remember(&mut self, prompt: &str) {
        self.prompts.push(prompt.chars().take(400).collect());
        let path = file(&self.id);
        let saved = serde_json::to_string(&self.prompts)
            .map_err(io::Error::other)
            .and_then(|text| os::write_private(&path, &text));
        if let Err(error) = saved {
            eprintln!("warning: the session cannot be kept in {}: {error}", path.display());
        }
    }
}

fn file(id: &str) -> PathBuf {
    let home = std::env::var_os("OD_HOME").map(PathBuf::from).or_else(|| {
        Some(PathBuf::from(std::env::var_os("HOME").or(std::env::var_os("USERPROFILE"))?))
            .map(|home| home.join(".open-design"))
    });
    home.unwrap_or_default().join("demo-sessions").join(format!("{id}.json"))
}

/// An id nobody has had: the process's own random state is random enough for a demo.
fn fresh_id() -> String {
    let part = || RandomState::new().build_hasher().finish();
    format!("demo-{:016x}{:08x}", part(), part() >> 32)
}
