//! Maps the entries of a session file to events. Pure.

use std::collections::HashSet;
use std::path::Path;

use od_protocol::{Event, ToolStatus};
use serde::Deserialize;
use serde_json::Value;

use crate::content::{blocks, kind, model_id, text_of, title};
use crate::native::{Block, Message};
use od_sdk::approval::mcp_server;
use od_sdk::event::tool_result;
use od_sdk::session_files::{
    Call, SessionFile, SessionFormat, SessionLine, Transcript, last_branch,
};
use od_sdk::text::first_line;

/// One entry; each type uses some of the fields.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct Entry {
    /// `session`, `message`, `model_change`, `context_edit`, ….
    #[serde(rename = "type")]
    kind: String,
    /// With `session`: the id of the session.
    id: String,
    parent_id: Option<String>,
    /// With `session`: its working folder.
    cwd: Option<String>,
    message: Option<Message>,
    /// With `model_change` in pi.
    provider: Option<String>,
    model_id: Option<String>,
    /// With `model_change` in omp.
    model: Option<String>,
    /// With `context_edit`: the replaced entry; a retry replaces it by nothing.
    target_id: Option<String>,
    replacement: Option<Value>,
    /// With `session_info` in pi and `title` in omp: the name of the session.
    name: Option<String>,
    title: Option<String>,
}

impl SessionLine for Entry {
    fn cwd(&self) -> Option<String> {
        self.cwd.clone().filter(|_| self.kind == "session")
    }

    fn model(&self) -> Option<String> {
        let by_parts = || Some(model_id(self.provider.as_deref()?, self.model_id.as_deref()?));
        (self.kind == "model_change").then(|| self.model.clone().or_else(by_parts)).flatten()
    }

    /// Its name, or the shortened text of the user.
    fn title(&self) -> Option<String> {
        let name = self.title.as_ref().or(self.name.as_ref()).filter(|name| !name.is_empty());
        let prompt = || self.message.as_ref().filter(|message| message.role == "user");
        match name {
            Some(name) => Some(first_line(name)),
            None => prompt()
                .map(|message| first_line(&text_of(&message.content)))
                .filter(|text| !text.is_empty()),
        }
    }
}

impl SessionFormat for Entry {
    fn files(config_dir: &Path, _cwd: Option<&str>) -> Vec<SessionFile> {
        super::files(config_dir)
    }

    /// The events of a session. Entries form a tree; the session is the path from the root to the last
    /// entry, without discarded answers.
    fn to_events(entries: &mut dyn Iterator<Item = Self>) -> Vec<Event> {
        let entries: Vec<Entry> =
            entries.filter(|entry| !matches!(entry.kind.as_str(), "session" | "title")).collect();
        let branch = last_branch(&entries, |entry| &entry.id, |entry| entry.parent_id.as_deref());
        let discarded: HashSet<&str> = branch
            .iter()
            .filter(|entry| entry.kind == "context_edit" && entry.replacement.is_none())
            .filter_map(|entry| entry.target_id.as_deref())
            .collect();
        let mut transcript = Transcript::default();
        for entry in branch {
            let message = entry.message.as_ref().filter(|_| entry.kind == "message");
            if let Some(message) = message.filter(|_| !discarded.contains(entry.id.as_str())) {
                on_message(message, &mut transcript);
            }
        }
        transcript.into_events()
    }
}

fn on_message(message: &Message, transcript: &mut Transcript) {
    match message.role.as_str() {
        "user" => transcript.user(text_of(&message.content)),
        "assistant" => {
            for block in blocks(message.content.clone()) {
                on_block(block, transcript);
            }
        }
        "toolResult" => {
            let status = if message.is_error { ToolStatus::Error } else { ToolStatus::Ok };
            let text = text_of(&message.content);
            transcript.result(tool_result(&message.tool_call_id, status, text));
        }
        _ => {}
    }
}

fn on_block(block: Block, transcript: &mut Transcript) {
    match block.kind.as_str() {
        "text" => transcript.text(block.text),
        "thinking" => transcript.thought(&block.thinking),
        "toolCall" => transcript.call(call(block)),
        _ => {}
    }
}

fn call(block: Block) -> Call {
    Call {
        id: block.id,
        kind: kind(&block.name),
        title: title(&block.name, &block.arguments),
        mcp_server: mcp_server(&block.name),
        name: block.name,
        input: block.arguments,
    }
}
