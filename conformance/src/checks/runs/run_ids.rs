//! Run ids with unusual characters and lengths.

use std::path::Path;

use crate::adapter_client::{AdapterClient, Answer, Line};
use crate::checks::expectations::{SHORT_RUN_TIMEOUT, exact_answer, plain_answer};
use crate::context::{CheckContext, CompletedRun};
use crate::outcome::{CheckOutcome, shorten};

/// The length of a long id, and of what two such ids have in common.
const LONG_ID_CHARS: usize = 200;
const COMMON_CHARS: usize = 150;
/// How many files are inspected at most.
const MAX_FILES: usize = 5_000;

pub(super) fn opaque(context: &mut CheckContext) -> CheckOutcome {
    plain_answer(context)?;
    let mark = context.nonce();
    let mut adapter = context.launch()?;
    let mut folders = vec![adapter.home.clone()];
    for run_id in run_ids(&mark, &context.suite.work) {
        let mut prepared = context.prepare("text")?;
        prepared.request.run_id.clone_from(&run_id);
        folders.push(prepared.request.cwd.clone().into());
        let sent = format!("run/start with the runId {:?}", shorten(&run_id, 250));
        match adapter.try_begin(&prepared)? {
            Answer::Result(value) if value["runId"] == run_id => {}
            other => {
                let expected = format!("a result with the runId {run_id:?}");
                return Err(adapter.failure(expected, other.summary(), sent));
            }
        }
        no_other_id(&mut adapter, &run_id, &sent)?;
        let record = adapter.finish(&run_id, SHORT_RUN_TIMEOUT)?;
        exact_answer(&CompletedRun { prepared, record, invocation: None }, &sent)?;
    }
    let sent = "runs whose ids contain slashes, dots and spaces";
    let outside = std::iter::once(named_in(&context.suite.work, &mark));
    for found in outside.chain(folders.iter().map(|folder| named_below(folder, &mark))) {
        let got = found.clone().unwrap_or_default();
        adapter.ensure(found.is_none(), "no file is named after a run id", got, sent)?;
    }
    Ok(())
}

/// The ids. One is an absolute path below the folder of the suite, so that a faulty adapter writes
/// nowhere else.
fn run_ids(mark: &str, work: &Path) -> Vec<String> {
    let common = format!("{mark}-{}", "x".repeat(COMMON_CHARS - mark.len() - 1));
    let long = |last: &str| format!("{common}{}", last.repeat(LONG_ID_CHARS - COMMON_CHARS));
    vec![
        long("a"),
        long("b"),
        format!("Case-{mark}"),
        format!("case-{mark}"),
        format!("  {mark} with spaces  "),
        format!("../{mark}/../../x"),
        format!("{}/{mark}\\..\\y", work.display()),
        format!("-{mark}"),
        format!("--help={mark}"),
        format!("\"{mark}\" 'single' `back` $(touch {mark}) %s %n {{}}"),
        format!("{mark} größer 漢字 🦜 e\u{301} \u{2028}\u{85}\n\t"),
    ]
}

/// Waits for the end of the run; fails if its events have another id.
fn no_other_id(adapter: &mut AdapterClient, run_id: &str, sent: &str) -> CheckOutcome {
    let limit = adapter.limit(SHORT_RUN_TIMEOUT);
    let is_event = |line: &&Line| line.value["method"] == "run/event";
    adapter.pump(limit, |inbox| {
        inbox.runs.get(run_id).is_some_and(|run| run.finished)
            || inbox.others.iter().any(|line| is_event(&line))
    });
    let other = adapter.inbox.others.iter().find(is_event);
    let got = other.map(|line| line.value["params"]["runId"].to_string()).unwrap_or_default();
    let expected = format!("events with the runId {run_id:?}");
    adapter.ensure(other.is_none(), expected, format!("events with the runId {got}"), sent)
}

/// Returns the first file or folder below a folder whose name contains the text.
fn named_below(folder: &Path, mark: &str) -> Option<String> {
    let mut open = vec![folder.to_owned()];
    let mut inspected = 0;
    while let Some(folder) = open.pop() {
        if let Some(found) = named_in(&folder, mark) {
            return Some(found);
        }
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            inspected += 1;
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            if is_folder && inspected < MAX_FILES {
                open.push(entry.path());
            }
        }
    }
    None
}

/// Returns the first file or folder in a folder whose name contains the text.
fn named_in(folder: &Path, mark: &str) -> Option<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut named = entries.filter(|it| it.file_name().to_string_lossy().contains(mark));
    named.next().map(|entry| entry.path().to_string_lossy().into_owned())
}
