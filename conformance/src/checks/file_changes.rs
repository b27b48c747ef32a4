//! FIL: files that the agent changed.

use std::path::Path;

use od_protocol::{Event, FileChange, FileChangeSource, FileOp};

use super::AdapterCheck;
use super::expectations::{PerTier, completed};
use super::native_output::{json_with, texts_in};
use crate::adapter_client::RunRecord;
use crate::check::{Gate, active};
use crate::context::{CheckContext, CompletedRun, execute_on};
use crate::fake_cli::Step;
use crate::outcome::{CheckOutcome, Finding, skip_if};
use crate::prepared_run::PreparedRun;
use crate::process;

/// The checks of this chapter.
pub const CHECKS: &[AdapterCheck] = &[
    active(
        "FIL-01",
        "a file that the agent CLI reports becomes a `file_change` with its absolute path, source \
         native and the tool call that changed it",
        "a host displays and versions exactly these files",
        Gate::cli_scenario("file_write").with_capability("fileChanges"),
        right_path,
    ),
    active(
        "FIL-02",
        "every file is reported, including files outside the working folder, below a symbolic link \
         and with unusual names",
        "a change that is not reported cannot be reviewed or undone",
        Gate::cli_scenario("file_write").with_capability("fileChanges"),
        every_file,
    ),
    active(
        "FIL-03",
        "a file that the agent CLI reports as deleted or renamed becomes a `file_change` with that \
         op; a rename includes the old path",
        "undoing a change requires the previous state",
        Gate::cli_scenario("text").with_capability("fileChanges"),
        deleted_and_renamed_files,
    ),
    active(
        "FIL-05",
        "each change is reported once, with the op, the path and the text that the agent CLI \
         reports, and nothing that did not change is reported",
        "a review that shows a change twice, or a wrong one, cannot be trusted",
        Gate::cli_scenario("file_write").with_capability("fileChanges"),
        changes_by_value,
    ),
];

/// Words of native messages that mean a new file.
const CREATED: &[&str] = &["create", "created", "add", "added"];

const FILES: PerTier = PerTier { brief: 6, fast: 40, full: 1_000, slow: 5_000 };

fn right_path(context: &mut CheckContext) -> CheckOutcome {
    let completed_run = context.shared_run("file_write")?;
    let (record, values) = (&completed_run.record, &completed_run.prepared.values);
    let sent = "run/start; a tool of the agent CLI writes a file and reports it";
    completed(record, sent)?;
    let path = values.text("file_path");
    let change = change_of(record, &path, sent)?;
    // An adapter may use ids of its own; then the call is known by its input.
    let mut calls = record.of_type("tool_call_started").map(|it| &it.value["toolCallId"]);
    let is_call = |id: &String| calls.any(|call| call == id.as_str());
    let is_complete = change.source == FileChangeSource::Native
        && matches!(change.op, FileOp::Create | FileOp::Edit)
        && change.tool_call_id.as_ref().is_none_or(is_call);
    let expected = "source native, op create or edit, toolCallId of a call of this run or none";
    record.ensure(is_complete, expected, format!("{change:?}"), sent)
}

fn changes(record: &RunRecord) -> Vec<FileChange> {
    let events = record.of_type("file_change").filter_map(|received| match received.event()? {
        Event::FileChange(change) => Some(change),
        _ => None,
    });
    events.collect()
}

/// Returns the change of a file, by its reported path or its canonical path.
fn change_of(record: &RunRecord, path: &str, sent: &str) -> Result<FileChange, Finding> {
    let real = std::fs::canonicalize(path).ok();
    let changes = changes(record);
    let matches = |change: &&FileChange| {
        change.path == path || real.as_deref() == Some(Path::new(&change.path))
    };
    changes.iter().find(matches).cloned().ok_or_else(|| {
        let got: Vec<&str> = changes.iter().take(5).map(|change| change.path.as_str()).collect();
        let got = format!("{} changes, the first of {got:?}", changes.len());
        record.failure(format!("`file_change` of {path}"), got, sent)
    })
}

fn every_file(context: &mut CheckContext) -> CheckOutcome {
    let outside = context.folder("outside")?;
    let mut adapter = context.launch()?;
    let prepared = context.prepare("file_write")?;
    let cwd = prepared.request.cwd.clone();
    let link = Path::new(&cwd).join("link");
    let mut paths = vec![
        outside.join("outside.txt"),
        Path::new(&cwd).join("with spaces, ünïcode 海 'quoted'.txt"),
    ];
    if process::link_folder(&outside, &link).is_ok() {
        paths.push(link.join("below.txt"));
    }
    let many = FILES.of(context);
    paths.extend((0..many).map(|index| Path::new(&cwd).join(format!("file-{index}.txt"))));
    let paths: Vec<String> = paths.iter().map(|path| path.to_string_lossy().into_owned()).collect();
    let prepared = prepare_writing(context, prepared, &paths)?;
    let sent = format!("run/start; the agent CLI writes and reports {} files", paths.len());
    let completed_run = execute_on(&mut adapter, prepared)?;
    completed(&completed_run.record, &sent)?;
    for path in &paths {
        change_of(&completed_run.record, path, &sent)?;
    }
    Ok(())
}

/// Prepares the scenario with one tool call per file: the steps of the call are repeated, each time
/// with new values.
fn prepare_writing(
    context: &mut CheckContext,
    mut prepared: PreparedRun,
    paths: &[String],
) -> Result<PreparedRun, Finding> {
    let original = prepared.script.clone();
    let Some((first, last)) = call_steps(&prepared) else {
        return Err(Finding::Untestable("no line of file_write prints {{tool_id}}".to_owned()));
    };
    let mut steps: Vec<Step> = original.steps[..first].to_vec();
    for path in paths {
        for name in ["tool_id", "message_id"] {
            let fresh = format!("{name}_{}", context.nonce());
            prepared.values.set(name, fresh);
        }
        prepared.values.set("file_path", path.clone());
        let script = context.suite.script("file_write", &prepared.values)?;
        steps.extend_from_slice(&script.steps[first..=last]);
    }
    steps.extend_from_slice(&original.steps[last + 1..]);
    prepared.script.steps = steps;
    Ok(prepared)
}

/// Returns the steps from the first line with the id of the call or its message to the last line
/// with the id of the call.
fn call_steps(prepared: &PreparedRun) -> Option<(usize, usize)> {
    let tool_id = prepared.values.text("tool_id");
    let message_id = prepared.values.text("message_id");
    let contains =
        |step: &Step, word: &str| matches!(step, Step::Out { text, .. } if text.contains(word));
    let steps = &prepared.script.steps;
    let first =
        steps.iter().position(|step| contains(step, &tool_id) || contains(step, &message_id))?;
    let last = steps.iter().rposition(|step| contains(step, &tool_id))?;
    (first <= last).then_some((first, last))
}

fn changes_by_value(context: &mut CheckContext) -> CheckOutcome {
    let completed_run = context.shared_run("file_write")?;
    let CompletedRun { prepared, record, .. } = &*completed_run;
    let sent = "run/start; a tool of the agent CLI writes a file and reports it";
    completed(record, sent)?;
    let path = prepared.values.text("file_path");
    let changes: Vec<FileChange> = changes(record);
    let paths: Vec<&str> = changes.iter().map(|change| change.path.as_str()).collect();
    record.ensure(
        changes.len() == 1,
        format!("one `file_change` of {path}"),
        format!("{paths:?}"),
        sent,
    )?;
    let change = change_of(record, &path, sent)?;
    let is_absolute = Path::new(&change.path).is_absolute();
    record.ensure(is_absolute, "an absolute path", change.path.clone(), sent)?;
    right_op(record, prepared, &change, sent)?;
    let content = prepared.values.text("file_content");
    let is_whole = change.truncated.is_some()
        || change.diff.as_ref().is_none_or(|diff| diff.contains(&content));
    let got = format!("{:?}", change.diff);
    record.ensure(is_whole, format!("a diff with {content:?}, or none"), got, sent)?;
    if context.suite.has_scenario("tool_ok") && context.suite.declares("tools") {
        let unchanged = context.shared_run("tool_ok")?;
        let count = unchanged.record.of_type("file_change").count();
        let sent = "run/start; a command that changes no file";
        unchanged.record.ensure(count == 0, "no `file_change`", format!("{count}"), sent)?;
    }
    written_twice(context)
}

/// Fails if the agent CLI reports a new file and the adapter another op.
fn right_op(
    record: &RunRecord,
    prepared: &PreparedRun,
    change: &FileChange,
    sent: &str,
) -> CheckOutcome {
    let name = Path::new(&change.path).file_name().unwrap_or_default().to_string_lossy();
    let native = json_with(&prepared.script, &name);
    let mut words = native.iter().flat_map(texts_in);
    let is_new = words.any(|text| CREATED.contains(&text.to_ascii_lowercase().as_str()));
    let is_right = !is_new || change.op == FileOp::Create;
    record.ensure(is_right, "op create, as the agent CLI reports", change.op.to_string(), sent)
}

/// One file that is written twice is one changed file; DON-01 compares the totals.
fn written_twice(context: &mut CheckContext) -> CheckOutcome {
    let prepared = context.prepare("file_write")?;
    let path = prepared.values.text("file_path");
    let prepared = prepare_writing(context, prepared, &[path.clone(), path.clone()])?;
    let mut adapter = context.launch()?;
    let completed_run = execute_on(&mut adapter, prepared)?;
    let sent = "run/start; the agent CLI writes and reports the same file twice";
    completed(&completed_run.record, sent)?;
    change_of(&completed_run.record, &path, sent)?;
    let files = completed_run.record.done().map(|done| done.totals.files_changed);
    let expected = "filesChanged 1 in the totals";
    completed_run.record.ensure(files == Some(1), expected, format!("{files:?}"), sent)
}

/// Not every agent CLI reports these, so they are checked only if the pack has the scenarios.
fn deleted_and_renamed_files(context: &mut CheckContext) -> CheckOutcome {
    let scenarios = [("file_delete", FileOp::Delete), ("file_rename", FileOp::Rename)];
    let available =
        scenarios.into_iter().filter(|(scenario, _)| context.suite.has_scenario(scenario));
    let available: Vec<(&str, FileOp)> = available.collect();
    skip_if(available.is_empty(), "the pack has neither file_delete nor file_rename")?;
    for (scenario, op) in available {
        let completed_run = context.shared_run(scenario)?;
        let (record, values) = (&completed_run.record, &completed_run.prepared.values);
        let sent = format!("run/start of scenario {scenario}");
        completed(record, &sent)?;
        let (old, new) = (values.text("file_path"), values.text("new_file_path"));
        let (path, from) = match op {
            FileOp::Rename => (new, Some(old)),
            _ => (old, None),
        };
        let change = change_of(record, &path, &sent)?;
        if change.op != op || from.is_some() && change.from != from {
            let from = from.map(|from| format!(" from {from}")).unwrap_or_default();
            let expected = format!("`file_change` with op {op}{from}");
            return Err(record.failure(expected, format!("{change:?}"), &sent));
        }
    }
    Ok(())
}
