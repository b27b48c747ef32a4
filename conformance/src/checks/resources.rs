//! RES: resource use after many runs and while idle.

use std::time::{Duration, Instant};

use super::AdapterCheck;
use super::expectations::{PerTier, plain_answer};
use crate::adapter_client::AdapterClient;
use crate::check::{Gate, active};
use crate::context::{CheckContext, execute_on};
use crate::outcome::{CheckOutcome, Failure, Finding, needs_process_inspection};
use crate::process;

/// How many runs are made between two measurements.
const RUNS: PerTier = PerTier { brief: 8, fast: 15, full: 200, slow: 2_000 };
/// Runs before the first measurement, during which pools and caches fill.
const WARM_UP_RUNS: usize = 3;
/// This many more open or temporary files are not a leak.
const FILE_TOLERANCE: usize = 4;
/// This much more memory is not a leak.
const MEMORY_TOLERANCE_KIB: u64 = 24 * 1024;
/// The timeout for the adapter to clean up after the last run.
const SETTLE_TIMEOUT: Duration = Duration::from_secs(2);
/// How long an idle adapter is observed, and how much processor time it may use: one per cent and
/// one clock tick.
const IDLE_WINDOW: Duration = Duration::from_secs(2);
const MAX_IDLE_CPU_TIME: Duration = Duration::from_millis(30);

/// The checks of this chapter.
pub const CHECKS: &[AdapterCheck] = &[
    active(
        "RES-01",
        "after many runs there are no more open files, zombies and temporary files than after a few",
        "an adapter runs for days; a leak ends it in the middle of a task",
        Gate::cli_scenario("text"),
        resources_do_not_leak,
    ),
    active(
        "RES-02",
        "memory does not grow from run to run, and an idle adapter uses less than one per cent of \
         a processor",
        "several adapters run on a laptop at once and are idle most of the time",
        Gate::cli_scenario("text"),
        memory_and_idle_cpu,
    )
    .should(),
];

/// The resources of a process.
#[derive(Debug, Clone, Copy)]
struct ResourceUse {
    files: usize,
    zombies: usize,
    temporary: usize,
}

impl ResourceUse {
    fn of(adapter: &AdapterClient) -> Result<Self, Finding> {
        let temporary = std::fs::read_dir(adapter.home.join("tmp")).map_or(0, Iterator::count);
        let files = process::open_files(adapter.pid()).ok_or_else(process_missing)?;
        Ok(Self { files, zombies: process::zombies(adapter.pid()), temporary })
    }

    fn is_not_worse_than(self, before: Self) -> bool {
        self.files <= before.files + FILE_TOLERANCE
            && self.temporary <= before.temporary + FILE_TOLERANCE
            && self.zombies == 0
    }

    fn describe(self) -> String {
        format!(
            "{} open files, {} zombies, {} temporary files",
            self.files, self.zombies, self.temporary
        )
    }
}

fn resources_do_not_leak(context: &mut CheckContext) -> CheckOutcome {
    let mut adapter = launch_warmed_up(context)?;
    let before = ResourceUse::of(&adapter)?;
    let count = RUNS.of(context);
    make_runs(context, &mut adapter, count)?;
    let deadline = Instant::now() + adapter.limit(SETTLE_TIMEOUT);
    loop {
        let after = ResourceUse::of(&adapter)?;
        if after.is_not_worse_than(before) {
            return Ok(());
        }
        if Instant::now() >= deadline {
            let expected =
                format!("about the same as after {WARM_UP_RUNS} runs: {}", before.describe());
            return Err(adapter.failure(
                expected,
                after.describe(),
                format!("{count} consecutive runs"),
            ));
        }
        adapter.listen(Duration::from_millis(50));
    }
}

fn memory_and_idle_cpu(context: &mut CheckContext) -> CheckOutcome {
    let mut adapter = launch_warmed_up(context)?;
    let before = process::memory_kib(adapter.pid()).ok_or_else(process_missing)?;
    let count = RUNS.of(context);
    make_runs(context, &mut adapter, count)?;
    let after = process::memory_kib(adapter.pid()).ok_or_else(process_missing)?;
    if after > before + MEMORY_TOLERANCE_KIB {
        let expected = format!(
            "at most {MEMORY_TOLERANCE_KIB} KiB more than the {before} KiB after {WARM_UP_RUNS}"
        );
        return Err(adapter.failure(
            expected,
            format!("{after} KiB"),
            format!("{count} consecutive runs"),
        ));
    }
    adapter.listen(SETTLE_TIMEOUT / 4);
    let start = process::cpu_time(adapter.pid()).ok_or_else(process_missing)?;
    adapter.listen(IDLE_WINDOW);
    let used = process::cpu_time(adapter.pid()).ok_or_else(process_missing)?.saturating_sub(start);
    let expected = format!(
        "less than {MAX_IDLE_CPU_TIME:?} of processor time in {IDLE_WINDOW:?} without a run"
    );
    adapter.ensure(used <= MAX_IDLE_CPU_TIME, expected, format!("{used:?}"), "nothing")
}

/// Starts an adapter and makes its first runs.
fn launch_warmed_up(context: &mut CheckContext) -> Result<AdapterClient, Finding> {
    needs_process_inspection()?;
    plain_answer(context)?;
    let mut adapter = context.launch()?;
    make_runs(context, &mut adapter, WARM_UP_RUNS)?;
    Ok(adapter)
}

fn make_runs(
    context: &mut CheckContext,
    adapter: &mut AdapterClient,
    count: usize,
) -> CheckOutcome {
    for _ in 0..count {
        let prepared = context.prepare("text")?;
        execute_on(adapter, prepared)?;
        adapter.inbox.forget();
    }
    Ok(())
}

fn process_missing() -> Finding {
    Failure::new("the adapter is alive after its runs", "its process cannot be inspected").into()
}
