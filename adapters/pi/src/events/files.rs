//! Changed files, from the calls of the tools that write files.

use od_protocol::{Event, FileChange, FileOp, ToolKind};
use serde_json::Value;

use crate::content::kind;
use od_sdk::text::absolute_path;
use od_sdk::{RunOutput, event};

/// The call that changed a file.
pub(super) struct Written<'a> {
    pub(super) call_id: &'a str,
    pub(super) tool: &'a str,
    pub(super) input: &'a Value,
    /// Details from the tool.
    pub(super) details: &'a Value,
}

/// Emits `file_change` for a successful call. `write` creates or overwrites and does not report
/// which (recording `write`), so it counts as a creation.
pub(super) fn on_written(written: &Written<'_>, cwd: &str, output: &mut RunOutput) {
    if kind(written.tool) != ToolKind::Edit {
        return;
    }
    let text =
        |object: &Value, key: &str| object.get(key).and_then(Value::as_str).map(str::to_owned);
    let path = text(written.details, "resolvedPath").or_else(|| text(written.input, "path"));
    let Some(path) = path.filter(|path| is_file(path)) else { return };
    let op = match written.tool {
        "write" => FileOp::Create,
        _ => FileOp::Edit,
    };
    output.event(Event::FileChange(FileChange {
        diff: text(written.details, "patch"),
        tool_call_id: Some(written.call_id.to_owned()),
        ..event::file_change(absolute_path(&path, cwd), op)
    }));
}

/// omp's tools also write to internal addresses (`xd://…`).
fn is_file(path: &str) -> bool {
    !path.is_empty() && !path.contains("://")
}
