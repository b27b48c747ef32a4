//! Maps the lines of a session file to events. Pure.

use std::collections::HashSet;
use std::path::Path;

use od_protocol::{Event, ToolKind};
use od_sdk::session_files::{Call, SessionFile, SessionFormat, SessionLine, Transcript};
use od_sdk::text::first_line;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use crate::events::tools::result;
use crate::native::{Message, Tool};
use crate::tool_names::{kind, title};

/// One line. The payload depends on the type and is parsed on demand.
#[derive(Debug, Deserialize)]
pub(crate) struct Record {
    #[serde(rename = "type")]
    kind: String,
    data: Box<RawValue>,
}

/// `session.start`, `session.resume`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct SessionStart {
    selected_model: Option<String>,
    context: Context,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Context {
    /// The working folder.
    cwd: Option<String>,
}

/// `user.message`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct UserMessage {
    /// The typed text; the model received it with the date before it.
    content: String,
}

impl Record {
    fn read<T: DeserializeOwned>(&self, kinds: &[&str]) -> Option<T> {
        let is_wanted = kinds.contains(&self.kind.as_str());
        is_wanted.then(|| serde_json::from_str(self.data.get()).ok()).flatten()
    }

    fn session_start(&self) -> Option<SessionStart> {
        self.read(&["session.start", "session.resume"])
    }

    /// The user's prompt.
    fn user_text(&self) -> Option<String> {
        let UserMessage { content } = self.read(&["user.message"])?;
        Some(content.trim_end().to_owned()).filter(|text| !text.is_empty())
    }
}

impl SessionLine for Record {
    fn cwd(&self) -> Option<String> {
        self.session_start()?.context.cwd
    }

    fn model(&self) -> Option<String> {
        self.session_start()?.selected_model
    }

    fn title(&self) -> Option<String> {
        self.user_text().map(|text| first_line(&text))
    }
}

impl SessionFormat for Record {
    fn files(config_dir: &Path, _cwd: Option<&str>) -> Vec<SessionFile> {
        super::files(config_dir)
    }

    /// Maps a session to events.
    fn to_events(records: &mut dyn Iterator<Item = Self>) -> Vec<Event> {
        let mut transcript = Transcript::default();
        let mut commands = HashSet::new();
        for record in records {
            if let Some(text) = record.user_text() {
                transcript.user(text);
            } else if let Some(message) = record.read::<Message>(&["assistant.message"]) {
                transcript.thought(message.reasoning_text.as_deref().unwrap_or_default());
                transcript.text(message.content);
            } else if let Some(tool) = record.read::<Tool>(&["tool.execution_start"]) {
                if kind(&tool.tool_name) == ToolKind::Execute {
                    commands.insert(tool.tool_call_id.clone());
                }
                transcript.call(call(tool));
            } else if let Some(tool) = record.read::<Tool>(&["tool.execution_complete"]) {
                let is_command = commands.remove(&tool.tool_call_id);
                transcript.result(result(&tool, is_command, false));
            }
        }
        transcript.into_events()
    }
}

fn call(tool: Tool) -> Call {
    Call {
        id: tool.tool_call_id,
        kind: kind(&tool.tool_name),
        title: title(&tool.tool_name, &tool.arguments),
        mcp_server: tool.mcp_server_name,
        name: tool.tool_name,
        input: tool.arguments,
    }
}
