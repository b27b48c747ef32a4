//! File changes, from the reports of Write and Edit.

use std::fmt::Write;

use od_protocol::{Event, FileChange, FileChangeSource, FileOp};
use od_sdk::{RunOutput, diff};
use serde::Deserialize;
use serde_json::Value;

use crate::native::{FileReport, Hunk};

/// Emits `file_change` if the report of a tool result describes a written file.
pub(super) fn on_report(tool_call_id: &str, report: &Value, output: &mut RunOutput) {
    if report.get("structuredPatch").is_none() {
        return;
    }
    let Ok(report) = FileReport::deserialize(report) else { return };
    let (Some(path), Some(hunks)) = (report.file_path, report.structured_patch) else { return };
    let op = match report.kind.as_deref() {
        Some("create") => FileOp::Create,
        _ => FileOp::Edit,
    };
    // The report on a new file has no hunks: its content is the diff.
    let diff = match op {
        FileOp::Create => diff::created(&path, report.content.as_deref().unwrap_or_default()),
        _ => edit_diff(&path, &hunks),
    };
    output.event(Event::FileChange(FileChange {
        path,
        op,
        from: None,
        source: FileChangeSource::Native,
        diff: Some(diff),
        tool_call_id: Some(tool_call_id.to_owned()),
        truncated: None,
    }));
}

fn edit_diff(path: &str, hunks: &[Hunk]) -> String {
    let mut diff = format!("--- {path}\n+++ {path}\n");
    for hunk in hunks {
        let Hunk { old_start, old_lines, new_start, new_lines, lines } = hunk;
        push(&mut diff, format_args!("@@ -{old_start},{old_lines} +{new_start},{new_lines} @@\n"));
        for line in lines {
            push(&mut diff, format_args!("{line}\n"));
        }
    }
    diff
}

fn push(diff: &mut String, text: std::fmt::Arguments<'_>) {
    diff.write_fmt(text).expect("writing to a string never fails");
}
