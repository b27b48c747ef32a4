//! Closes the journal of a run whose host died. The next process that reads the run does it.

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use od_protocol::{Done, ErrorKind, ErrorObject};

use super::outcome::{HOST_DIED, JOURNAL_FAILED, RunOutcome};
use super::repair::{Closing, Times, closing_events};
use super::stream::StreamState;
use crate::clock::now_ms;
use crate::error::HostError;
use crate::journal::envelope::Envelope;
use crate::journal::folder::RunFolder;
use crate::journal::{RunRecord, settle_in_background};
use crate::usage;

/// How long another process may take to close a run.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(10);
/// How long an owner may take to exit after `done`.
const OWNER_EXIT_TIMEOUT: Duration = Duration::from_secs(5);
const POLL_INTERVAL: Duration = Duration::from_millis(10);

/// Returns the current record of a run; closes a run without a living owner as failed. May block: another process may
/// be closing the run at the same time.
pub(crate) fn settle(folder: &RunFolder) -> Result<RunRecord, HostError> {
    settle_within(folder, CLOSE_TIMEOUT)
}

fn settle_within(folder: &RunFolder, timeout: Duration) -> Result<RunRecord, HostError> {
    let record = folder.read_record()?;
    if record.is_closed() {
        return Ok(record);
    }
    // Without the lock, a process that closes the run would look like its owner.
    let closing = folder.lock_for_closing(timeout).map_err(|error| cannot_close(folder, &error))?;
    let Some(closing) = closing else {
        tracing::warn!(run = record.run_id, "another process takes too long to close a run");
        return Ok(record);
    };
    let journal = match folder.take_over() {
        Ok(Some(journal)) => Some(journal),
        Ok(None) => {
            drop(closing);
            return wait_for_owner(folder, record);
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
        Err(error) => return Err(cannot_close(folder, &error)),
    };
    // The owner may have ended between the two reads.
    let record = folder.read_record()?;
    if record.is_closed() {
        return Ok(record);
    }
    let settled = close_abandoned(folder, journal.as_ref(), record);
    drop((journal, closing)); // Only now: no reader may find a journal without an owner beside an old record.
    settled
}

fn cannot_close(folder: &RunFolder, error: &std::io::Error) -> HostError {
    HostError::file("close", &folder.events(), error)
}

/// The run has a living owner. After `done`, waits for the owner's last record: a client that has read `done` must not
/// get an older status.
fn wait_for_owner(folder: &RunFolder, record: RunRecord) -> Result<RunRecord, HostError> {
    let begin = Instant::now();
    let last = folder.last_event().map_err(|error| cannot_close(folder, &error))?;
    if !last.is_some_and(|last| last.is_done) {
        return Ok(record);
    }
    loop {
        let record = folder.read_record()?;
        if record.is_closed() || begin.elapsed() >= OWNER_EXIT_TIMEOUT {
            return Ok(record);
        }
        std::thread::sleep(POLL_INTERVAL);
    }
}

/// Closes a run without an owner. On a full disk the end is returned but not written; a later reader writes it.
fn close_abandoned(
    folder: &RunFolder,
    journal: Option<&File>,
    mut record: RunRecord,
) -> Result<RunRecord, HostError> {
    let end = find_end(folder, journal, &record).map_err(|error| cannot_close(folder, &error))?;
    record.set_end(&end.done, end.at);
    record.session_id = record.session_id.take().or(end.session_id);
    record.lacks_end = false;
    let unwritten = |error: &dyn std::fmt::Display| {
        tracing::warn!(run = record.run_id, %error, "cannot write the end of a run");
    };
    remove(&folder.reserve()); // Frees the disk space that is reserved for this.
    if let (Some(journal), Some(missing)) = (journal, &end.missing)
        && let Err(error) = append(journal, end.whole_bytes, missing)
    {
        unwritten(&error);
        return Ok(record);
    }
    // The ledger counts a run once, so a crash before the record is written does no harm.
    usage::record_run_blocking(folder, &record);
    match folder.write_record(&record) {
        Ok(()) => remove_runtime_files(folder),
        Err(error) => unwritten(&error),
    }
    Ok(record)
}

/// As [`settle`], on a thread that may block.
pub(crate) async fn settle_async(folder: &RunFolder) -> Result<RunRecord, HostError> {
    settle_in_background(folder, settle).await
}

/// Whether a run has ended; closes one whose owner died.
pub(crate) fn has_ended(folder: &RunFolder) -> Result<bool, HostError> {
    settle(folder).map(|record| !record.status.is_alive())
}

/// How a run without an owner ended.
struct End {
    done: Done,
    at: u64,
    session_id: Option<String>,
    /// The length of the whole events.
    whole_bytes: u64,
    /// The events to append after that.
    missing: Option<Vec<u8>>,
}

/// Reads a journal and composes the events it lacks.
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
    let mut missing = buffered_events(folder, &mut state)?;
    let at = if state.last_ts > 0 { state.last_ts } else { now_ms() };
    let done = match state.done.take() {
        Some(done) => done,
        None => {
            let times = Times { started: record.run_started_at(at), now: at };
            let closing = Closing {
                run_id: &record.run_id,
                outcome: &outcome(record),
                times,
                prior: &usage::prior_usage(folder.home(), record),
            };
            let (lines, done) = closing_events(&state, &closing);
            missing.extend_from_slice(&lines);
            done
        }
    };
    let missing = (!missing.is_empty()).then_some(missing);
    Ok(End { done, at, session_id: state.session_id, whole_bytes, missing })
}

/// The events that the owner had buffered when it died, without those that are in the journal.
fn buffered_events(folder: &RunFolder, state: &mut StreamState) -> std::io::Result<Vec<u8>> {
    let buffered = match std::fs::read(folder.buffer_file()) {
        Ok(buffered) => buffered,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut missing = Vec::new();
    for line in buffered.split_inclusive(|byte| *byte == b'\n') {
        let envelope = line.strip_suffix(b"\n").and_then(Envelope::read);
        if envelope.is_some_and(|envelope| envelope.seq == state.next_seq) {
            missing.extend_from_slice(line);
            state.read(line)?;
        }
    }
    Ok(missing)
}

/// Removes a partial line, appends the missing events and syncs. Restores the length when they do not fit.
fn append(mut journal: &File, whole_bytes: u64, missing: &[u8]) -> std::io::Result<()> {
    journal.set_len(whole_bytes)?;
    let written = journal.write_all(missing).and_then(|()| journal.sync_data());
    if written.is_err() {
        journal.set_len(whole_bytes)?;
    }
    written
}

/// Why the journal has no end.
fn outcome(record: &RunRecord) -> RunOutcome {
    let (kind, message) = if record.lacks_end {
        (JOURNAL_FAILED, "the run was stopped because its journal could not be written".to_owned())
    } else {
        (HOST_DIED, format!("the host process {} that owned the run has exited", record.host.pid))
    };
    RunOutcome::failed(
        ErrorObject::new(ErrorKind::from_wire(kind), message).with_hint(
            "start the run again; its session can be resumed where the agent supports it",
        ),
    )
}

/// Removes the files that only a live run needs.
pub(crate) fn remove_runtime_files(folder: &RunFolder) {
    for path in [folder.reserve(), folder.control(), folder.buffer_file()] {
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
