//! Amounts of output that fit the speed of the adapter, and waits that end only when nothing arrives
//! any more. Contains no check.

use std::time::{Duration, Instant};

use super::expectations::answer_of;
use crate::adapter_client::{AdapterClient, RunRecord};
use crate::context::CheckContext;
use crate::outcome::Finding;
use crate::prepared_run::RUN_TIMEOUT;

/// How many pieces the measured answer has.
const MEASURED_PIECES: usize = 200;
/// How long all events of a check may take.
const TOTAL_TIME: Duration = Duration::from_secs(4);
/// How long nothing may arrive.
const MAX_SILENCE: Duration = Duration::from_secs(20);
/// The pause between two looks at the progress.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// Returns how many events a check may use: `most`, or what a slow adapter emits in some seconds.
///
/// # Errors
/// A failure if the measured run does not end.
pub(super) fn events_for(context: &mut CheckContext, most: usize) -> Result<usize, Finding> {
    if most <= MEASURED_PIECES {
        return Ok(most);
    }
    let nonce = context.nonce();
    let pieces = (0..MEASURED_PIECES).map(|number| format!("{nonce} {number}, ")).collect();
    let prepared = answer_of(context, "text", pieces)?;
    let mut adapter = context.launch()?;
    let started_at = Instant::now();
    adapter.begin(&prepared)?;
    finish_while_progressing(&mut adapter, prepared.run_id())?;
    let per_event = started_at.elapsed().as_secs_f64() / MEASURED_PIECES as f64;
    let budget = context.limit(TOTAL_TIME).as_secs_f64();
    let possible = Duration::from_secs_f64(budget / per_event.max(1e-6)).as_secs();
    Ok(usize::try_from(possible).unwrap_or(most).clamp(MEASURED_PIECES, most))
}

/// Reads events until the condition holds; `false` if no event of the run arrives for a long time.
pub(super) fn wait_while_progressing(
    adapter: &mut AdapterClient,
    run_id: &str,
    mut is_done: impl FnMut(&mut AdapterClient) -> bool,
) -> bool {
    let silence = adapter.limit(MAX_SILENCE);
    let (mut seen, mut progress_at) = (0, Instant::now());
    loop {
        adapter.listen(POLL_INTERVAL);
        if is_done(adapter) {
            return true;
        }
        let events = adapter.inbox.runs.get(run_id).map_or(0, |run| run.events.len());
        if events > seen {
            (seen, progress_at) = (events, Instant::now());
        }
        if progress_at.elapsed() > silence || adapter.is_stdout_closed() {
            return false;
        }
    }
}

/// Waits for the end of a run as long as its events arrive.
///
/// # Errors
/// As [`AdapterClient::finish`].
pub(super) fn finish_while_progressing(
    adapter: &mut AdapterClient,
    run_id: &str,
) -> Result<RunRecord, Finding> {
    let is_finished = |adapter: &mut AdapterClient| {
        adapter.inbox.runs.get(run_id).is_some_and(|run| run.finished)
    };
    wait_while_progressing(adapter, run_id, is_finished);
    adapter.finish(run_id, RUN_TIMEOUT)
}
