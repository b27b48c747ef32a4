//! What the CLI's names mean, whichever way they come.

use od_protocol::{FileOp, ToolKind};
use serde_json::Value;

/// A title longer than this is cut.
const TITLE_CHARACTERS: usize = 120;

/// What a tool does, by its name. Which tools there are depends on the model.
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

/// One line for people.
pub fn title(name: &str, input: &Value) -> Option<String> {
    let field = |key: &str| input.get(key).and_then(Value::as_str);
    let title = match kind(name) {
        ToolKind::Execute => field("command")?.to_owned(),
        _ => {
            let keys = ["path", "file_path", "pattern", "url", "query", "description"];
            format!("{name} {}", keys.into_iter().find_map(field)?)
        }
    };
    Some(title.lines().next().unwrap_or_default().chars().take(TITLE_CHARACTERS).collect())
}

/// What became of a file.
pub fn file_op(kind: &str) -> FileOp {
    match kind {
        "create" | "add" => FileOp::Create,
        "delete" => FileOp::Delete,
        "move" | "rename" => FileOp::Rename,
        _ => FileOp::Edit,
    }
}
