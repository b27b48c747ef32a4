//! Processor time of adapter and host for 100,000 events. The host's time includes the client, because both are this
//! process.

use super::Bench;
use crate::bench::fake_cli::{Script, Text};
use crate::bench::report::{Figure, Report, Target, Unit};
use crate::bench::{pipeline, system};

pub(super) async fn measure(bench: &Bench<'_>, report: &mut Report) -> anyhow::Result<()> {
    let plain = Script::burst(bench.sizes.long);
    let escaped = Script { text: Text::Escaped, ..plain };
    for (name, script) in [("plain", plain), ("escaped", escaped)] {
        let Some(before) = system::processor_time() else { return Ok(()) };
        let tally = pipeline::play(bench.stage, bench.host, &script).await?;
        let Some(after) = system::processor_time() else { return Ok(()) };
        if let Some(loss) = tally.loss(script.events) {
            report.fail(loss);
        }
        let fake_cli = bench.stage.fake_cli.time().unwrap_or_default();
        let per_burst = 100_000.0 / script.events as f64;
        let host = (after.own - before.own) * per_burst;
        let adapter = (after.ended_children - before.ended_children - fake_cli) * per_burst;
        let figure = |part: &str, value: f64| {
            Figure::new(format!("100 k events, {name}, {part}"), Unit::ProcessorSeconds, value)
        };
        report.add(figure("adapter", adapter));
        report.add(figure("host and client", host));
        report.add(figure("both", adapter + host).target(Target::AtMost(0.20)));
    }
    Ok(())
}
