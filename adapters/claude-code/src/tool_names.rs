//! Kind and title of a tool call, by the tool's name. Used for runs and for session files.

use od_protocol::ToolKind;
use od_sdk::text::first_line;
use serde_json::Value;

/// The kind of a tool, by its name.
pub(crate) fn kind(name: &str) -> ToolKind {
    match name {
        "Read" | "NotebookRead" | "LS" | "ListMcpResourcesTool" | "ReadMcpResourceTool" => {
            ToolKind::Read
        }
        "Write" | "Edit" | "MultiEdit" | "NotebookEdit" => ToolKind::Edit,
        "Glob" | "Grep" | "ToolSearch" => ToolKind::Search,
        "Bash" | "BashOutput" | "KillShell" => ToolKind::Execute,
        "WebFetch" | "WebSearch" => ToolKind::Fetch,
        "Agent" | "Task" | "TodoWrite" | "TaskCreate" | "TaskUpdate" | "TaskList" | "TaskGet"
        | "EnterPlanMode" | "ExitPlanMode" => ToolKind::Think,
        _ => ToolKind::Other,
    }
}

/// A one-line title.
pub(crate) fn title(name: &str, input: &Value) -> Option<String> {
    let field = |key: &str| input.get(key).and_then(Value::as_str);
    let title = match name {
        "Bash" => field("command")?.to_owned(),
        "Agent" | "Task" => field("description")?.to_owned(),
        _ => {
            let subject =
                ["file_path", "notebook_path", "path", "pattern", "url", "query", "skill"]
                    .into_iter()
                    .find_map(field)?;
            format!("{name} {subject}")
        }
    };
    Some(first_line(&title))
}
