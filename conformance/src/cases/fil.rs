//! FIL: files that the agent changed.

use std::path::Path;

use od_protocol::{Event, FileChange, FileChangeSource, FileOp};

use super::expectations::{Amount, completed, failure};
use crate::bench::{Bench, Setup, perform_on};
use crate::case::{Check, Gate, active};
use crate::play::Play;
use crate::plugin::RunRecord;
use crate::process;
use crate::stand_in::Step;
use crate::verdict::{Finding, Verdict};

/// The chapter's checks.
pub const CHECKS: &[Check] = &[
    active(
        "FIL-01",
        "a file that the agent CLI reports is a `file_change` with its absolute path, the source \
         native and the call that did it",
        "a host shows and keeps versions of exactly these files",
        Gate::cli_scenario("file_write").with_capability("fileChanges"),
        right_path,
    ),
    active(
        "FIL-02",
        "each of many files is reported, also outside the working folder, below a symbolic link \
         and with a name that is hard to handle",
        "a change that is not reported cannot be reviewed or undone",
        Gate::cli_scenario("file_write").with_capability("fileChanges"),
        every_file,
    ),
    active(
        "FIL-03",
        "a file that the agent CLI reports as deleted or renamed is a `file_change` with that op, \
         a renamed one with its old path",
        "undoing a change needs to know what was there before",
        Gate::cli_scenario("text").with_capability("fileChanges"),
        gone_and_moved,
    ),
];

const FILES: Amount = Amount { brief: 6, fast: 40, full: 1_000, slow: 5_000 };

fn right_path(bench: &mut Bench) -> Verdict {
    let performance = bench.shared_run("file_write")?;
    let (record, values) = (&performance.record, &performance.play.values);
    let sent = "run/start; a tool of the agent CLI writes a file and reports it";
    completed(record, sent)?;
    let path = values.text("file_path");
    let change = change_of(record, &path, sent)?;
    let is_whole = change.source == FileChangeSource::Native
        && matches!(change.op, FileOp::Create | FileOp::Edit)
        && change.tool_call_id.as_ref().is_none_or(|id| *id == values.text("tool_id"));
    if is_whole {
        return Ok(());
    }
    let expected =
        format!("source native, op create or edit, toolCallId {} or none", values.text("tool_id"));
    Err(failure(record, expected, format!("{change:?}"), sent))
}

/// The change of a file, by the path it was reported with or the one it really has.
fn change_of(record: &RunRecord, path: &str, sent: &str) -> Result<FileChange, Finding> {
    let real = std::fs::canonicalize(path).ok();
    let changes: Vec<FileChange> = record
        .of_type("file_change")
        .filter_map(|received| match received.event()? {
            Event::FileChange(change) => Some(change),
            _ => None,
        })
        .collect();
    let is_it = |change: &&FileChange| {
        change.path == path || real.as_deref() == Some(Path::new(&change.path))
    };
    changes.iter().find(is_it).cloned().ok_or_else(|| {
        let got: Vec<&str> = changes.iter().take(5).map(|change| change.path.as_str()).collect();
        let got = format!("{} changes, the first of {got:?}", changes.len());
        failure(record, format!("`file_change` of {path}"), got, sent)
    })
}

fn every_file(bench: &mut Bench) -> Verdict {
    let outside = bench.folder("outside")?;
    let mut plugin = bench.launch(&Setup::default())?;
    let play = bench.prepare("file_write")?;
    let cwd = play.request.cwd.clone();
    let link = Path::new(&cwd).join("link");
    let mut paths = vec![
        outside.join("outside.txt"),
        Path::new(&cwd).join("two words, ünïcode 海 'quoted'.txt"),
    ];
    if process::link_folder(&outside, &link).is_ok() {
        paths.push(link.join("below.txt"));
    }
    let many = FILES.of(bench);
    paths.extend((0..many).map(|index| Path::new(&cwd).join(format!("file-{index}.txt"))));
    let paths: Vec<String> = paths.iter().map(|path| path.to_string_lossy().into_owned()).collect();
    let play = writing(bench, play, &paths)?;
    let sent = format!("run/start; the agent CLI writes and reports {} files", paths.len());
    let performance = perform_on(&mut plugin, play)?;
    completed(&performance.record, &sent)?;
    for path in &paths {
        change_of(&performance.record, path, &sent)?;
    }
    Ok(())
}

/// The scenario with one such call per file: the steps from the call to its last mention are
/// repeated, each time with values of their own.
fn writing(bench: &mut Bench, mut play: Play, paths: &[String]) -> Result<Play, Finding> {
    let original = play.script.clone();
    let Some((first, last)) = call_steps(&play) else {
        return Err(Finding::Untestable("no line of file_write prints {{tool_id}}".to_owned()));
    };
    let mut steps: Vec<Step> = original.steps[..first].to_vec();
    for path in paths {
        for name in ["tool_id", "message_id"] {
            let fresh = format!("{name}_{}", bench.nonce());
            play.values.set(name, fresh);
        }
        play.values.set("file_path", path.clone());
        let Some(pack) = &bench.suite.pack else {
            return Err(Finding::Skip("there is no fixture pack".to_owned()));
        };
        let script = pack
            .script("file_write", &play.values)
            .map_err(|error| Finding::Suite(error.to_string()))?;
        steps.extend_from_slice(&script.steps[first..=last]);
    }
    steps.extend_from_slice(&original.steps[last + 1..]);
    play.script.steps = steps;
    Ok(play)
}

/// From the first line that names the call or its message to the last one that names the call.
fn call_steps(play: &Play) -> Option<(usize, usize)> {
    let tool_id = play.values.text("tool_id");
    let message_id = play.values.text("message_id");
    let names =
        |step: &Step, word: &str| matches!(step, Step::Out { text, .. } if text.contains(word));
    let steps = &play.script.steps;
    let first = steps.iter().position(|step| names(step, &tool_id) || names(step, &message_id))?;
    let last = steps.iter().rposition(|step| names(step, &tool_id))?;
    (first <= last).then_some((first, last))
}

/// Not every agent CLI tells of these, so they are shown where the pack has them.
fn gone_and_moved(bench: &mut Bench) -> Verdict {
    let has =
        |bench: &Bench, name: &str| bench.suite.pack.as_ref().is_some_and(|pack| pack.has(name));
    let scenarios = [("file_delete", FileOp::Delete), ("file_rename", FileOp::Rename)];
    let shown = scenarios.into_iter().filter(|(scenario, _)| has(bench, scenario));
    let shown: Vec<(&str, FileOp)> = shown.collect();
    if shown.is_empty() {
        let reason = "the pack has neither file_delete nor file_rename";
        return Err(Finding::Skip(reason.to_owned()));
    }
    for (scenario, op) in shown {
        let performance = bench.shared_run(scenario)?;
        let (record, values) = (&performance.record, &performance.play.values);
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
            return Err(failure(record, expected, format!("{change:?}"), &sent));
        }
    }
    Ok(())
}
