//! Changed files, from the diffs or locations of a call.

use od_protocol::{FileChange, FileOp, ToolKind};

use super::native::ToolContent;
use super::tools::Call;
use crate::text::absolute_path as absolute;
use crate::{diff, event};

/// Returns the files that a successful call changed.
pub(super) fn changes(call: &Call, cwd: &str) -> Vec<FileChange> {
    let diffs: Vec<&ToolContent> =
        call.content.iter().filter(|content| content.kind == "diff").collect();
    if !diffs.is_empty() {
        return diffs.into_iter().map(|content| by_diff(call, content, cwd)).collect();
    }
    match (call.kind, call.locations.as_slice()) {
        (ToolKind::Move, [from, to]) => {
            let from = Some(absolute(from, cwd));
            vec![FileChange { from, ..change(call, FileOp::Rename, to, cwd) }]
        }
        (ToolKind::Edit, paths) => {
            paths.iter().map(|path| change(call, FileOp::Edit, path, cwd)).collect()
        }
        (ToolKind::Delete, paths) => {
            paths.iter().map(|path| change(call, FileOp::Delete, path, cwd)).collect()
        }
        _ => Vec::new(),
    }
}

/// A file without old text is new: agents omit the old text, or send null or an empty one.
fn by_diff(call: &Call, content: &ToolContent, cwd: &str) -> FileChange {
    let path = absolute(&content.path, cwd);
    let old = content.old_text.as_deref().unwrap_or_default();
    let (op, diff) = match call.kind {
        ToolKind::Delete => (FileOp::Delete, diff::deleted(&path, old)),
        _ if old.is_empty() => (FileOp::Create, diff::created(&path, &content.new_text)),
        _ => (FileOp::Edit, diff::edited(&path, old, &content.new_text)),
    };
    FileChange { diff: Some(diff), ..change(call, op, &content.path, cwd) }
}

fn change(call: &Call, op: FileOp, path: &str, cwd: &str) -> FileChange {
    let tool_call_id = Some(call.id.clone());
    FileChange { tool_call_id, ..event::file_change(absolute(path, cwd), op) }
}
