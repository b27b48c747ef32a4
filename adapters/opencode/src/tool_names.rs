//! Kind and title of a tool call, from the name of the tool.

use od_protocol::ToolKind;
use serde_json::Value;

use od_sdk::text::first_line;

/// The kind of a tool.
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

/// The title of a call, from its input.
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
