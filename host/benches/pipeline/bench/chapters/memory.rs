//! Memory of an idle host, and of host and adapters with several concurrent runs. The agent CLIs do not count.

use super::Bench;
use crate::bench::fake_cli::{Manner, Script};
use crate::bench::helper::{self, MemoryFigures, Task};
use crate::bench::report::{Figure, Report, Target, Unit};

pub(super) fn measure(bench: &Bench<'_>, report: &mut Report) -> anyhow::Result<()> {
    bench.stage.fake_cli.write_script(&Script::silent(Manner::Polite))?;
    let task = Task::Memory { parallel: bench.sizes.parallel.to_vec() };
    let figures: Option<MemoryFigures> = helper::ask(bench.stage, &task)?;
    let Some(figures) = figures else { return Ok(()) };
    let megabytes = |name: String, value: f64| Figure::new(name, Unit::Megabytes, value);
    report.add(
        megabytes("idle host, resident".to_owned(), figures.idle.resident)
            .target(Target::AtMost(5.0)),
    );
    report.add(megabytes("idle host, proportional".to_owned(), figures.idle.proportional));
    for level in figures.levels {
        let runs = if level.runs == 1 { "run" } else { "runs" };
        let name = |part: &str| format!("{} {runs}, {part}", level.runs);
        report.add(megabytes(name("host, proportional"), level.host.proportional));
        report.add(megabytes(name("adapters, resident"), level.adapters.resident));
        let all = level.host.proportional + level.adapters.proportional;
        let figure = megabytes(name("all, proportional"), all);
        report.add(match level.runs {
            50 => figure.target(Target::AtMost(40.0)),
            _ => figure,
        });
    }
    Ok(())
}
