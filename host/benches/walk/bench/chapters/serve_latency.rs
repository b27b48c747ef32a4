//! How long an event is under way to a subscriber of `od-host serve` when there is time. The reference is a reader in
//! the process of the host.

use super::Bench;
use super::latency::leisurely;
use crate::bench::report::{Figure, Report, Unit};
use crate::bench::served::Served;
use crate::bench::statistics::percentile;
use crate::bench::{subscriber, walk};

pub(super) async fn measure(bench: &Bench<'_>, report: &mut Report) -> anyhow::Result<()> {
    let script = leisurely(bench);
    let in_process = walk::play(bench.stage, bench.host, &script).await?.latencies;
    let served = Served::start(bench)?;
    let socket = served.websocket()?;
    let run_id = served.start_run(bench, &script)?;
    let over_websocket = subscriber::watch(socket, &run_id)?;
    let run_id = served.start_run(bench, &script)?;
    let streamed = subscriber::watch_stream(served.event_stream(&run_id)?)?;
    for (face, seen) in [("WebSocket", over_websocket), ("server-sent events", streamed)] {
        report.fail_if(seen.loss(script.events));
        for (name, share) in [("p50", 0.5), ("p99", 0.99)] {
            let name = format!("at 100 events/s, {face}, {name}");
            let ours = percentile(&seen.latencies, share);
            let figure = Figure::new(name, Unit::Microseconds, ours);
            report.add(figure.against(percentile(&in_process, share)));
        }
    }
    Ok(())
}
