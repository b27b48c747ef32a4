//! Changed files, from the applied patches.

use od_protocol::{Event, FileChange, FileChangeSource, FileOp};
use od_sdk::{RunOutput, diff};
use serde_json::Value;

use crate::native::{Change, Item};

/// Follows the hunks of a moved file (recording `patch_kinds`).
const MOVED_MARK: &str = "\n\nMoved to: ";

/// Emits `file_change` for each file of an applied patch.
pub(super) fn report(item: &Item, output: &mut RunOutput) {
    for change in &item.changes {
        output.event(Event::FileChange(file_change(change, &item.id)));
    }
}

fn file_change(change: &Change, tool_call_id: &str) -> FileChange {
    let kind = change.kind.get("type").unwrap_or(&change.kind).as_str().unwrap_or_default();
    let moved = change.kind.get("move_path").and_then(Value::as_str);
    let diff = change.diff.as_deref();
    let (op, path, diff) = match (kind, moved) {
        ("add", _) => {
            let created = |content| diff::created(&change.path, content);
            (FileOp::Create, change.path.as_str(), diff.map(created))
        }
        ("delete", _) => {
            let deleted = |content| diff::deleted(&change.path, content);
            (FileOp::Delete, change.path.as_str(), diff.map(deleted))
        }
        (_, Some(path)) => (FileOp::Rename, path, diff.map(|hunks| edited(change, path, hunks))),
        (_, None) => {
            let edited = |hunks| edited(change, &change.path, hunks);
            (FileOp::Edit, change.path.as_str(), diff.map(edited))
        }
    };
    FileChange {
        path: path.to_owned(),
        op,
        from: (op == FileOp::Rename).then(|| change.path.clone()),
        source: FileChangeSource::Native,
        diff,
        tool_call_id: Some(tool_call_id.to_owned()),
        truncated: None,
    }
}

/// Adds the file names, which the hunks of a changed file lack.
fn edited(change: &Change, path: &str, hunks: &str) -> String {
    let hunks = hunks.split(MOVED_MARK).next().unwrap_or_default();
    format!("--- {}\n+++ {path}\n{hunks}", change.path)
}
