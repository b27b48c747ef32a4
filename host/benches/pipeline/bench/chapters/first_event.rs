//! The time from the start to the first output of the agent CLI: through a raw pipe, through a started host, and through
//! a new `od-host run`. The adapter's own `run_started` is earlier and does not count.

use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::Context;

use super::Bench;
use crate::bench::fake_cli::Script;
use crate::bench::report::{Figure, Report, Target, Unit};
use crate::bench::stage::AGENT;
use crate::bench::statistics::{median, milliseconds};
use crate::bench::{pipeline, raw_pipe};

pub(super) async fn measure(bench: &Bench<'_>, report: &mut Report) -> anyhow::Result<()> {
    // The first sample fills caches and does not count.
    let (mut alone, mut ready, mut cold) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..=bench.sizes.starts {
        alone.push(raw_pipe::first_output(&bench.stage.fake_cli)?);
        ready.push(with_ready_host(bench).await?);
        cold.push(from_nothing(bench)?);
    }
    let [alone, ready, cold] = [alone, ready, cold].map(|samples| median(&samples[1..]));
    let added = |name: &str, ours: f64, limit: f64| {
        Figure::new(name, Unit::Milliseconds, ours)
            .against(alone)
            .target(Target::AddedAtMost(limit))
    };
    report.add(added("ready host", ready, 3.5));
    report.add(added("od-host run, from nothing", cold, 10.0));
    many_starts(bench, report).await
}

/// A start must not get slower with the number of earlier runs.
async fn many_starts(bench: &Bench<'_>, report: &mut Report) -> anyhow::Result<()> {
    let mut samples = Vec::new();
    for _ in 0..bench.sizes.many_starts {
        samples.push(with_ready_host(bench).await?);
    }
    let tenth = (samples.len() / 10).max(1);
    let (early, late) = (median(&samples[..tenth]), median(&samples[samples.len() - tenth..]));
    let name = format!("the last of {} runs, to the first", samples.len());
    report.add(Figure::new(name, Unit::Times, late / early).target(Target::AtMost(1.3)));
    Ok(())
}

async fn with_ready_host(bench: &Bench<'_>) -> anyhow::Result<f64> {
    let started = Instant::now();
    let run = bench.stage.start(bench.host, &Script::burst(10)).await?;
    let mut reader = run.events(0)?;
    pipeline::until_session(&mut reader).await?;
    let first = started.elapsed();
    run.wait().await;
    Ok(milliseconds(first))
}

fn from_nothing(bench: &Bench<'_>) -> anyhow::Result<f64> {
    bench.stage.fake_cli.write_script(&Script::burst(10))?;
    let started = Instant::now();
    let mut child = Command::new(bench.od_host)
        .args(["run", "--agent", AGENT, "--output", "jsonl", "--cwd"])
        .arg(bench.stage.workspace())
        .arg("go")
        .env("OD_HOME", bench.stage.home())
        .env("OD_ADAPTER_PATH", &bench.stage.adapter_dir)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .context("cannot start od-host")?;
    let mut stdout = BufReader::new(child.stdout.take().context("od-host has no stdout")?);
    let mut line = String::new();
    while stdout.read_line(&mut line)? > 0 && !line.contains("\"session_started\"") {
        line.clear();
    }
    let first = started.elapsed();
    std::io::copy(&mut stdout.by_ref(), &mut std::io::sink())?;
    let status = child.wait()?;
    anyhow::ensure!(status.success() && !line.is_empty(), "od-host run ended with {status}");
    Ok(milliseconds(first))
}
