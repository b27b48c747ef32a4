//! What the CLI's own names for tools mean.

use od_protocol::ToolKind;
use od_sdk::text::first_line;
use serde_json::Value;

/// Tools that the CLI withholds from a run that nobody can be asked about.
const WITHHELD: &[&str] = &["write_file", "replace", "run_shell_command", "web_fetch"];

/// What a tool does.
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

/// One line for people.
pub(crate) fn title(parameters: &Value) -> Option<String> {
    let keys = ["command", "file_path", "dir_path", "path", "pattern", "query", "prompt"];
    let text = keys.iter().find_map(|key| parameters.get(key)?.as_str())?;
    Some(first_line(text)).filter(|title| !title.is_empty())
}

/// The mode of the run keeps this tool from the model.
pub(crate) fn is_withheld(name: &str) -> bool {
    WITHHELD.contains(&name)
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
