//! One run through adapter, host and journal, read to its end by a client that counts events.

use std::time::{Duration, Instant};

use anyhow::bail;
use od_host::Host;
use od_host::journal::{EventReader, JournalEvent};
use od_protocol::DoneStatus;

use super::fake_cli::{Script, Text, clock_in, now_nanoseconds};
use super::raw_pipe::microseconds_between;
use super::stage::Stage;

/// The events that the client received.
#[derive(Debug, Default)]
pub(super) struct Tally {
    /// Pieces of text.
    pub(super) deltas: u64,
    /// From the first to the last of them.
    pub(super) span: Duration,
    /// The latency of each in microseconds; only for [`Text::Clock`].
    pub(super) latencies: Vec<f64>,
    reads_clock: bool,
    /// The number of gaps in the sequence.
    gaps: u64,
    /// Lines of the journal that are not events.
    damaged: u64,
    next_seq: u64,
    first_delta: Option<Instant>,
}

impl Tally {
    /// Counts one event.
    pub(super) fn count(&mut self, event: &JournalEvent<'_>) {
        self.gaps += u64::from(event.seq != self.next_seq);
        self.next_seq = event.seq + 1;
        if event.type_name != "text_delta" {
            return;
        }
        self.deltas += 1;
        self.first_delta.get_or_insert_with(Instant::now);
        if self.reads_clock
            && let Some(then) = clock_in(event.bytes)
        {
            self.latencies.push(microseconds_between(then, now_nanoseconds()));
        }
    }

    /// Counts all remaining events.
    pub(super) async fn drain(&mut self, reader: &mut EventReader) -> anyhow::Result<()> {
        while let Some(event) = reader.next().await? {
            let is_delta = event.type_name == "text_delta";
            self.count(&event);
            if !is_delta && self.span.is_zero() && self.deltas > 0 {
                self.span = self.first_delta.map_or(Duration::ZERO, |first| first.elapsed());
            }
        }
        self.damaged = reader.damaged_lines();
        Ok(())
    }

    /// Pieces of text per second.
    pub(super) fn per_second(&self) -> f64 {
        self.deltas as f64 / self.span.as_secs_f64()
    }

    /// Describes lost events; `None` when all arrived.
    pub(super) fn loss(&self, expected: u64) -> Option<String> {
        let is_complete = self.deltas == expected && self.gaps == 0 && self.damaged == 0;
        (!is_complete).then(|| {
            format!(
                "{} of {expected} events arrived, with {} gaps and {} damaged lines",
                self.deltas, self.gaps, self.damaged
            )
        })
    }
}

/// Runs a script and reads all its events.
pub(super) async fn play(stage: &Stage, host: &Host, script: &Script) -> anyhow::Result<Tally> {
    let run = stage.start(host, script).await?;
    let reads_clock = script.text == Text::Clock;
    let mut tally = Tally { reads_clock, ..Tally::default() };
    tally.drain(&mut run.events(0)?).await?;
    let done = run.wait().await;
    if done.status != DoneStatus::Completed {
        bail!(
            "the run ended as {}; its last events:\n{}",
            done.status,
            stage.last_events(run.id())
        );
    }
    stage.remove(run.id())?;
    Ok(tally)
}

/// Reads until the first output of the agent CLI.
pub(super) async fn until_session(reader: &mut EventReader) -> anyhow::Result<()> {
    until(reader, |event| event.type_name == "session_started").await
}

/// Reads until an event matches.
pub(super) async fn until(
    reader: &mut EventReader,
    mut matches: impl FnMut(&JournalEvent<'_>) -> bool,
) -> anyhow::Result<()> {
    while let Some(event) = reader.next().await? {
        if matches(&event) {
            return Ok(());
        }
    }
    bail!("the run ended too early")
}
