//! Memory of a served host: alone, with a run, and with many subscribers that have seen all of it.

use super::Bench;
use crate::bench::report::{Figure, Report, Unit};
use crate::bench::served::Served;
use crate::bench::stand_in::{Manner, Script};
use crate::bench::{subscriber, system};

pub(super) fn measure(bench: &Bench<'_>, report: &mut Report) -> anyhow::Result<()> {
    let served = Served::start(bench)?;
    let Some(idle) = system::memory(served.pid()) else { return Ok(()) };
    let run_id = served.start_run(bench, &Script::silent(Manner::Polite))?;
    let count = bench.sizes.subscribers.last().copied().unwrap_or(1);
    let mut sockets = Vec::new();
    for _ in 0..count {
        let mut socket = served.websocket()?;
        subscriber::attach(&mut socket, &run_id)?;
        // The first events are there, so everything it needs is.
        anyhow::ensure!(socket.next()?.is_some(), "the WebSocket was closed");
        sockets.push(socket);
    }
    let watched = system::memory(served.pid()).unwrap_or_default();
    served.http()?.call("runs/cancel", &format!(r#"{{"runId":"{run_id}"}}"#))?;
    for socket in sockets {
        subscriber::read(socket)?;
    }
    let name = format!("{count} subscribers of one run, resident");
    report.add(Figure::new("served host, resident", Unit::Megabytes, idle.resident));
    report.add(Figure::new(name, Unit::Megabytes, watched.resident));
    let each = (watched.resident - idle.resident) / count as f64;
    report.add(Figure::new("the share of one subscriber", Unit::Megabytes, each));
    Ok(())
}
