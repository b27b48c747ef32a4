//! Lines outside the conversation: notices, compaction, and warnings about old versions.

use crate::Dialect;
use crate::native::{CompactionLine, NoticeLine};
use od_sdk::{Install, RunOutput};

use super::read;
use super::session::{on_compaction, on_notice, status};

/// Known lines that a run does not need.
const IGNORED: &[&str] = &[
    "ready",
    "turn_start",
    "turn_end",
    "entry_appended",
    "queue_update",
    "session_info_changed",
    "session_info_update",
    "config_update",
    "config_warnings_changed",
    "thinking_level_changed",
    "model_changed",
    "available_commands_update",
    "advisor_cost_changed",
    "advisor_yielded",
    "todo_reminder",
    "todo_auto_clear",
    "retry_fallback_succeeded",
    "summarization_retry_attempt_start",
    "summarization_retry_finished",
    "bash_execution_update",
];

/// Handles a line outside the conversation; returns `None` for an unknown one.
pub(super) fn on_line(kind: &str, line: &[u8], output: &mut RunOutput) -> Option<()> {
    match kind {
        "compaction_start" | "auto_compaction_start" => output.event(status("compacting")),
        "compaction_end" | "auto_compaction_end" => {
            let line: CompactionLine = read(line)?;
            on_compaction(&line, output);
        }
        "notice" | "extension_error" => {
            let line: NoticeLine = read(line)?;
            on_notice(kind, line, output);
        }
        "summarization_retry_scheduled" => output.event(status("retrying")),
        kind if IGNORED.contains(&kind) => {}
        _ => return None,
    }
    Some(())
}

/// Warnings about features that this version lacks.
pub(super) fn warnings(dialect: &Dialect, install: &Install, is_degraded: bool) -> Vec<String> {
    let used: Vec<&str> = dialect.fixed_args(install).collect();
    let missing = dialect.fixed_args.iter().filter(|flag| !used.contains(flag));
    let mut warnings: Vec<String> = missing
        .map(|flag| format!("this version does not support {flag}; the run continues without it"))
        .collect();
    if is_degraded {
        let command = dialect.install_command;
        warnings
            .push(format!("this version does not support input during a run; upgrade: {command}"));
    }
    warnings
}
