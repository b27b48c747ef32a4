//! Run ids with unusual characters and lengths.

use std::path::Path;

use crate::adapter_client::{AdapterClient, Answer};
use crate::checks::expectations::{SHORT_RUN_TIMEOUT, exact_answer, plain_answer};
use crate::context::{CheckContext, CompletedRun};
use crate::outcome::{CheckOutcome, Finding, shorten};

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
    for run_id in run_ids(&mark) {
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
        let record = adapter
            .finish(&run_id, SHORT_RUN_TIMEOUT)
            .map_err(|finding| name_other_id(&adapter, finding, &run_id, &sent))?;
        exact_answer(&CompletedRun { prepared, record, invocation: None }, &sent)?;
    }
    let sent = "runs whose ids contain slashes, dots and spaces";
    for folder in folders {
        let found = named_after(&folder, &mark);
        let got = found.clone().unwrap_or_default();
        adapter.ensure(found.is_none(), "no file is named after a run id", got, sent)?;
    }
    Ok(())
}

fn run_ids(mark: &str) -> Vec<String> {
    let common = format!("{mark}-{}", "x".repeat(COMMON_CHARS - mark.len() - 1));
    let long = |last: &str| format!("{common}{}", last.repeat(LONG_ID_CHARS - COMMON_CHARS));
    vec![
        long("a"),
        long("b"),
        format!("Case-{mark}"),
        format!("case-{mark}"),
        format!("  {mark} with spaces  "),
        format!("../{mark}/../../x"),
        format!("/{mark}\\..\\y"),
        format!("-{mark}"),
        format!("--help={mark}"),
        format!("\"{mark}\" 'single' `back` $(touch {mark}) %s %n {{}}"),
        format!("{mark} größer 漢字 🦜 e\u{301} \u{2028}\u{85}\n\t"),
    ]
}

/// Names the other id if events arrived under one.
fn name_other_id(adapter: &AdapterClient, finding: Finding, run_id: &str, sent: &str) -> Finding {
    let events = adapter.inbox.others.iter().filter(|line| line.value["method"] == "run/event");
    match events.last() {
        Some(line) => {
            let got = format!("events with the runId {}", line.value["params"]["runId"]);
            adapter.failure(format!("events with the runId {run_id:?}"), got, sent)
        }
        None => finding,
    }
}

/// Returns the first file or folder whose name contains the text.
fn named_after(folder: &Path, mark: &str) -> Option<String> {
    let mut open = vec![folder.to_owned()];
    let mut inspected = 0;
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            inspected += 1;
            if entry.file_name().to_string_lossy().contains(mark) {
                return Some(path.to_string_lossy().into_owned());
            }
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            if is_folder && inspected < MAX_FILES {
                open.push(path);
            }
        }
    }
    None
}
