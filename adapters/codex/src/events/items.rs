//! Item types: which are tool calls, and their names, kinds, inputs and titles.

use od_protocol::ToolKind;
use od_sdk::text::first_line;
use serde_json::{Value, json};

use crate::native::{Change, CommandAction, Item};

/// The shell flag before a script.
const SHELL_FLAG: &str = " -lc ";

/// Returns the app server's name of an item type; `exec --json` uses snake case.
pub(crate) fn kind_of(kind: &str) -> &str {
    match kind {
        "command_execution" => "commandExecution",
        "file_change" => "fileChange",
        "mcp_tool_call" => "mcpToolCall",
        "web_search" => "webSearch",
        "collab_tool_call" => "collabAgentToolCall",
        kind => kind,
    }
}

/// Whether an item is a tool call.
pub(crate) fn is_tool(kind: &str) -> bool {
    matches!(
        kind_of(kind),
        "commandExecution"
            | "fileChange"
            | "mcpToolCall"
            | "dynamicToolCall"
            | "webSearch"
            | "imageView"
            | "imageGeneration"
            | "collabAgentToolCall"
            | "sleep"
    )
}

/// Whether an item is ignored, because its content comes another way.
pub(crate) fn is_ignored(kind: &str) -> bool {
    matches!(kind, "userMessage" | "hookPrompt" | "subAgentActivity" | "functionCallOutput")
}

/// The tool's name, or the item type if it has none.
pub(crate) fn name(item: &Item) -> String {
    match kind_of(&item.kind) {
        "mcpToolCall" | "dynamicToolCall" | "collabAgentToolCall" if !item.tool.is_empty() => {
            item.tool.clone()
        }
        kind => kind.to_owned(),
    }
}

/// The kind of the tool.
pub(crate) fn tool_kind(item: &Item) -> ToolKind {
    match kind_of(&item.kind) {
        "commandExecution" => command_kind(&item.command_actions),
        "fileChange" => ToolKind::Edit,
        "webSearch" => ToolKind::Fetch,
        "imageView" => ToolKind::Read,
        "collabAgentToolCall" => ToolKind::Think,
        _ => ToolKind::Other,
    }
}

/// The kind of a command: `Read` or `Search` only if all of its parts are.
fn command_kind(actions: &[CommandAction]) -> ToolKind {
    let all = |kinds: &[&str]| {
        !actions.is_empty() && actions.iter().all(|action| kinds.contains(&action.kind.as_str()))
    };
    if all(&["read"]) {
        ToolKind::Read
    } else if all(&["read", "listFiles", "search"]) {
        ToolKind::Search
    } else {
        ToolKind::Execute
    }
}

/// The tool's input, as far as the CLI reports it.
pub(crate) fn input(item: &Item) -> Value {
    match kind_of(&item.kind) {
        "commandExecution" => match &item.cwd {
            Some(cwd) => json!({"command": item.command, "cwd": cwd}),
            None => json!({"command": item.command}),
        },
        "fileChange" => json!({"changes": item.changes.iter().map(change).collect::<Vec<_>>()}),
        "webSearch" => json!({"query": item.query, "action": item.action}),
        "imageView" => json!({"path": item.path}),
        "collabAgentToolCall" => {
            json!({"prompt": item.prompt, "threads": item.receiver_thread_ids})
        }
        "sleep" => json!({"durationMs": item.duration_ms}),
        _ => item.arguments.clone(),
    }
}

fn change(change: &Change) -> Value {
    json!({"path": change.path, "kind": change.kind, "diff": change.diff})
}

/// A one-line title.
pub(crate) fn title(item: &Item) -> Option<String> {
    let title = match kind_of(&item.kind) {
        "commandExecution" => command(item),
        "fileChange" => {
            let paths: Vec<&str> = item.changes.iter().map(|change| change.path.as_str()).collect();
            format!("edit {}", paths.join(", "))
        }
        "mcpToolCall" => format!("{}: {}", item.server, item.tool),
        "webSearch" if !item.query.is_empty() => format!("search the web: {}", item.query),
        "imageView" => format!("view {}", item.path),
        "collabAgentToolCall" => item.prompt.clone()?,
        _ => return None,
    };
    Some(first_line(&title))
}

/// The command without its shell.
pub(crate) fn command(item: &Item) -> String {
    let commands: Vec<&str> =
        item.command_actions.iter().map(|action| action.command.as_str()).collect();
    match commands.iter().any(|command| !command.is_empty()) {
        true => commands.join("; "),
        false => without_shell(&item.command).to_owned(),
    }
}

/// `exec --json` reports the whole command line only: `/bin/bash -lc 'echo one'`.
fn without_shell(command: &str) -> &str {
    let script = command.split_once(SHELL_FLAG).map_or(command, |(_, script)| script);
    let quoted = script.strip_prefix('\'').and_then(|script| script.strip_suffix('\''));
    quoted.unwrap_or(script)
}
