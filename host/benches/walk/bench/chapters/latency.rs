//! How long an event is under way when there is time: a hundred a second, each carrying the time
//! at which the agent CLI wrote it.

use std::time::Duration;

use super::Bench;
use crate::bench::report::{Figure, Report, Target, Unit};
use crate::bench::stand_in::{Script, Text, Writes};
use crate::bench::statistics::percentile;
use crate::bench::{bare, walk};

/// A hundred events a second, each with the time at which it was written.
pub(super) fn leisurely(bench: &Bench<'_>) -> Script {
    Script {
        text: Text::Clock,
        writes: Writes::Each,
        pause: Duration::from_millis(10),
        ..Script::burst(bench.sizes.leisurely)
    }
}

pub(super) async fn measure(bench: &Bench<'_>, report: &mut Report) -> anyhow::Result<()> {
    let script = leisurely(bench);
    let alone = bare::latencies(&bench.stage.stand_in, &script)?;
    let tally = walk::play(bench.stage, bench.host, &script).await?;
    if let Some(loss) = tally.loss(script.events) {
        report.fail(loss);
    }
    for (name, share, limit) in [("p50", 0.5, 100.0), ("p99", 0.99, 150.0)] {
        report.add(
            Figure::new(
                format!("at 100 events/s, {name}"),
                Unit::Microseconds,
                percentile(&tally.latencies, share),
            )
            .against(percentile(&alone, share))
            .target(Target::AddedAtMost(limit)),
        );
    }
    Ok(())
}
