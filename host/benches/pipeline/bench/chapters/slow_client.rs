//! The memory cost of a client that stops reading; it must not lose events.

use super::Bench;
use crate::bench::fake_cli::Script;
use crate::bench::helper::{self, SlowFigures, Task};
use crate::bench::report::{Figure, Report, Target, Unit};

pub(super) fn measure(bench: &Bench<'_>, report: &mut Report) -> anyhow::Result<()> {
    let behind = bench.sizes.behind;
    bench.stage.fake_cli.write_script(&Script::burst(behind))?;
    let figures: Option<SlowFigures> = helper::ask(bench.stage, &Task::SlowClient { behind })?;
    let Some(figures) = figures else { return Ok(()) };
    if let Some(loss) = figures.loss {
        report.fail(loss);
    }
    let name = format!("{} k events behind, more memory of the host", behind / 1_000);
    report.add(Figure::new(name, Unit::Megabytes, figures.added).target(Target::AtMost(8.0)));
    Ok(())
}
