//! The CLI's tool names and their kinds and titles, for JSON lines and sessions.

use od_protocol::{FileOp, ToolKind};
use serde_json::Value;

/// Longer titles are truncated.
const MAX_TITLE_CHARS: usize = 120;

/// The kind of a tool, by its name. The set of tools depends on the model.
pub fn kind(name: &str) -> ToolKind {
    match name {
        "view" | "read_bash" | "list_bash" => ToolKind::Read,
        "create" | "edit" | "apply_patch" | "str_replace_editor" => ToolKind::Edit,
        "grep" | "rg" | "glob" => ToolKind::Search,
        "bash" | "powershell" | "write_bash" | "stop_bash" => ToolKind::Execute,
        "web_fetch" | "web_search" => ToolKind::Fetch,
        "task" | "update_todo" | "report_intent" | "skill" => ToolKind::Think,
        _ => ToolKind::Other,
    }
}

/// A one-line title.
pub fn title(name: &str, input: &Value) -> Option<String> {
    let field = |key: &str| input.get(key).and_then(Value::as_str);
    let title = match kind(name) {
        ToolKind::Execute => field("command")?.to_owned(),
        _ => {
            let keys = ["path", "file_path", "pattern", "url", "query", "description"];
            format!("{name} {}", keys.into_iter().find_map(field)?)
        }
    };
    Some(title.lines().next().unwrap_or_default().chars().take(MAX_TITLE_CHARS).collect())
}

/// The operation on a file.
pub fn file_op(kind: &str) -> FileOp {
    match kind {
        "create" | "add" => FileOp::Create,
        "delete" => FileOp::Delete,
        "move" | "rename" => FileOp::Rename,
        _ => FileOp::Edit,
    }
}
