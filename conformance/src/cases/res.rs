//! RES: what an adapter process has gathered after many runs, and what it does when idle.

use std::time::{Duration, Instant};

use super::expectations::{Amount, plain_answer};
use crate::bench::{Bench, Setup, perform_on};
use crate::case::{Body, Check, Gate, Level, Tier};
use crate::plugin::Plugin;
use crate::process;
use crate::verdict::{Failure, Finding, Verdict};

/// How many runs are made between two looks.
const RUNS: Amount = Amount { brief: 8, fast: 15, full: 200, slow: 2_000 };
/// Runs before the first look, in which pools and caches fill.
const WARM_UP: usize = 3;
/// So many more open files or temporary files are no leak.
const TOLERANCE: usize = 4;
/// So much more memory is no leak.
const MEMORY_TOLERANCE_KIB: u64 = 24 * 1024;
/// How long an adapter may take to tidy up after the last run.
const SETTLE: Duration = Duration::from_secs(2);
/// How long an idle adapter is watched, and how much of that it may work: one part in a hundred,
/// and a tick of the system's clock.
const IDLE: Duration = Duration::from_secs(2);
const IDLE_CPU: Duration = Duration::from_millis(30);

/// The chapter's checks.
pub const CHECKS: &[Check] = &[
    Check {
        id: "RES-01",
        level: Level::Must,
        sentence: "after many runs there are no more open files, zombies and temporary files than \
                   after a few",
        why: "an adapter lives as long as its host, for days; what leaks ends it in the middle of \
              somebody's work",
        gate: Gate::cli_scenario("text"),
        tier: Tier::Fast,
        body: Body::Active(nothing_gathers),
    },
    Check {
        id: "RES-02",
        level: Level::Should,
        sentence: "memory does not grow from run to run, and an idle adapter uses less than one \
                   per cent of a processor",
        why: "adapters run on laptops, several at once, and most of the time they have nothing to do",
        gate: Gate::cli_scenario("text"),
        tier: Tier::Fast,
        body: Body::Active(frugal),
    },
];

/// What a process holds.
#[derive(Debug, Clone, Copy)]
struct Holdings {
    files: usize,
    zombies: usize,
    temporary: usize,
}

impl Holdings {
    fn of(plugin: &Plugin) -> Result<Self, Finding> {
        let temporary = std::fs::read_dir(plugin.home.join("tmp")).map_or(0, Iterator::count);
        let files = process::open_files(plugin.pid()).ok_or_else(gone)?;
        Ok(Self { files, zombies: process::zombies(plugin.pid()), temporary })
    }

    fn is_as_good_as(self, before: Self) -> bool {
        self.files <= before.files + TOLERANCE
            && self.temporary <= before.temporary + TOLERANCE
            && self.zombies == 0
    }

    fn words(self) -> String {
        format!(
            "{} open files, {} zombies, {} temporary files",
            self.files, self.zombies, self.temporary
        )
    }
}

fn nothing_gathers(bench: &mut Bench) -> Verdict {
    let mut plugin = warmed_up(bench)?;
    let before = Holdings::of(&plugin)?;
    let count = RUNS.of(bench);
    make_runs(bench, &mut plugin, count)?;
    let deadline = Instant::now() + plugin.limit(SETTLE);
    loop {
        let after = Holdings::of(&plugin)?;
        if after.is_as_good_as(before) {
            return Ok(());
        }
        if Instant::now() >= deadline {
            let expected = format!("about what there was after {WARM_UP} runs: {}", before.words());
            return Err(Failure::new(expected, after.words())
                .sent(format!("{count} runs, one after the other"))
                .at(plugin.place())
                .into());
        }
        plugin.listen(Duration::from_millis(50));
    }
}

fn frugal(bench: &mut Bench) -> Verdict {
    let mut plugin = warmed_up(bench)?;
    let before = process::memory_kib(plugin.pid()).ok_or_else(gone)?;
    let count = RUNS.of(bench);
    make_runs(bench, &mut plugin, count)?;
    let after = process::memory_kib(plugin.pid()).ok_or_else(gone)?;
    if after > before + MEMORY_TOLERANCE_KIB {
        let expected = format!(
            "at most {MEMORY_TOLERANCE_KIB} KiB more than {before} KiB, as after {WARM_UP}"
        );
        return Err(Failure::new(expected, format!("{after} KiB"))
            .sent(format!("{count} runs, one after the other"))
            .at(plugin.place())
            .into());
    }
    plugin.listen(SETTLE / 4);
    let begun = process::cpu_time(plugin.pid()).ok_or_else(gone)?;
    plugin.listen(IDLE);
    let used = process::cpu_time(plugin.pid()).ok_or_else(gone)?.saturating_sub(begun);
    if used > IDLE_CPU {
        let expected =
            format!("less than {IDLE_CPU:?} of processor time in {IDLE:?} without a run");
        return Err(Failure::new(expected, format!("{used:?}"))
            .sent("nothing")
            .at(plugin.place())
            .into());
    }
    Ok(())
}

/// A plugin of the check's own that has made its first runs.
fn warmed_up(bench: &mut Bench) -> Result<Plugin, Finding> {
    if !process::CAN_INSPECT {
        return Err(Finding::Skip("this system does not show its processes".to_owned()));
    }
    plain_answer(bench)?;
    let mut plugin = bench.launch(&Setup::default())?;
    make_runs(bench, &mut plugin, WARM_UP)?;
    Ok(plugin)
}

fn make_runs(bench: &mut Bench, plugin: &mut Plugin, count: usize) -> Verdict {
    for _ in 0..count {
        let play = bench.prepare("text")?;
        perform_on(plugin, play)?;
        plugin.inbox.forget();
    }
    Ok(())
}

fn gone() -> Finding {
    Failure::new("the plugin is alive after its runs", "its process cannot be looked at").into()
}
