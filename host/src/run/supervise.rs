//! Watching one run: it waits for `done`, and when that cannot come any more it ends what is left and
//! closes the stream.

use std::process::ExitStatus;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use od_protocol::{CancelRunParams, Done, ErrorEvent, ErrorKind, ErrorObject, PingParams};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::sync::watch;
use tokio::time::{Instant, sleep, sleep_until, timeout};

use super::handle::Stop;
use super::recover::conclude;
use super::repair::{JOURNAL_FAILED, Times, Verdict, closing_events};
use super::stream::StreamState;
use crate::journal::RunRecord;
use crate::journal::folder::RunFolder;
use crate::journal::sink::{Phase, Progress, Sink};
use crate::plugin::caller::Caller;
use crate::plugin::{LAST_WORDS, POLITE_END, Plugin, os, process};
use crate::run::now_ms;

/// What an adapter needs beyond the grace: its answer, SIGTERM's second, SIGKILL.
const CANCEL_SLACK: Duration = Duration::from_millis(3500);
/// Nobody waits longer for a polite end.
const LONGEST_GRACE: Duration = Duration::from_secs(60 * 60);
/// How much later than the adapter the host looks at the limit of the whole run.
const TOTAL_SLACK: Duration = Duration::from_secs(5);
/// How long the last bytes of a dead adapter may take through the pipe.
const DRAIN: Duration = Duration::from_secs(5);

/// How long an adapter may be silent, and then how long it may take to answer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Patience {
    pub(super) silence: Duration,
    pub(super) ping_limit: Duration,
    pub(super) total: Option<Duration>,
}

/// One run and everything that must be ended with it.
pub(super) struct Supervisor {
    pub(super) plugin: Plugin,
    pub(super) sink: Arc<Mutex<Sink>>,
    pub(super) progress: watch::Receiver<Progress>,
    pub(super) stop: UnboundedReceiver<Stop>,
    pub(super) folder: RunFolder,
    pub(super) record: Arc<Mutex<RunRecord>>,
    pub(super) patience: Patience,
}

/// Why the watching is over.
enum Ending {
    Done,
    Exited(Option<ExitStatus>),
    OutputClosed,
    Failed(ErrorObject),
    JournalFailed(String),
    Overdue,
    CancelOverdue,
}

impl Supervisor {
    /// Watches the run to its end. Afterwards nothing of it is alive and its journal is complete.
    pub(super) async fn run(mut self) -> Done {
        let (ending, cancelled) = self.watch().await;
        self.wind_up(ending, cancelled).await
    }

    /// Closes a run that failed before it could be watched.
    pub(super) async fn give_up(self, error: ErrorObject) -> Done {
        self.wind_up(Ending::Failed(error), false).await
    }

    async fn watch(&mut self) -> (Ending, bool) {
        let caller = self.plugin.caller().clone();
        let mut output = self.plugin.output();
        let mut progress = self.progress.clone();
        let mut cancel_due: Option<Instant> = None;
        let hung = hung(caller.clone(), self.patience);
        tokio::pin!(hung);
        let total = self.patience.total;
        let total_due = total.and_then(|total| Instant::now().checked_add(total + TOTAL_SLACK));
        loop {
            let ending = tokio::select! {
                biased;
                _ = progress.wait_for(|progress| progress.phase != Phase::Open) => Ending::Done,
                Some(stop) = self.stop.recv() => {
                    let due = Instant::now() + stop.grace.min(LONGEST_GRACE) + CANCEL_SLACK;
                    cancel_due = Some(cancel_due.map_or(due, |earlier| earlier.min(due)));
                    tokio::spawn(ask_to_stop(caller.clone(), self.run_id(), stop.grace));
                    continue;
                }
                exit = self.plugin.exited() => Ending::Exited(exit),
                _ = output.changed() => Ending::OutputClosed,
                error = &mut hung => Ending::Failed(error),
                () = at(cancel_due) => Ending::CancelOverdue,
                () = at(total_due) => Ending::Overdue,
            };
            let phase = self.progress.borrow().phase.clone();
            let ending = match phase {
                Phase::Broken(reason) => Ending::JournalFailed(reason),
                Phase::Ended => Ending::Done,
                Phase::Open => ending,
            };
            return (ending, cancel_due.is_some());
        }
    }

    async fn wind_up(mut self, mut ending: Ending, cancelled: bool) -> Done {
        let caller = self.plugin.caller().clone();
        let mut output = self.plugin.output();
        if matches!(ending, Ending::Done) {
            self.plugin.close_stdin();
            // In time or not, the rest is the same.
            drop(timeout(POLITE_END, self.plugin.exited()).await);
        }
        // Output that ends is mostly the first sign of a death.
        if matches!(ending, Ending::OutputClosed)
            && let Ok(exit @ Some(_)) = timeout(LAST_WORDS, self.plugin.exited()).await
        {
            ending = Ending::Exited(exit);
        }
        let ended = self.plugin.stop().await;
        process::sweep(ended).await;
        // Everything that could write is dead, so the reader comes to the end by itself.
        drop(timeout(DRAIN, output.changed()).await);
        caller.stderr().settled(LAST_WORDS).await;
        let verdict = verdict(&caller, ending, cancelled);
        let done = close(&self.sink, &self.folder, &self.record, &verdict);
        let mut record = lock(&self.record);
        conclude(&mut record, &done);
        record.lacks_end = !lock(&self.sink).is_on_disk();
        if let Err(error) = self.folder.write_record(&record) {
            tracing::warn!(run = record.run_id, %error, "the record of a run is behind its journal");
        }
        done
    }

    fn run_id(&self) -> String {
        lock(&self.record).run_id.clone()
    }
}

/// Closes the stream unless it has ended by itself.
fn close(
    sink: &Mutex<Sink>,
    folder: &RunFolder,
    record: &Mutex<RunRecord>,
    verdict: &Verdict,
) -> Done {
    let mut sink = lock(sink);
    if let Some(done) = sink.done().cloned() {
        sink.close(&[], done.clone());
        return done;
    }
    let mut state = StreamState::default();
    let read = std::fs::File::open(folder.events()).and_then(|file| state.read(file));
    if let Err(error) = read.and_then(|()| state.read(sink.unwritten())) {
        tracing::warn!(%error, "what a run has left open is not known");
        state.next_seq = sink.next_seq();
    }
    let record = lock(record);
    let times = Times { started: record.started_at, now: now_ms() };
    let (lines, done) = closing_events(&record.run_id, &state, verdict, times);
    sink.close(&lines, done.clone());
    done
}

fn verdict(caller: &Caller, ending: Ending, cancelled: bool) -> Verdict {
    match ending {
        Ending::JournalFailed(reason) => Verdict::failed(
            ErrorObject::new(
                ErrorKind::from_wire(JOURNAL_FAILED),
                format!("the run was stopped because its journal cannot be written: {reason}"),
            )
            .with_hint("free some space, or set OD_HOME to a folder on another disk"),
        ),
        _ if cancelled => Verdict::Cancelled,
        Ending::CancelOverdue => Verdict::Cancelled,
        Ending::Overdue => Verdict::TimedOut(Box::new(
            ErrorEvent::fatal(ErrorKind::Timeout, "the run took longer than its limit")
                .with_hint("allow more time: od-host run --timeout SECONDS …"),
        )),
        Ending::Failed(error) => Verdict::failed(error),
        Ending::Exited(exit) => {
            let exit = exit.map_or("an unknown end".to_owned(), os::describe_exit);
            Verdict::failed(caller.crashed(&format!("the adapter ended without `done` ({exit})")))
        }
        // `Done` without a done: it was read only in part.
        Ending::Done | Ending::OutputClosed => {
            Verdict::failed(caller.crashed("the adapter closed its output without `done`"))
        }
    }
}

/// Pings a silent adapter; returns when it does not answer.
async fn hung(caller: Caller, patience: Patience) -> ErrorObject {
    loop {
        let silence = caller.observations().silence();
        if silence < patience.silence {
            sleep(patience.silence - silence).await;
            continue;
        }
        match caller.call_within(PingParams {}, patience.ping_limit).await {
            Err(error)
                if error.kind() == ErrorKind::PluginHung
                    && caller.observations().silence() >= patience.ping_limit =>
            {
                return error;
            }
            // An answer, or a death that somebody else reports.
            _ => sleep(patience.silence / 10).await,
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

async fn at(due: Option<Instant>) {
    match due {
        Some(due) => sleep_until(due).await,
        None => std::future::pending().await,
    }
}

/// A lock that does not care about a panic elsewhere: the data is whole after each statement.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
