//! The duration of API calls over an open connection, one after another.

use std::time::Instant;

use super::Bench;
use crate::bench::fake_cli::Script;
use crate::bench::report::{Figure, Report, Unit};
use crate::bench::served::Served;
use crate::bench::statistics::percentile;
use crate::bench::subscriber;

pub(super) fn measure(bench: &Bench<'_>, report: &mut Report) -> anyhow::Result<()> {
    let served = Served::start(bench)?;
    let run_id = served.start_run(bench, &Script::burst(10))?;
    subscriber::watch(served.websocket()?, &run_id)?;
    let (mut socket, mut http) = (served.websocket()?, served.http()?);
    for (method, params) in
        [("host/info", "{}".to_owned()), ("runs/get", format!(r#"{{"runId":"{run_id}"}}"#))]
    {
        let over_websocket = times(bench, || {
            socket.request(1, method, &params)?;
            anyhow::ensure!(socket.next()?.is_some(), "the WebSocket was closed");
            Ok(())
        })?;
        let over_http = times(bench, || http.call(method, &params).map(drop))?;
        for (face, samples) in [("WebSocket", over_websocket), ("HTTP", over_http)] {
            for (name, share) in [("p50", 0.5), ("p99", 0.99)] {
                let name = format!("{method}, {face}, {name}");
                report.add(Figure::new(name, Unit::Microseconds, percentile(&samples, share)));
            }
        }
    }
    served.remove(&run_id)
}

/// Microseconds of each call.
fn times(
    bench: &Bench<'_>,
    mut call: impl FnMut() -> anyhow::Result<()>,
) -> anyhow::Result<Vec<f64>> {
    let timed = |_| {
        let started = Instant::now();
        call()?;
        Ok(started.elapsed().as_secs_f64() * 1e6)
    };
    (0..bench.sizes.calls).map(timed).collect()
}
