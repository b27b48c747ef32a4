//! Memory of `od-host serve`: idle, and with many subscribers of one run.

use super::Bench;
use crate::bench::fake_cli::{Manner, Script};
use crate::bench::report::{Figure, Report, Unit};
use crate::bench::served::Served;
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
        // After the first events all its memory is allocated.
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
