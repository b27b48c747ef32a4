//! A run whose host died: its journal is closed by whoever looks at it next.

use std::fs::File;
use std::io::Write;

use od_protocol::{Done, ErrorKind, ErrorObject};

use super::repair::{Closing, HOST_DIED, JOURNAL_FAILED, Times, Verdict, closing_events};
use super::stream::StreamState;
use crate::error::HostError;
use crate::journal::envelope::Envelope;
use crate::journal::folder::RunFolder;
use crate::journal::{RunRecord, RunStatus};
use crate::run::now_ms;
use crate::usage;

/// The record of a run as it really stands: one that nobody owns any more is closed as failed.
pub(crate) fn settle(folder: &RunFolder) -> Result<RunRecord, HostError> {
    let record = folder.read_record()?;
    if is_closed(&record) {
        return Ok(record);
    }
    let failed = |error: std::io::Error| {
        HostError::storage(format!("cannot close {}", folder.events().display()), &error)
    };
    // Otherwise who looks while another one closes it would take that one for the owner.
    let _closing = folder.lock_for_closing().map_err(failed)?;
    let file = match folder.take_over() {
        Ok(Some(file)) => Some(file),
        Ok(None) => return Ok(record),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
        Err(error) => return Err(failed(error)),
    };
    // The owner may have ended between the two looks.
    let mut record = folder.read_record()?;
    if !is_closed(&record) {
        let (done, now) = close(folder, file, &record).map_err(failed)?;
        conclude(&mut record, &done, now);
        record.lacks_end = false;
        usage::enter_now(folder, &record);
        folder.write_record(&record)?;
        remove_traces(folder);
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

/// Takes half a line back, appends what is missing, and brings it to the disk.
fn close(
    folder: &RunFolder,
    file: Option<File>,
    record: &RunRecord,
) -> std::io::Result<(Done, u64)> {
    let mut state = StreamState::default();
    if let Some(file) = &file {
        state.read(file)?;
        file.set_len(state.whole_bytes)?;
        absorb_held(folder, file, &mut state)?;
    }
    let now = if state.last_ts > 0 { state.last_ts } else { now_ms() };
    if let Some(done) = state.done {
        return Ok((done, now));
    }
    let times = Times { started: begun(record, now), now };
    let closing = Closing {
        run_id: &record.run_id,
        verdict: &verdict(record),
        times,
        past: &usage::past(folder.home(), record),
    };
    let (lines, done) = closing_events(&state, &closing);
    if let Some(mut file) = file {
        file.write_all(&lines)?;
        file.sync_data()?;
    }
    Ok((done, now))
}

/// Takes over what the owner held back when it died; what had come into the journal already is left out.
fn absorb_held(
    folder: &RunFolder,
    mut file: &File,
    state: &mut StreamState,
) -> std::io::Result<()> {
    let held = match std::fs::read(folder.held()) {
        Ok(held) => held,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    for line in held.split_inclusive(|byte| *byte == b'\n') {
        let envelope = line.strip_suffix(b"\n").and_then(Envelope::read);
        if envelope.is_some_and(|envelope| envelope.seq == state.next_seq) {
            file.write_all(line)?;
            state.read(line)?;
        }
    }
    Ok(())
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
        if let Err(error) = std::fs::remove_file(&path) {
            tracing::debug!(path = %path.display(), %error, "nothing to remove");
        }
    }
}
