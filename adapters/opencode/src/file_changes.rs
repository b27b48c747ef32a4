//! Changed files, from the metadata of the tools that write files.

use od_protocol::{FileChange, FileOp};
use od_sdk::event::file_change;
use serde_json::Value;

use super::native::ToolState;

/// The files that a finished call changed.
pub fn file_changes(tool: &str, state: &ToolState) -> Vec<FileChange> {
    match tool {
        "write" => written(state).into_iter().collect(),
        "edit" | "multiedit" => edited(state).into_iter().collect(),
        "apply_patch" | "patch" => patched(state),
        _ => Vec::new(),
    }
}

fn written(state: &ToolState) -> Option<FileChange> {
    let path = text(&state.metadata, "filepath").or_else(|| text(&state.input, "filePath"))?;
    let existed = state.metadata.get("exists").and_then(Value::as_bool).unwrap_or(true);
    let content = text(&state.input, "content").unwrap_or_default();
    let (op, diff) = match existed {
        true => (FileOp::Edit, text(&state.metadata, "diff").map(str::to_owned)),
        false => (FileOp::Create, Some(od_sdk::diff::created(path, content))),
    };
    Some(change(path, op, diff))
}

fn edited(state: &ToolState) -> Option<FileChange> {
    let path = text(&state.input, "filePath")?;
    Some(change(path, FileOp::Edit, text(&state.metadata, "diff").map(str::to_owned)))
}

/// A patch may touch many files.
fn patched(state: &ToolState) -> Vec<FileChange> {
    let files = state.metadata.get("files").and_then(Value::as_array);
    let files = files.into_iter().flatten();
    files.filter_map(patched_file).collect()
}

fn patched_file(file: &Value) -> Option<FileChange> {
    let path = text(file, "filePath")?;
    let diff = text(file, "patch").or_else(|| text(file, "diff")).map(str::to_owned);
    Some(match text(file, "type") {
        Some("add") => change(path, FileOp::Create, diff),
        Some("delete") => change(path, FileOp::Delete, diff),
        Some("move") => FileChange {
            from: Some(path.to_owned()),
            ..change(text(file, "movePath")?, FileOp::Rename, diff)
        },
        _ => change(path, FileOp::Edit, diff),
    })
}

fn change(path: &str, op: FileOp, diff: Option<String>) -> FileChange {
    FileChange { diff, ..file_change(path, op) }
}

fn text<'a>(object: &'a Value, key: &str) -> Option<&'a str> {
    object.get(key).and_then(Value::as_str)
}
