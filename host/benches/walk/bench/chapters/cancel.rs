//! From the wish to stop until `done` is there and no process of the run is left.

use std::time::{Duration, Instant};

use super::Bench;
use crate::bench::report::{Figure, Report, Target, Unit};
use crate::bench::stand_in::{Manner, Script};
use crate::bench::statistics::{median, milliseconds};
use crate::bench::{system, walk};

/// What `od-host cancel` grants; with `--now` it grants nothing.
const GRACE: Duration = Duration::from_secs(2);

/// After this long a process counts as a survivor, and one that should be there as missing.
const PATIENCE: Duration = Duration::from_secs(10);

/// A run that is to be cancelled.
#[derive(Debug, Clone, Copy)]
struct Victim {
    manner: Manner,
    processes: usize,
    grace: Duration,
}

pub(super) async fn measure(bench: &Bench<'_>, report: &mut Report) -> anyhow::Result<()> {
    let polite = Victim { manner: Manner::Polite, processes: 1, grace: GRACE };
    let stubborn = Victim { manner: Manner::Stubborn, processes: 2, grace: GRACE };
    let at_once = Victim { grace: Duration::ZERO, ..stubborn };
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
    victim: Victim,
    report: &mut Report,
) -> anyhow::Result<Duration> {
    let manner = victim.manner;
    let run = bench.stage.start(bench.host, &Script::silent(manner)).await?;
    let mut reader = run.events(0)?;
    walk::until(&mut reader, |event| event.type_name == "text_delta").await?;
    let pids = processes(bench, victim.processes).await?;
    let begun = Instant::now();
    run.cancel(victim.grace);
    walk::until(&mut reader, |event| event.type_name == "done").await?;
    let early = pids.iter().filter(|pid| system::is_alive(**pid)).count();
    if early > 0 {
        report.fail(format!("{early} processes were alive when `done` came ({manner:?})"));
    }
    while pids.iter().any(|pid| system::is_alive(*pid)) && begun.elapsed() < PATIENCE {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    let gone = begun.elapsed();
    if pids.iter().any(|pid| system::is_alive(*pid)) {
        report.fail(format!("a process survived its cancelled run ({manner:?})"));
    }
    run.wait().await;
    bench.stage.forget(run.id())?;
    Ok(gone)
}

/// The processes of the stand-in, once they are all there.
async fn processes(bench: &Bench<'_>, count: usize) -> anyhow::Result<Vec<u32>> {
    let begun = Instant::now();
    loop {
        let pids = bench.stage.stand_in.pids();
        if pids.len() >= count {
            return Ok(pids);
        }
        anyhow::ensure!(begun.elapsed() < PATIENCE, "the stand-in does not start its child");
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}
