//! What the names of tools mean.

use od_protocol::ToolKind;
use serde_json::Value;

use crate::wording::first_line;

/// What a tool does, by its name.
pub(super) fn tool_kind(name: &str) -> ToolKind {
    match name {
        "read" | "list" | "skill" => ToolKind::Read,
        "write" | "edit" | "multiedit" | "apply_patch" | "patch" => ToolKind::Edit,
        "glob" | "grep" | "codesearch" => ToolKind::Search,
        "bash" => ToolKind::Execute,
        "webfetch" | "websearch" => ToolKind::Fetch,
        "task" | "todowrite" | "todoread" | "question" | "plan_enter" | "plan_exit" => {
            ToolKind::Think
        }
        _ => ToolKind::Other,
    }
}

/// One line for people, from the input of a call.
pub(super) fn title(name: &str, input: &Value) -> Option<String> {
    let field = |key: &str| input.get(key).and_then(Value::as_str);
    let title = match name {
        "bash" => field("command")?.to_owned(),
        "task" => field("description")?.to_owned(),
        _ => {
            let subject = ["filePath", "path", "pattern", "url", "query", "name"];
            format!("{name} {}", subject.into_iter().find_map(field)?)
        }
    };
    Some(first_line(&title))
}
