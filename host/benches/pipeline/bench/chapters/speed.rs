//! Events per second at full speed, through the journal to a client.

use super::Bench;
use crate::bench::fake_cli::{Frame, Script, Text, Writes};
use crate::bench::report::{Figure, Report, Target, Unit};
use crate::bench::{pipeline, raw_pipe};

/// The reference is a pipe with one write per line, as agent CLIs do. With large writes a raw pipe only copies bytes,
/// which is not comparable with parsed lines.
const EACH: &[Target] = &[Target::ShareAtLeast(0.3)];
const SHORT: &[Target] = &[Target::AtLeast(600_000.0)];
const WIDE: &[Target] = &[Target::AtLeast(5_000.0)];
const NONE: &[Target] = &[];

pub(super) async fn measure(bench: &Bench<'_>, report: &mut Report) -> anyhow::Result<()> {
    let sizes = bench.sizes;
    let burst = Script::burst(sizes.burst);
    let long = Script::burst(sizes.long);
    let escaped = Script { text: Text::Escaped, ..burst };
    let recorded = Script { line_bytes: 260, frame: Frame::Recorded, ..burst };
    let each = Script { writes: Writes::Each, ..burst };
    let wide = Script { line_bytes: 64 * 1024, ..Script::burst(sizes.wide) };
    let wide_escaped = Script { text: Text::Escaped, ..wide };
    for (name, script, targets) in [
        ("120 B, plain", burst, SHORT),
        ("120 B, plain", long, SHORT),
        ("120 B, escaped", escaped, SHORT),
        ("120 B, plain, one write each", each, EACH),
        ("260 B, plain, with all ids", recorded, NONE),
        ("64 KiB, plain", wide, WIDE),
        ("64 KiB, escaped", wide_escaped, WIDE),
    ] {
        let name = format!("{name}, {}", count(script.events));
        let figure = best(bench, name, &script, report).await?;
        report.add(targets.iter().fold(figure, |figure, target| figure.target(*target)));
    }
    Ok(())
}

/// The best of several alternating rounds, because other load of the machine only slows them down.
async fn best(
    bench: &Bench<'_>,
    name: String,
    script: &Script,
    report: &mut Report,
) -> anyhow::Result<Figure> {
    let (mut alone, mut ours) = (0.0_f64, 0.0_f64);
    for _ in 0..bench.sizes.rounds {
        alone = alone.max(raw_pipe::lines_per_second(&bench.stage.fake_cli, script)?);
        let tally = pipeline::play(bench.stage, bench.host, script).await?;
        if let Some(loss) = tally.loss(script.events) {
            report.fail(format!("{name}: {loss}"));
        }
        ours = ours.max(tally.per_second());
    }
    Ok(Figure::new(name, Unit::EventsPerSecond, ours).against(alone))
}

fn count(events: u64) -> String {
    match events {
        1_000_000.. => format!("{} M", events / 1_000_000),
        _ => format!("{} k", events / 1_000),
    }
}
