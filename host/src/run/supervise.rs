//! Supervises one adapter until `done` arrives or can no longer arrive, then ends its processes and reports why. What
//! this means for the run is decided in `task`.

use std::process::ExitStatus;
use std::time::Duration;

use od_protocol::adapter::{CancelRunParams, PingParams};
use od_protocol::{ErrorKind, ErrorObject};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::sync::watch;
use tokio::time::{Instant, sleep, timeout};

use super::handle::Stop;
use super::outcome::{JOURNAL_FAILED, RunOutcome};
use crate::clock::sleep_until_deadline;
use crate::journal::writer::{Phase, Progress};
use crate::plugin::caller::Caller;
use crate::plugin::{FINAL_OUTPUT_GRACE, Plugin, SHUTDOWN_GRACE, os, process};

/// What an adapter needs for a cancel beyond the grace period: its answer, one second for SIGTERM, SIGKILL.
const CANCEL_SLACK: Duration = Duration::from_millis(3500);
/// The longest grace period of a cancel.
const MAX_CANCEL_GRACE: Duration = Duration::from_secs(60 * 60);
/// How much later than the adapter the host enforces the time limit of the whole run.
const TOTAL_SLACK: Duration = Duration::from_secs(5);
/// How long the last bytes of a dead adapter may take through the pipe.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(5);

/// What is supervised, and the time limits.
pub(super) struct Supervision<'a> {
    pub(super) run_id: &'a str,
    pub(super) progress: watch::Receiver<Progress>,
    /// How long the adapter may be silent before it is pinged.
    pub(super) silence: Duration,
    /// How long it may take to answer the ping.
    pub(super) ping_limit: Duration,
    /// When the time limit of the whole run is reached.
    pub(super) deadline: Option<Instant>,
}

/// Why the supervision ended.
enum Ending {
    Done,
    Exited(Option<ExitStatus>),
    OutputClosed,
    /// The adapter violated the protocol.
    ProtocolViolation,
    Failed(ErrorObject),
    JournalFailed(String),
    TotalTimeout,
    CancelTimeout,
}

/// How the supervision of an adapter ended.
pub(super) struct Supervised {
    ending: Ending,
    /// The run was cancelled.
    is_cancelled: bool,
}

/// An adapter that refused the run after its first event: there is nothing to supervise.
pub(super) fn refused(error: ErrorObject) -> Supervised {
    Supervised { ending: Ending::Failed(error), is_cancelled: false }
}

/// Supervises an adapter until `done` arrives or can no longer arrive.
pub(super) async fn supervise(
    plugin: &mut Plugin,
    supervision: Supervision<'_>,
    stops: &mut UnboundedReceiver<Stop>,
    mut stop: Option<Stop>,
) -> Supervised {
    let caller = plugin.caller().clone();
    let mut output = plugin.output();
    let mut progress = supervision.progress.clone();
    let mut cancel_due: Option<Instant> = None;
    let hung = ping_until_hung(caller.clone(), supervision.silence, supervision.ping_limit);
    tokio::pin!(hung);
    let total_due = supervision.deadline.and_then(|due| due.checked_add(TOTAL_SLACK));
    loop {
        if let Some(stop) = stop.take() {
            let due = Instant::now() + stop.grace.min(MAX_CANCEL_GRACE) + CANCEL_SLACK;
            cancel_due = Some(cancel_due.map_or(due, |earlier| earlier.min(due)));
            tokio::spawn(cancel(caller.clone(), supervision.run_id.to_owned(), stop.grace));
        }
        let ending = tokio::select! {
            biased;
            _ = progress.wait_for(|progress| progress.phase != Phase::Open) => Ending::Done,
            Some(next) = stops.recv() => {
                stop = Some(next);
                continue;
            }
            exit = plugin.exited() => Ending::Exited(exit),
            changed = output.changed() => match changed {
                Ok(()) => Ending::ProtocolViolation,
                Err(_) => Ending::OutputClosed,
            },
            error = &mut hung => Ending::Failed(error),
            () = sleep_until_deadline(cancel_due) => Ending::CancelTimeout,
            () = sleep_until_deadline(total_due) => Ending::TotalTimeout,
        };
        let phase = supervision.progress.borrow().phase.clone();
        let ending = match phase {
            Phase::Broken(reason) => Ending::JournalFailed(reason),
            Phase::Buffered | Phase::Ended => Ending::Done,
            Phase::Open => ending,
        };
        return Supervised { ending, is_cancelled: cancel_due.is_some() };
    }
}

/// Ends an adapter and every process it started, and waits for its last output. The outcome counts only when the
/// stream has no end.
pub(super) async fn shut_down(mut plugin: Plugin, supervised: Supervised) -> RunOutcome {
    let Supervised { mut ending, is_cancelled } = supervised;
    let caller = plugin.caller().clone();
    let mut output = plugin.output();
    if matches!(ending, Ending::Done) {
        plugin.close_stdin();
        // An adapter that does not exit in time is killed below.
        drop(timeout(SHUTDOWN_GRACE, plugin.exited()).await);
    }
    // The end of the output is usually the first sign of an exit.
    if matches!(ending, Ending::OutputClosed)
        && let Ok(exit @ Some(_)) = timeout(FINAL_OUTPUT_GRACE, plugin.exited()).await
    {
        ending = Ending::Exited(exit);
    }
    let ended = plugin.stop().await;
    process::sweep(ended).await;
    // Every process that could write is dead, so the reader reaches the end of the output.
    drop(timeout(DRAIN_TIMEOUT, async { while output.changed().await.is_ok() {} }).await);
    caller.stderr().wait_for_end(FINAL_OUTPUT_GRACE).await;
    outcome(&caller, ending, is_cancelled)
}

fn outcome(caller: &Caller, ending: Ending, is_cancelled: bool) -> RunOutcome {
    match (ending, caller.fatal_violation()) {
        (Ending::JournalFailed(reason), _) => RunOutcome::failed(
            ErrorObject::new(
                ErrorKind::from_wire(JOURNAL_FAILED),
                format!("the run was stopped because its journal cannot be written: {reason}"),
            )
            .with_hint("free some space, or set OD_HOME to a folder on another disk"),
        ),
        _ if is_cancelled => RunOutcome::Cancelled,
        // A violation explains everything that followed it.
        (_, Some(violation)) => RunOutcome::failed(violation),
        (Ending::CancelTimeout, _) => RunOutcome::Cancelled,
        (Ending::TotalTimeout, _) => RunOutcome::total_timeout(),
        (Ending::Failed(error), _) => RunOutcome::failed(error),
        (Ending::Exited(exit), _) => {
            let exit = exit.map_or("unknown exit status".to_owned(), os::describe_exit);
            RunOutcome::failed(
                caller.crashed(&format!("the adapter exited without `done` ({exit})")),
            )
        }
        // `Done` without a `done` event: only a part of it was read.
        (Ending::Done | Ending::OutputClosed | Ending::ProtocolViolation, _) => {
            RunOutcome::failed(caller.crashed("the adapter closed its output without `done`"))
        }
    }
}

/// Pings a silent adapter; returns when it does not answer.
async fn ping_until_hung(caller: Caller, limit: Duration, ping_limit: Duration) -> ErrorObject {
    loop {
        let silence = caller.observations().silence();
        if silence < limit {
            sleep(limit - silence).await;
            continue;
        }
        match caller.call_within(PingParams {}, ping_limit).await {
            Err(error)
                if error.kind() == ErrorKind::PluginHung
                    && caller.observations().silence() >= ping_limit =>
            {
                return error;
            }
            // An answer, or an exit that `supervise` reports.
            _ => sleep(limit / 10).await,
        }
    }
}

async fn cancel(caller: Caller, run_id: String, grace: Duration) {
    let grace_ms = u64::try_from(grace.as_millis()).ok();
    let params = CancelRunParams { run_id, grace_ms, reason: None };
    if let Err(error) = caller.call(params).await {
        // The adapter is killed when the time for the cancel is over.
        tracing::debug!(%error, "the adapter did not accept the cancel");
    }
}
