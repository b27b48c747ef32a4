//! A run whose host died: its journal is closed by whoever looks at it next.

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use od_protocol::{Done, ErrorKind, ErrorObject};

use super::repair::{Closing, HOST_DIED, JOURNAL_FAILED, Times, Verdict, closing_events};
use super::stream::StreamState;
use crate::error::HostError;
use crate::journal::envelope::Envelope;
use crate::journal::folder::RunFolder;
use crate::journal::{RunRecord, RunStatus};
use crate::run::now_ms;
use crate::usage;

/// How long somebody else may take to close a run.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long an owner may take to leave that has said `done`.
const FAREWELL: Duration = Duration::from_secs(5);
const LOOK: Duration = Duration::from_millis(10);

/// The record of a run as it really stands: one that nobody owns any more is closed as failed. Only for threads that
/// may wait, because another process may be closing it at the same moment.
pub(crate) fn settle(folder: &RunFolder) -> Result<RunRecord, HostError> {
    settle_within(folder, PATIENCE)
}

fn settle_within(folder: &RunFolder, patience: Duration) -> Result<RunRecord, HostError> {
    let record = folder.read_record()?;
    if is_closed(&record) {
        return Ok(record);
    }
    // Otherwise who looks while another one closes it would take that one for the owner.
    let closing = folder.lock_for_closing(patience).map_err(|error| unclosed(folder, &error))?;
    let Some(closing) = closing else {
        tracing::warn!(run = record.run_id, "another process takes very long to close a run");
        return Ok(record);
    };
    let journal = match folder.take_over() {
        Ok(Some(journal)) => Some(journal),
        Ok(None) => {
            drop(closing);
            return farewell(folder, record);
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
        Err(error) => return Err(unclosed(folder, &error)),
    };
    // The owner may have ended between the two looks.
    let record = folder.read_record()?;
    if is_closed(&record) {
        return Ok(record);
    }
    let settled = close_abandoned(folder, journal.as_ref(), record);
    drop((journal, closing)); // Only now: nobody finds a journal without an owner beside an old record.
    settled
}

fn unclosed(folder: &RunFolder, error: &std::io::Error) -> HostError {
    HostError::storage(format!("cannot close {}", folder.events().display()), error)
}

/// An owner that lives has the run. When it has said `done` it is on its way out, and whoever has seen that is told
/// nothing else.
fn farewell(folder: &RunFolder, record: RunRecord) -> Result<RunRecord, HostError> {
    let begin = Instant::now();
    let last = folder.last_event().map_err(|error| unclosed(folder, &error))?;
    if !last.is_some_and(|last| last.is_done) {
        return Ok(record);
    }
    loop {
        let record = folder.read_record()?;
        if is_closed(&record) || begin.elapsed() >= FAREWELL {
            return Ok(record);
        }
        std::thread::sleep(LOOK);
    }
}

/// Closes a run that nobody owns. A disk that takes nothing more hides no run: its end is told all the same, and
/// written by whoever looks when there is room again.
fn close_abandoned(
    folder: &RunFolder,
    journal: Option<&File>,
    mut record: RunRecord,
) -> Result<RunRecord, HostError> {
    let end = find_end(folder, journal, &record).map_err(|error| unclosed(folder, &error))?;
    conclude(&mut record, &end.done, end.at);
    record.session_id = record.session_id.take().or(end.session_id);
    record.lacks_end = false;
    let unwritten = |error: &dyn std::fmt::Display| {
        tracing::warn!(run = record.run_id, %error, "the end of a run cannot be written");
    };
    remove(&folder.reserve()); // The room that was kept for this.
    if let (Some(journal), Some(missing)) = (journal, &end.missing)
        && let Err(error) = append(journal, end.whole_bytes, missing)
    {
        unwritten(&error);
        return Ok(record);
    }
    // Entered twice it counts once, so whoever dies before the record is written does no harm.
    usage::enter_now(folder, &record);
    match folder.write_record(&record) {
        Ok(()) => remove_traces(folder),
        Err(error) => unwritten(&error),
    }
    Ok(record)
}

/// The same beside everything else: a journal that must be closed may be long.
pub(crate) async fn settle_beside(folder: &RunFolder) -> Result<RunRecord, HostError> {
    let record = folder.read_record()?;
    if is_closed(&record) {
        return Ok(record);
    }
    let folder = folder.clone();
    let settling = tokio::task::spawn_blocking(move || settle(&folder));
    settling.await.unwrap_or_else(|error| {
        Err(HostError::protocol(ErrorKind::Internal, format!("cannot close a run: {error}")))
    })
}

/// Whether a run has no living owner any more; closes it if need be.
pub(crate) fn is_over(folder: &RunFolder) -> Result<bool, HostError> {
    settle(folder).map(|record| !record.status.is_alive())
}

/// Whether nothing is left to do for whoever looks at a run.
pub(crate) fn is_closed(record: &RunRecord) -> bool {
    !record.status.is_alive() && !record.lacks_end
}

/// When the run itself began: the time in the queue is no part of it.
pub(crate) fn begun(record: &RunRecord, now: u64) -> u64 {
    if record.status == RunStatus::Queued { now } else { record.started_at }
}

/// Writes the end of a run into its record.
pub(crate) fn conclude(record: &mut RunRecord, done: &Done, now: u64) {
    record.ended_at = Some(begun(record, now).saturating_add(done.duration_ms));
    record.status = done.status.into();
    record.error_kind = done.error_kind.clone();
    record.session_id = done.session_id.clone().or(record.session_id.take());
}

/// How a run ended that nobody owns.
struct End {
    done: Done,
    at: u64,
    session_id: Option<String>,
    /// The journal as far as it is whole.
    whole_bytes: u64,
    /// What the journal lacks behind that.
    missing: Option<Vec<u8>>,
}

/// Reads what a journal says, and makes up what it lacks.
fn find_end(
    folder: &RunFolder,
    journal: Option<&File>,
    record: &RunRecord,
) -> std::io::Result<End> {
    let mut state = StreamState::default();
    if let Some(journal) = journal {
        state.read(journal)?;
    }
    let whole_bytes = state.whole_bytes;
    let mut missing = held_back(folder, &mut state)?;
    let at = if state.last_ts > 0 { state.last_ts } else { now_ms() };
    let done = match state.done.take() {
        Some(done) => done,
        None => {
            let times = Times { started: begun(record, at), now: at };
            let closing = Closing {
                run_id: &record.run_id,
                verdict: &verdict(record),
                times,
                past: &usage::past(folder.home(), record),
            };
            let (lines, done) = closing_events(&state, &closing);
            missing.extend_from_slice(&lines);
            done
        }
    };
    let missing = (!missing.is_empty()).then_some(missing);
    Ok(End { done, at, session_id: state.session_id, whole_bytes, missing })
}

/// What the owner held back when it died; what had come into the journal already is left out.
fn held_back(folder: &RunFolder, state: &mut StreamState) -> std::io::Result<Vec<u8>> {
    let held = match std::fs::read(folder.held()) {
        Ok(held) => held,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut missing = Vec::new();
    for line in held.split_inclusive(|byte| *byte == b'\n') {
        let envelope = line.strip_suffix(b"\n").and_then(Envelope::read);
        if envelope.is_some_and(|envelope| envelope.seq == state.next_seq) {
            missing.extend_from_slice(line);
            state.read(line)?;
        }
    }
    Ok(missing)
}

/// Takes half a line back, appends what is missing, and brings it to the disk. What does not fit is taken back too.
fn append(mut journal: &File, whole_bytes: u64, missing: &[u8]) -> std::io::Result<()> {
    journal.set_len(whole_bytes)?;
    let written = journal.write_all(missing).and_then(|()| journal.sync_data());
    if written.is_err() {
        journal.set_len(whole_bytes)?;
    }
    written
}

/// Why the journal has no end.
fn verdict(record: &RunRecord) -> Verdict {
    let (kind, message) = if record.lacks_end {
        (JOURNAL_FAILED, "the run was stopped because its journal could not be written".to_owned())
    } else {
        (HOST_DIED, format!("the host process {} that owned the run is gone", record.host.pid))
    };
    Verdict::failed(
        ErrorObject::new(ErrorKind::from_wire(kind), message).with_hint(
            "start the run again; its session can be resumed where the agent supports it",
        ),
    )
}

/// Removes what only a living run needs.
pub(crate) fn remove_traces(folder: &RunFolder) {
    for path in [folder.reserve(), folder.control(), folder.held()] {
        remove(&path);
    }
}

fn remove(path: &Path) {
    if let Err(error) = std::fs::remove_file(path) {
        tracing::debug!(path = %path.display(), %error, "nothing to remove");
    }
}

#[cfg(all(test, unix))]
mod tests;
