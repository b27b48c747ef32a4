//! From the wish to stop until `done` is there and no process of the run is left.

use std::time::{Duration, Instant};

use super::Bench;
use crate::bench::report::{Figure, Report, Target, Unit};
use crate::bench::stand_in::{Manner, Script};
use crate::bench::statistics::{median, milliseconds};
use crate::bench::{system, walk};

/// What `od-host cancel` grants.
const GRACE: Duration = Duration::from_secs(2);

/// After this long a process counts as a survivor.
const PATIENCE: Duration = Duration::from_secs(10);

pub(super) async fn measure(bench: &Bench<'_>, report: &mut Report) -> anyhow::Result<()> {
    for (name, manner, processes, limit) in [
        ("polite agent CLI", Manner::Polite, 1, 100.0),
        ("stubborn agent CLI and its own-session child", Manner::Stubborn, 2, 2_000.0),
    ] {
        let mut samples = Vec::new();
        for _ in 0..bench.sizes.cancels {
            samples.push(milliseconds(cancel(bench, manner, processes, report).await?));
        }
        report.add(
            Figure::new(name, Unit::Milliseconds, median(&samples)).target(Target::AtMost(limit)),
        );
    }
    Ok(())
}

async fn cancel(
    bench: &Bench<'_>,
    manner: Manner,
    processes: usize,
    report: &mut Report,
) -> anyhow::Result<Duration> {
    let run = bench.stage.start(bench.host, &Script::silent(manner)).await?;
    let mut reader = run.events(0)?;
    walk::until(&mut reader, |event| event.type_name == "text_delta").await?;
    while bench.stage.stand_in.pids().len() < processes {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    let pids = bench.stage.stand_in.pids();
    let begun = Instant::now();
    run.cancel(GRACE);
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
