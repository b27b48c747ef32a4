//! Sessions: what the model is told of them, what a client is shown again, and the file that keeps
//! both.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use serde_json::{Value, json};

use super::stop::Stop;

/// One conversation.
pub(super) struct Session {
    /// Its id.
    pub(super) id: String,
    /// Where it works.
    pub(super) cwd: PathBuf,
    /// What a cancel must end.
    pub(super) stop: Stop,
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    messages: Vec<Value>,
    updates: Vec<Value>,
}

impl Session {
    /// A new one.
    pub(super) fn new(id: String, cwd: PathBuf) -> Self {
        Self { id, cwd, stop: Stop::default(), kept: Mutex::new(Kept::default()) }
    }

    /// One that was kept in a file; `None` when there is none.
    pub(super) fn load(id: &str, cwd: PathBuf) -> Option<Self> {
        let text = std::fs::read_to_string(file(id)?).ok()?;
        let value: Value = serde_json::from_str(&text).ok()?;
        let list = |name: &str| value[name].as_array().cloned().unwrap_or_default();
        let kept = Kept { messages: list("messages"), updates: list("updates") };
        Some(Self { id: id.to_owned(), cwd, stop: Stop::default(), kept: Mutex::new(kept) })
    }

    fn kept(&self) -> std::sync::MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a message for the model.
    pub(super) fn tell(&self, message: Value) {
        self.kept().messages.push(message);
    }

    /// What the model is told.
    pub(super) fn messages(&self) -> Vec<Value> {
        self.kept().messages.clone()
    }

    /// Keeps an update that a client is shown again.
    pub(super) fn keep(&self, update: &Value) {
        self.kept().updates.push(update.clone());
    }

    /// What a client is shown again.
    pub(super) fn updates(&self) -> Vec<Value> {
        self.kept().updates.clone()
    }

    /// Writes everything down. Without a home there is nowhere to.
    pub(super) fn save(&self) {
        let Some(file) = file(&self.id) else { return };
        let kept = self.kept();
        let text = json!({"messages": kept.messages, "updates": kept.updates}).to_string();
        let folder = file.parent().unwrap_or(Path::new("."));
        let _unwritable =
            std::fs::create_dir_all(folder).and_then(|()| std::fs::write(&file, text));
    }
}

fn file(id: &str) -> Option<PathBuf> {
    let is_plain = id.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '-');
    let home = PathBuf::from(std::env::var_os("HOME").or_else(|| std::env::var_os("USERPROFILE"))?);
    is_plain.then(|| home.join(".acp-reference").join(format!("{id}.json")))
}
