//! The latency of an event at a low rate: one hundred events per second, each with the time at which the agent CLI wrote
//! it.

use std::time::Duration;

use super::Bench;
use crate::bench::fake_cli::{Script, Text, Writes};
use crate::bench::report::{Figure, Report, Target, Unit};
use crate::bench::statistics::percentile;
use crate::bench::{pipeline, raw_pipe};

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
    let alone = raw_pipe::latencies(&bench.stage.fake_cli, &script)?;
    let tally = pipeline::play(bench.stage, bench.host, &script).await?;
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
