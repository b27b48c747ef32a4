//! Sessions: the messages for the model, the updates for a replay, and the file that stores both.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use serde_json::{Value, json};

use super::cancel::TurnCancel;

/// One conversation.
pub(super) struct Session {
    pub(super) id: String,
    /// Its working folder.
    pub(super) cwd: PathBuf,
    /// What a cancel must end.
    pub(super) stop: TurnCancel,
    stored: Mutex<Stored>,
}

#[derive(Default)]
struct Stored {
    messages: Vec<Value>,
    updates: Vec<Value>,
}

impl Session {
    pub(super) fn new(id: String, cwd: PathBuf) -> Self {
        Self { id, cwd, stop: TurnCancel::default(), stored: Mutex::new(Stored::default()) }
    }

    /// Loads a stored session; `None` if there is none.
    pub(super) fn load(id: &str, cwd: PathBuf) -> Option<Self> {
        let text = std::fs::read_to_string(file(id)?).ok()?;
        let value: Value = serde_json::from_str(&text).ok()?;
        let list = |name: &str| value[name].as_array().cloned().unwrap_or_default();
        let stored = Stored { messages: list("messages"), updates: list("updates") };
        Some(Self {
            id: id.to_owned(),
            cwd,
            stop: TurnCancel::default(),
            stored: Mutex::new(stored),
        })
    }

    fn stored(&self) -> std::sync::MutexGuard<'_, Stored> {
        self.stored.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn add_message(&self, message: Value) {
        self.stored().messages.push(message);
    }

    pub(super) fn messages(&self) -> Vec<Value> {
        self.stored().messages.clone()
    }

    /// Removes the messages for the model, as the fault requires.
    pub(super) fn forget_messages(&self) {
        self.stored().messages.clear();
    }

    /// Stores an update for a replay.
    pub(super) fn keep(&self, update: &Value) {
        self.stored().updates.push(update.clone());
    }

    pub(super) fn updates(&self) -> Vec<Value> {
        self.stored().updates.clone()
    }

    /// Stores the session; without a home folder it is not stored.
    pub(super) fn save(&self) {
        let Some(file) = file(&self.id) else { return };
        let stored = self.stored();
        let text = json!({"messages": stored.messages, "updates": stored.updates}).to_string();
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
