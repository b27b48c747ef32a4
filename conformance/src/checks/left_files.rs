//! FIL: what an adapter leaves on the disk.

use std::path::{Path, PathBuf};
use std::time::Duration;

use od_protocol::adapter::CancelRunParams;

use super::AdapterCheck;
use super::cancellation::{STOP_TIMEOUT, prepare_hanging, start_and_wait_for_output};
use super::expectations::plain_answer;
use super::requested_options::{OPTION_CAPABILITIES, request_option};
use super::snapshot::Snapshot;
use crate::adapter_client::{AdapterClient, Answer};
use crate::check::{Gate, active};
use crate::context::{CheckContext, LaunchOptions};
use crate::fake_cli::Step;
use crate::outcome::{CheckOutcome, Finding};
use crate::prepared_run::{PreparedRun, RUN_TIMEOUT};
use crate::script_variants::cut_after;

/// The checks of this file.
pub const CHECKS: &[AdapterCheck] = &[active(
    "FIL-04",
    "after `done` the adapter has left no file in the working folder, the home, the temporary \
     folder, its own folder and beside the agent CLI; it stores files only in `config.stateDir`",
    "files of an adapter end up in commits and backups, and may contain the prompt",
    Gate::cli_scenario("text"),
    nothing_is_left,
)];

/// Files of the suite itself, below the folder of the adapter.
const OWN_FILES: &[&str] =
    &["transcript.log", "cli/seen", "cli/gates", "cli/conformance-script", "state/"];
/// The timeout of a run whose options the pack may not expect.
const OPTIONS_TIMEOUT: Duration = Duration::from_secs(3);
/// The time in which an adapter exits after the end of its stdin, and a reserve.
const EXIT_LIMIT: Duration = Duration::from_secs(8);

fn nothing_is_left(context: &mut CheckContext) -> CheckOutcome {
    plain_answer(context)?;
    let mut adapter = context.launch()?;
    let before = Snapshot::take(&folder_of(&adapter));
    for (prepared, what) in runs(context)? {
        leaves_nothing(context, &mut adapter, &before, &prepared, what)?;
    }
    adapter.close_stdin();
    let limit = adapter.limit(EXIT_LIMIT);
    adapter.wait_exit(limit);
    unchanged(&adapter, &before, "the exit of the adapter")?;

    let state_dir = Some(context.folder("state")?);
    let mut adapter =
        context.launch_with(&LaunchOptions { state_dir, ..LaunchOptions::default() })?;
    let before = Snapshot::take(&folder_of(&adapter));
    let prepared = context.prepare("text")?;
    leaves_nothing(context, &mut adapter, &before, &prepared, "a run with config.stateDir")
}

/// Returns a completed, a failed and a cancelled run, and one with every declared option.
fn runs(context: &mut CheckContext) -> Result<Vec<(PreparedRun, &'static str)>, Finding> {
    let mut failed = context.prepare("text")?;
    failed.script = cut_after(&failed.script, 1, &[Step::Exit { code: 1 }]);
    let mut hanging = prepare_hanging(context, &[])?;
    hanging.script.ignore_polite_stops();
    let scenario = if context.suite.has_scenario("options") { "options" } else { "text" };
    let mut options = context.prepare(scenario)?;
    let folder = context.folder("options")?;
    for capability in OPTION_CAPABILITIES {
        if context.suite.declares(capability) {
            let mark = context.nonce();
            request_option(capability, &mut options.request, &folder, &mark)?;
        }
    }
    Ok(vec![
        (context.prepare("text")?, "a completed run"),
        (failed, "a failed run"),
        (hanging, CANCELLED),
        (options, OPTIONS),
    ])
}

const CANCELLED: &str = "a cancelled run";
const OPTIONS: &str = "a run with every option";

fn leaves_nothing(
    context: &CheckContext,
    adapter: &mut AdapterClient,
    before: &Snapshot,
    prepared: &PreparedRun,
    what: &str,
) -> CheckOutcome {
    let cwd = PathBuf::from(&prepared.request.cwd);
    let cwd_before = Snapshot::take(&cwd);
    match what {
        CANCELLED => {
            start_and_wait_for_output(context, adapter, prepared)?;
            stop(adapter, prepared)?;
        }
        OPTIONS => {
            // The combination may be refused; CAP-04 checks each option.
            let is_accepted = matches!(adapter.try_begin(prepared)?, Answer::Result(_));
            if is_accepted && !adapter.wait_done(prepared.run_id(), OPTIONS_TIMEOUT) {
                stop(adapter, prepared)?;
            }
        }
        _ => drop(adapter.complete_run(prepared, RUN_TIMEOUT)?),
    }
    let changes = cwd_before.changes(&Snapshot::take(&cwd));
    let expected = "the working folder contains only what the agent CLI wrote";
    adapter.ensure(changes.is_empty(), expected, changes.join(", "), what)?;
    unchanged(adapter, before, what)
}

fn stop(adapter: &mut AdapterClient, prepared: &PreparedRun) -> CheckOutcome {
    let run_id = prepared.run_id().to_owned();
    adapter.call(&CancelRunParams { run_id, grace_ms: Some(200), reason: None })?;
    adapter.finish(prepared.run_id(), STOP_TIMEOUT).map(drop)
}

/// Fails if a file below the folder of the adapter has changed, which contains its working folder,
/// its home, its temporary folder and the agent CLI.
fn unchanged(adapter: &AdapterClient, before: &Snapshot, what: &str) -> CheckOutcome {
    let mut changes = before.changes(&Snapshot::take(&folder_of(adapter)));
    changes.retain(|change| !OWN_FILES.iter().any(|own| change.starts_with(own)));
    let expected = "no file below the home, the temporary folder, the adapter's folder and beside \
                    the agent CLI is changed";
    adapter.ensure(changes.is_empty(), expected, changes.join(", "), what)
}

fn folder_of(adapter: &AdapterClient) -> PathBuf {
    adapter.home.parent().unwrap_or_else(|| Path::new("/")).to_owned()
}
