//! Watching one adapter at work: it waits for `done`, and when that cannot come any more it ends what is
//! left and says why. What that means for the run is decided in `conduct`.

use std::process::ExitStatus;
use std::time::Duration;

use od_protocol::{CancelRunParams, ErrorKind, ErrorObject, PingParams};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::sync::watch;
use tokio::time::{Instant, sleep, sleep_until, timeout};

use super::handle::Stop;
use super::repair::{JOURNAL_FAILED, Verdict};
use crate::journal::sink::{Phase, Progress};
use crate::plugin::caller::Caller;
use crate::plugin::{LAST_WORDS, POLITE_END, Plugin, os, process};

/// What an adapter needs beyond the grace: its answer, SIGTERM's second, SIGKILL.
const CANCEL_SLACK: Duration = Duration::from_millis(3500);
/// Nobody waits longer for a polite end.
const LONGEST_GRACE: Duration = Duration::from_secs(60 * 60);
/// How much later than the adapter the host looks at the limit of the whole run.
const TOTAL_SLACK: Duration = Duration::from_secs(5);
/// How long the last bytes of a dead adapter may take through the pipe.
const DRAIN: Duration = Duration::from_secs(5);

/// What is watched, and how long things may take.
pub(super) struct Watching<'a> {
    pub(super) run_id: &'a str,
    pub(super) progress: watch::Receiver<Progress>,
    /// How long the adapter may be silent before it is pinged.
    pub(super) silence: Duration,
    /// How long it may then take to answer.
    pub(super) ping_limit: Duration,
    /// When the limit of the whole run is over.
    pub(super) deadline: Option<Instant>,
}

/// Why the watching is over.
enum Ending {
    Done,
    Exited(Option<ExitStatus>),
    OutputClosed,
    /// The adapter has broken the protocol.
    Breached,
    Failed(ErrorObject),
    JournalFailed(String),
    Overdue,
    CancelOverdue,
}

/// What was seen of an adapter at work.
pub(super) struct Watched {
    ending: Ending,
    /// The run was told to stop.
    cancelled: bool,
}

/// An adapter that refused after it had begun to talk: there is nothing to watch.
pub(super) fn refused(error: ErrorObject) -> Watched {
    Watched { ending: Ending::Failed(error), cancelled: false }
}

/// Watches an adapter until `done` has come or cannot come any more.
pub(super) async fn watch(
    plugin: &mut Plugin,
    watching: Watching<'_>,
    stops: &mut UnboundedReceiver<Stop>,
    mut stop: Option<Stop>,
) -> Watched {
    let caller = plugin.caller().clone();
    let mut output = plugin.output();
    let mut progress = watching.progress.clone();
    let mut cancel_due: Option<Instant> = None;
    let hung = hung(caller.clone(), watching.silence, watching.ping_limit);
    tokio::pin!(hung);
    let total_due = watching.deadline.and_then(|due| due.checked_add(TOTAL_SLACK));
    loop {
        if let Some(stop) = stop.take() {
            let due = Instant::now() + stop.grace.min(LONGEST_GRACE) + CANCEL_SLACK;
            cancel_due = Some(cancel_due.map_or(due, |earlier| earlier.min(due)));
            tokio::spawn(ask_to_stop(caller.clone(), watching.run_id.to_owned(), stop.grace));
        }
        let ending = tokio::select! {
            biased;
            _ = progress.wait_for(|progress| progress.phase != Phase::Open) => Ending::Done,
            Some(next) = stops.recv() => {
                stop = Some(next);
                continue;
            }
            exit = plugin.exited() => Ending::Exited(exit),
            news = output.changed() => match news {
                Ok(()) => Ending::Breached,
                Err(_) => Ending::OutputClosed,
            },
            error = &mut hung => Ending::Failed(error),
            () = at(cancel_due) => Ending::CancelOverdue,
            () = at(total_due) => Ending::Overdue,
        };
        let phase = watching.progress.borrow().phase.clone();
        let ending = match phase {
            Phase::Broken(reason) => Ending::JournalFailed(reason),
            Phase::Held | Phase::Ended => Ending::Done,
            Phase::Open => ending,
        };
        return Watched { ending, cancelled: cancel_due.is_some() };
    }
}

/// Ends an adapter with everything it has started, and waits for its last bytes. Says what to tell of
/// its end if the stream has none.
pub(super) async fn wind_up(mut plugin: Plugin, watched: Watched) -> Verdict {
    let Watched { mut ending, cancelled } = watched;
    let caller = plugin.caller().clone();
    let mut output = plugin.output();
    if matches!(ending, Ending::Done) {
        plugin.close_stdin();
        // In time or not, the rest is the same.
        drop(timeout(POLITE_END, plugin.exited()).await);
    }
    // Output that ends is mostly the first sign of a death.
    if matches!(ending, Ending::OutputClosed)
        && let Ok(exit @ Some(_)) = timeout(LAST_WORDS, plugin.exited()).await
    {
        ending = Ending::Exited(exit);
    }
    let ended = plugin.stop().await;
    process::sweep(ended).await;
    // Everything that could write is dead, so the reader comes to the end by itself.
    drop(timeout(DRAIN, async { while output.changed().await.is_ok() {} }).await);
    caller.stderr().settled(LAST_WORDS).await;
    verdict(&caller, ending, cancelled)
}

fn verdict(caller: &Caller, ending: Ending, cancelled: bool) -> Verdict {
    match (ending, caller.breach()) {
        (Ending::JournalFailed(reason), _) => Verdict::failed(
            ErrorObject::new(
                ErrorKind::from_wire(JOURNAL_FAILED),
                format!("the run was stopped because its journal cannot be written: {reason}"),
            )
            .with_hint("free some space, or set OD_HOME to a folder on another disk"),
        ),
        _ if cancelled => Verdict::Cancelled,
        // Whatever followed it.
        (_, Some(breach)) => Verdict::failed(breach),
        (Ending::CancelOverdue, _) => Verdict::Cancelled,
        (Ending::Overdue, _) => total_timeout(),
        (Ending::Failed(error), _) => Verdict::failed(error),
        (Ending::Exited(exit), _) => {
            let exit = exit.map_or("an unknown end".to_owned(), os::describe_exit);
            Verdict::failed(caller.crashed(&format!("the adapter ended without `done` ({exit})")))
        }
        // `Done` without a done: it was read only in part.
        (Ending::Done | Ending::OutputClosed | Ending::Breached, _) => {
            Verdict::failed(caller.crashed("the adapter closed its output without `done`"))
        }
    }
}

/// The limit of the whole run is over.
pub(super) fn total_timeout() -> Verdict {
    Verdict::timed_out(
        "total",
        "the run took longer than its limit",
        "allow more time: --timeout SECONDS, or task.timeouts.totalMs",
    )
}

/// Pings a silent adapter; returns when it does not answer.
async fn hung(caller: Caller, patience: Duration, ping_limit: Duration) -> ErrorObject {
    loop {
        let silence = caller.observations().silence();
        if silence < patience {
            sleep(patience - silence).await;
            continue;
        }
        match caller.call_within(PingParams {}, ping_limit).await {
            Err(error)
                if error.kind() == ErrorKind::PluginHung
                    && caller.observations().silence() >= ping_limit =>
            {
                return error;
            }
            // An answer, or a death that somebody else reports.
            _ => sleep(patience / 10).await,
        }
    }
}

async fn ask_to_stop(caller: Caller, run_id: String, grace: Duration) {
    let grace_ms = u64::try_from(grace.as_millis()).ok();
    let params = CancelRunParams { run_id, grace_ms, reason: None };
    if let Err(error) = caller.call(params).await {
        // The deadline of the cancel does the rest.
        tracing::debug!(%error, "the adapter does not take the cancel");
    }
}

/// Waits for a moment; without one, for ever.
pub(crate) async fn at(due: Option<Instant>) {
    match due {
        Some(due) => sleep_until(due).await,
        None => std::future::pending().await,
    }
}
