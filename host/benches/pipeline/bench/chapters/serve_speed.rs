//! Events per second through `od-host serve` to one and to many subscribers, of a live run and of a finished one. The
//! reference is a reader in the host's process. The host's processor time depends less on other load of the machine.

use std::time::Instant;

use super::Bench;
use crate::bench::fake_cli::Script;
use crate::bench::pipeline::{self, Tally};
use crate::bench::raw_websocket::RawWebSocket;
use crate::bench::report::{Figure, Report, Unit};
use crate::bench::served::Served;
use crate::bench::subscriber::{self, Seen};
use crate::bench::system;

pub(super) async fn measure(bench: &Bench<'_>, report: &mut Report) -> anyhow::Result<()> {
    let script = Script::burst(bench.sizes.burst);
    let served = Served::start(bench)?;
    // The first run initialises the host and does not count.
    let warm = served.start_run(bench, &Script::burst(10))?;
    subscriber::watch(served.websocket()?, &warm)?;
    let live = pipeline::play(bench.stage, bench.host, &script).await?.per_second();
    let replayed = replay_in_process(bench, &script).await?;
    for &count in bench.sizes.subscribers {
        let (mut best_live, mut best_replay) = (Outcome::default(), Outcome::default());
        for _ in 0..bench.sizes.rounds {
            let sockets = open(&served, count)?;
            let run_id = served.start_run(bench, &script)?;
            best_live.improve(together(&served, sockets, &run_id, &script, report)?);
            let sockets = open(&served, count)?;
            best_replay.improve(together(&served, sockets, &run_id, &script, report)?);
            served.remove(&run_id)?;
        }
        for (what, best, reference) in
            [("live", best_live, live), ("replay", best_replay, replayed)]
        {
            let name = match count {
                1 => format!("{what}, WebSocket, 1 subscriber"),
                _ => format!("{what}, WebSocket, each of {count} subscribers"),
            };
            if let Some(seconds) = best.processor {
                let name = format!("{name}, the host's time for 100 k events");
                report.add(Figure::new(name, Unit::ProcessorSeconds, seconds));
            }
            report.add(rate(name, best.per_second, reference));
        }
    }
    let run_id = served.start_run(bench, &script)?;
    let streamed = streamed(&served, &run_id, &script, report)?;
    report.add(rate("live, server-sent events, 1 subscriber".to_owned(), streamed, live));
    let streamed = self::streamed(&served, &run_id, &script, report)?;
    report.add(rate("replay, server-sent events, 1 subscriber".to_owned(), streamed, replayed));
    served.remove(&run_id)
}

/// The result of one measurement.
#[derive(Default)]
struct Outcome {
    per_second: f64,
    /// Processor seconds of the host for 100,000 events, to all of them.
    processor: Option<f64>,
}

impl Outcome {
    fn improve(&mut self, other: Self) {
        self.per_second = self.per_second.max(other.per_second);
        let both = self.processor.into_iter().chain(other.processor);
        self.processor = both.reduce(f64::min);
    }
}

fn rate(name: String, ours: f64, in_process: f64) -> Figure {
    Figure::new(name, Unit::EventsPerSecond, ours).against(in_process)
}

/// Reads a finished run in this process.
async fn replay_in_process(bench: &Bench<'_>, script: &Script) -> anyhow::Result<f64> {
    let run = bench.stage.start(bench.host, script).await?;
    run.wait().await;
    let mut tally = Tally::default();
    tally.drain(&mut bench.host.events(run.id(), 0)?).await?;
    bench.stage.remove(run.id())?;
    Ok(tally.per_second())
}

fn open(served: &Served, count: usize) -> anyhow::Result<Vec<RawWebSocket>> {
    (0..count).map(|_| served.websocket()).collect()
}

/// All clients read a run to its end, each on a thread; returns the events per second until the last has finished.
fn together(
    served: &Served,
    sockets: Vec<RawWebSocket>,
    run_id: &str,
    script: &Script,
    report: &mut Report,
) -> anyhow::Result<Outcome> {
    let used = || system::processor_time_of(served.pid()).map(|time| time.own);
    let (started, used_before) = (Instant::now(), used());
    let seen: Vec<anyhow::Result<Seen>> = std::thread::scope(|scope| {
        let watch = |socket| scope.spawn(move || subscriber::watch(socket, run_id));
        let threads: Vec<_> = sockets.into_iter().map(watch).collect();
        threads.into_iter().filter_map(|thread| thread.join().ok()).collect()
    });
    let (span, used_after) = (started.elapsed(), used());
    for seen in seen {
        report.fail_if(seen?.loss(script.events));
    }
    let events = script.events as f64;
    let processor = used_after.zip(used_before).map(|(after, before)| after - before);
    Ok(Outcome {
        per_second: events / span.as_secs_f64(),
        processor: processor.map(|seconds| seconds * 100_000.0 / events),
    })
}

fn streamed(
    served: &Served,
    run_id: &str,
    script: &Script,
    report: &mut Report,
) -> anyhow::Result<f64> {
    let started = Instant::now();
    let seen = subscriber::watch_stream(served.event_stream(run_id)?)?;
    let span = started.elapsed();
    report.fail_if(seen.loss(script.events));
    Ok(script.events as f64 / span.as_secs_f64())
}
