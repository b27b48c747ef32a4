//! The CLI's tool names and their kinds and titles.

use od_protocol::ToolKind;
use od_sdk::text::first_line;
use serde_json::Value;

/// Tools that the CLI does not offer in a run without approvals.
const APPROVAL_TOOLS: &[&str] = &["write_file", "replace", "run_shell_command", "web_fetch"];

/// The kind of a tool.
pub(crate) fn kind(name: &str) -> ToolKind {
    match name {
        "read_file" | "read_many_files" | "list_directory" => ToolKind::Read,
        "write_file" | "replace" => ToolKind::Edit,
        "glob" | "grep_search" | "search_file_content" => ToolKind::Search,
        "run_shell_command" => ToolKind::Execute,
        "web_fetch" | "google_web_search" => ToolKind::Fetch,
        "write_todos" | "enter_plan_mode" | "exit_plan_mode" | "update_topic" => ToolKind::Think,
        _ => ToolKind::Other,
    }
}

/// A one-line title.
pub(crate) fn title(parameters: &Value) -> Option<String> {
    let keys = ["command", "file_path", "dir_path", "path", "pattern", "query", "prompt"];
    let text = keys.iter().find_map(|key| parameters.get(key)?.as_str())?;
    Some(first_line(text)).filter(|title| !title.is_empty())
}

/// Whether the tool needs an approval and is missing in a run without them.
pub(crate) fn needs_approval(name: &str) -> bool {
    APPROVAL_TOOLS.contains(&name)
}

/// The tool's name at the start of a call's id: `write_file__abc` where the model names the call,
/// `write_file-1794786103970-1` where the CLI does.
pub(crate) fn tool_of(call_id: &str) -> &str {
    if let Some((name, _)) = call_id.split_once("__") {
        return name;
    }
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let mut parts = call_id.rsplitn(3, '-');
    match (parts.next(), parts.next(), parts.next()) {
        (Some(count), Some(time), Some(name)) if is_number(count) && is_number(time) => name,
        _ => call_id,
    }
}
