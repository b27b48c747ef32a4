//! Sessions: the prompts of each one, in a file below `OD_HOME` (or `~/.open-design`).

use std::collections::hash_map::RandomState;
use std::fs;
use std::hash::{BuildHasher, Hasher};
use std::io;
use std::path::PathBuf;

use super::os;

/// A session: its id and the prompts so far.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Session {
    pub(super) id: String,
    pub(super) prompts: Vec<String>,
}

impl Session {
    /// Starts a session.
    pub(super) fn new(id: Option<String>) -> Self {
        Self { id: id.unwrap_or_else(fresh_id), prompts: Vec::new() }
    }

    /// Reads a stored session.
    pub(super) fn load(id: &str) -> io::Result<Self> {
        if !id.chars().all(|character| character.is_ascii_alphanumeric() || character == '-') {
            return Err(io::ErrorKind::NotFound.into());
        }
        let text = fs::read_to_string(file(id))?;
        let prompts = serde_json::from_str(&text).map_err(io::Error::other)?;
        Ok(Self { id: id.to_owned(), prompts })
    }

    /// Copies the session under a new id.
    pub(super) fn fork(self) -> Self {
        Self { id: fresh_id(), ..self }
    }

    /// Adds a prompt and stores the session. A session that cannot be stored does not fail the run.
    pub(super) fn append(&mut self, prompt: &str) {
        self.prompts.push(prompt.chars().take(400).collect());
        let path = file(&self.id);
        let saved = serde_json::to_string(&self.prompts)
            .map_err(io::Error::other)
            .and_then(|text| os::write_private(&path, &text));
        if let Err(error) = saved {
            eprintln!("warning: cannot store the session in {}: {error}", path.display());
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

/// Returns a new id. The random state of the hasher is random enough for a demo.
fn fresh_id() -> String {
    let part = || RandomState::new().build_hasher().finish();
    format!("demo-{:016x}{:08x}", part(), part() >> 32)
}
