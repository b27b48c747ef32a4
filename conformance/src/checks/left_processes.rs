//! RES: processes and open files after runs that end in different ways.

use std::time::{Duration, Instant};

use od_protocol::Timeouts;
use od_protocol::adapter::{CancelRunParams, DetectAdapterParams};

use super::AdapterCheck;
use super::cancellation::{STOP_TIMEOUT, prepare_hanging, start_and_wait_for_output};
use super::detection::{answer_probes_with, detect_with};
use super::expectations::plain_answer;
use crate::adapter_client::AdapterClient;
use crate::check::{Gate, active};
use crate::context::CheckContext;
use crate::fake_cli::{ProbeMode, Step};
use crate::outcome::{CheckOutcome, Finding, needs_process_inspection};
use crate::prepared_run::RUN_TIMEOUT;
use crate::process;
use crate::script_variants::cut_after;

/// The checks of this file.
pub const CHECKS: &[AdapterCheck] = &[active(
    "RES-03",
    "after completed, failed, cancelled and timed out runs, and after a detection whose agent CLI \
     hangs, the adapter has no zombie, no additional child and no additional open files",
    "an adapter runs for days, and the rare endings leak first",
    Gate::cli_scenario("text"),
    endings_leak_nothing,
)];

/// How a run ends.
#[derive(Debug, Clone, Copy)]
enum Ending {
    Completed,
    Crashed,
    Cancelled,
    TimedOut,
    HangingDetection,
}

/// One more than the tolerance, so that one open file per run is noticed.
const RUNS: usize = 5;
const FILE_TOLERANCE: usize = 4;
/// The timeout for the adapter to clean up.
const SETTLE_TIMEOUT: Duration = Duration::from_secs(3);
const TOTAL_MS: u64 = 250;

fn endings_leak_nothing(context: &mut CheckContext) -> CheckOutcome {
    needs_process_inspection()?;
    plain_answer(context)?;
    let mut adapter = context.launch()?;
    let endings = [
        (Ending::Completed, RUNS),
        (Ending::Crashed, RUNS),
        (Ending::Cancelled, RUNS),
        (Ending::TimedOut, RUNS),
        (Ending::HangingDetection, 1),
    ];
    for (ending, _) in &endings[..3] {
        end_run(context, &mut adapter, *ending)?;
    }
    adapter.listen(Duration::from_millis(200));
    let children = process::descendants(adapter.pid()).len();
    for (ending, count) in endings {
        let files = process::open_files(adapter.pid()).unwrap_or_default();
        for _ in 0..count {
            end_run(context, &mut adapter, ending)?;
            adapter.inbox.forget();
        }
        settles(&mut adapter, ending, children, files)?;
    }
    Ok(())
}

fn end_run(
    context: &mut CheckContext,
    adapter: &mut AdapterClient,
    ending: Ending,
) -> CheckOutcome {
    match ending {
        Ending::Completed => {
            let prepared = context.prepare("text")?;
            adapter.complete_run(&prepared, RUN_TIMEOUT)?;
        }
        Ending::Crashed => {
            let mut prepared = context.prepare("text")?;
            let crash = [Step::Die { signal: "SIGKILL".to_owned() }];
            prepared.script = cut_after(&prepared.script, 1, &crash);
            adapter.complete_run(&prepared, RUN_TIMEOUT)?;
        }
        Ending::Cancelled => {
            let prepared = prepare_hanging(context, &[])?;
            start_and_wait_for_output(context, adapter, &prepared)?;
            let run_id = prepared.run_id().to_owned();
            adapter.call(&CancelRunParams { run_id, grace_ms: Some(0), reason: None })?;
            adapter.finish(prepared.run_id(), STOP_TIMEOUT)?;
        }
        Ending::TimedOut => {
            let mut prepared = prepare_hanging(context, &[])?;
            let total_ms = Some(TOTAL_MS);
            prepared.request.timeouts = Timeouts { total_ms, ..Timeouts::default() };
            adapter.complete_run(&prepared, STOP_TIMEOUT)?;
        }
        Ending::HangingDetection => {
            answer_probes_with(context, adapter, ProbeMode::Hang, Step::Hang)?;
            detect_with(adapter, DetectAdapterParams { refresh: true })?;
        }
    }
    Ok(())
}

fn settles(
    adapter: &mut AdapterClient,
    ending: Ending,
    children: usize,
    files: usize,
) -> CheckOutcome {
    let deadline = Instant::now() + adapter.limit(SETTLE_TIMEOUT);
    loop {
        let zombies = process::zombies(adapter.pid());
        let alive = process::descendants(adapter.pid()).len();
        let open = process::open_files(adapter.pid()).ok_or_else(|| gone(adapter))?;
        if zombies == 0 && alive <= children && open <= files + FILE_TOLERANCE {
            return Ok(());
        }
        if Instant::now() >= deadline {
            let expected = format!("no zombie, at most {children} children and {files} open files");
            let got = format!("{zombies} zombies, {alive} children, {open} open files");
            return Err(adapter.failure(expected, got, format!("{ending:?}, repeated")));
        }
        adapter.listen(Duration::from_millis(50));
    }
}

fn gone(adapter: &AdapterClient) -> Finding {
    adapter.failure("the adapter is alive", "its process cannot be inspected", "several runs")
}
