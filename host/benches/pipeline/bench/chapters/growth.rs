//! The cost of an event in longer runs, which must stay the same.

use super::Bench;
use crate::bench::fake_cli::Script;
use crate::bench::pipeline;
use crate::bench::report::{Figure, Report, Target, Unit};
use crate::bench::statistics::median;

pub(super) async fn measure(bench: &Bench<'_>, report: &mut Report) -> anyhow::Result<()> {
    let mut costs = Vec::new();
    for exponent in 2..=6 {
        let events = 10_u64.pow(exponent);
        if events > bench.sizes.long {
            break;
        }
        let script = Script::burst(events);
        // A short run is repeated more often for a precise figure.
        let repetitions = if events < 100_000 { 10 } else { bench.sizes.rounds };
        let mut samples = Vec::new();
        for _ in 0..repetitions {
            let tally = pipeline::play(bench.stage, bench.host, &script).await?;
            if let Some(loss) = tally.loss(events) {
                report.fail(loss);
            }
            samples.push(tally.span.as_secs_f64() * 1e6 / events as f64);
        }
        costs.push(median(&samples));
        let name = format!("an event of a run of 10^{exponent}");
        report.add(Figure::new(name, Unit::Microseconds, median(&samples)));
    }
    // A hundred events arrive at once and seem free, so the longest run is compared with the median of the others.
    if let [others @ .., longest] = costs.as_slice()
        && !others.is_empty()
    {
        let name = "the longest run, to the median of the others";
        let growth = longest / median(others);
        report.add(Figure::new(name, Unit::Times, growth).target(Target::AtMost(1.3)));
    }
    Ok(())
}
