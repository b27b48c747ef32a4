//! The latency of an event to a subscriber of `od-host serve` at a low rate. The reference is a reader in the host's
//! process; a plain socket shows the cost of the kernel and of waking another process.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

use super::Bench;
use super::latency::leisurely;
use crate::bench::fake_cli::now_nanoseconds;
use crate::bench::raw_pipe::microseconds_between;
use crate::bench::report::{Figure, Report, Unit};
use crate::bench::served::Served;
use crate::bench::statistics::percentile;
use crate::bench::{pipeline, subscriber};

pub(super) async fn measure(bench: &Bench<'_>, report: &mut Report) -> anyhow::Result<()> {
    let script = leisurely(bench);
    let in_process = pipeline::play(bench.stage, bench.host, &script).await?.latencies;
    let served = Served::start(bench)?;
    let socket = served.websocket()?;
    let run_id = served.start_run(bench, &script)?;
    let over_websocket = subscriber::watch(socket, &run_id)?;
    let run_id = served.start_run(bench, &script)?;
    let streamed = subscriber::watch_stream(served.event_stream(&run_id)?)?;
    let plain = plain_socket(bench.sizes.leisurely)?;
    for (name, share) in [("p50", 0.5), ("p99", 0.99)] {
        let name = format!("at 100 writes/s, a plain loopback socket, {name}");
        report.add(Figure::new(name, Unit::Microseconds, percentile(&plain, share)));
    }
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

/// The latency of writes between two threads through a socket, in microseconds.
fn plain_socket(writes: u64) -> anyhow::Result<Vec<f64>> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let mut near = TcpStream::connect(listener.local_addr()?)?;
    near.set_nodelay(true)?;
    let (mut far, _) = listener.accept()?;
    let reader = std::thread::spawn(move || {
        let mut latencies = Vec::new();
        let mut then = [0; 16];
        while far.read_exact(&mut then).is_ok() {
            latencies.push(microseconds_between(u128::from_le_bytes(then), now_nanoseconds()));
        }
        latencies
    });
    for _ in 0..writes {
        std::thread::sleep(Duration::from_millis(10));
        near.write_all(&now_nanoseconds().to_le_bytes())?;
    }
    drop(near);
    reader.join().map_err(|_| anyhow::anyhow!("the reader of the socket failed"))
}
