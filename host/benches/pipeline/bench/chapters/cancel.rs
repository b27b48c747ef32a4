//! The time from a cancellation until `done` is written and no process of the run is left.

use std::time::{Duration, Instant};

use super::Bench;
use crate::bench::fake_cli::{Manner, Script};
use crate::bench::report::{Figure, Report, Target, Unit};
use crate::bench::statistics::{median, milliseconds};
use crate::bench::{pipeline, system};

/// What `od-host cancel` grants; with `--now` it grants nothing.
const GRACE: Duration = Duration::from_secs(2);

/// After this time a process counts as surviving, or as not started.
const EXIT_TIMEOUT: Duration = Duration::from_secs(10);

/// A run that is to be cancelled.
#[derive(Debug, Clone, Copy)]
struct CancelledRun {
    manner: Manner,
    processes: usize,
    grace: Duration,
}

pub(super) async fn measure(bench: &Bench<'_>, report: &mut Report) -> anyhow::Result<()> {
    let polite = CancelledRun { manner: Manner::Polite, processes: 1, grace: GRACE };
    let stubborn = CancelledRun { manner: Manner::Stubborn, processes: 2, grace: GRACE };
    let at_once = CancelledRun { grace: Duration::ZERO, ..stubborn };
    for (name, victim, limit) in [
        ("polite agent CLI", polite, 100.0),
        ("stubborn one with an own-session child", stubborn, 2_000.0),
        ("the same, without grace", at_once, 2_000.0),
    ] {
        let mut samples = Vec::new();
        for _ in 0..bench.sizes.cancels {
            samples.push(milliseconds(cancel(bench, victim, report).await?));
        }
        report.add(
            Figure::new(name, Unit::Milliseconds, median(&samples)).target(Target::AtMost(limit)),
        );
    }
    Ok(())
}

async fn cancel(
    bench: &Bench<'_>,
    victim: CancelledRun,
    report: &mut Report,
) -> anyhow::Result<Duration> {
    let manner = victim.manner;
    let run = bench.stage.start(bench.host, &Script::silent(manner)).await?;
    let mut reader = run.events(0)?;
    pipeline::until(&mut reader, |event| event.type_name == "text_delta").await?;
    let pids = processes(bench, victim.processes).await?;
    let started = Instant::now();
    run.cancel(victim.grace);
    pipeline::until(&mut reader, |event| event.type_name == "done").await?;
    let early = pids.iter().filter(|pid| system::is_alive(**pid)).count();
    if early > 0 {
        report.fail(format!("{early} processes were alive at `done` ({manner:?})"));
    }
    while pids.iter().any(|pid| system::is_alive(*pid)) && started.elapsed() < EXIT_TIMEOUT {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    let gone = started.elapsed();
    if pids.iter().any(|pid| system::is_alive(*pid)) {
        report.fail(format!("a process survived its cancelled run ({manner:?})"));
    }
    run.wait().await;
    bench.stage.remove(run.id())?;
    Ok(gone)
}

/// Waits for the processes of the fake CLI.
async fn processes(bench: &Bench<'_>, count: usize) -> anyhow::Result<Vec<u32>> {
    let started = Instant::now();
    loop {
        let pids = bench.stage.fake_cli.pids();
        if pids.len() >= count {
            return Ok(pids);
        }
        anyhow::ensure!(started.elapsed() < EXIT_TIMEOUT, "the fake CLI did not start its child");
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}
