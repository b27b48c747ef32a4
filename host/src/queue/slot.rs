//! The queue as tasks use it: a run takes a slot, waits until it is admitted, and frees the slot by dropping it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use od_protocol::api::QUEUE_FULL;
use od_protocol::{ErrorKind, Event};
use tokio::sync::{oneshot, watch};
use tokio::time::{Instant, sleep_until};

use super::fair::{Entry, FairQueue, QueueLimits, QueuePosition, Ticket};
use super::status;
use crate::clock::sleep_until_deadline;
use crate::error::HostError;
use crate::sync::lock;

/// A waiting run reports its position at most this often.
const REPORT_INTERVAL: Duration = Duration::from_secs(1);

/// Limits how many runs work at the same time; the rest wait in a fair order. Clones share it.
///
/// See [`Host::start_queued`](crate::Host::start_queued).
#[derive(Debug, Clone)]
pub struct RunQueue {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    state: Mutex<State>,
    /// Changes with every slot that is taken, admitted or freed.
    counts: watch::Sender<Counts>,
}

#[derive(Debug)]
struct State {
    queue: FairQueue,
    /// The waiting runs by id.
    waiting: HashMap<String, Waiting>,
    is_closed: bool,
}

#[derive(Debug)]
struct Waiting {
    ticket: Ticket,
    signal: oneshot::Sender<Signal>,
}

/// What ends the wait of a run.
#[derive(Debug, PartialEq, Eq)]
enum Signal {
    Admitted,
    Closed,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Counts {
    running: u32,
    queued: u32,
}

impl RunQueue {
    /// An empty queue.
    pub fn new(limits: QueueLimits) -> Self {
        let queue = FairQueue::new(limits);
        let state = State { queue, waiting: HashMap::new(), is_closed: false };
        let counts = watch::Sender::new(Counts::default());
        Self { shared: Arc::new(Shared { state: Mutex::new(state), counts }) }
    }

    /// Takes a slot: admitted at once, or waiting in the queue.
    ///
    /// # Errors
    /// `shutting_down` when the queue is closed, `_od.queue_full` when no more runs may wait.
    pub(crate) fn enter(&self, mut ticket: Ticket) -> Result<QueueSlot, HostError> {
        let mut state = self.state();
        if state.is_closed {
            return Err(closed());
        }
        let signal = match state.queue.enter(&mut ticket) {
            Entry::Full => return Err(full(state.queue.limits())),
            Entry::Admitted => None,
            Entry::Waits => Some(state.add_waiting(&ticket)),
        };
        self.publish(&state);
        let changes = self.shared.counts.subscribe();
        Ok(QueueSlot { queue: self.clone(), ticket, signal, changes })
    }

    /// Admits no more runs and cancels the waiting ones.
    pub fn close(&self) {
        let mut state = self.state();
        state.is_closed = true;
        for (_, waiting) in state.waiting.drain() {
            // The receiver is gone when the run was cancelled at the same time.
            drop(waiting.signal.send(Signal::Closed));
        }
    }

    /// Waits until no run holds or waits for a slot.
    pub(crate) async fn wait_until_empty(&self) {
        let mut counts = self.shared.counts.subscribe();
        // The sender lives as long as this queue.
        drop(counts.wait_for(|counts| *counts == Counts::default()).await);
    }

    /// The position of a waiting run, from 1; `None` when it does not wait.
    pub fn position(&self, run_id: &str) -> Option<u32> {
        let state = self.state();
        let waiting = state.waiting.get(run_id)?;
        state.queue.position(&waiting.ticket).map(|position| position.number)
    }

    fn free(&self, ticket: &Ticket) {
        let mut state = self.state();
        state.waiting.remove(&ticket.run_id);
        if !state.queue.leave(ticket) {
            let next = state.queue.end(&ticket.agent);
            state.admit(next);
        }
        self.publish(&state);
    }

    fn publish(&self, state: &State) {
        let counts = Counts { running: state.queue.running(), queued: state.queue.queued() };
        self.shared.counts.send_replace(counts);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.shared.state)
    }
}

impl State {
    /// Adds a waiting run; in a closed queue its wait ends at once.
    fn add_waiting(&mut self, ticket: &Ticket) -> oneshot::Receiver<Signal> {
        let (signal, receiver) = oneshot::channel();
        if self.is_closed {
            drop(signal.send(Signal::Closed));
        } else {
            let waiting = Waiting { ticket: ticket.clone(), signal };
            self.waiting.insert(ticket.run_id.clone(), waiting);
        }
        receiver
    }

    fn admit(&mut self, next: Option<Ticket>) {
        if let Some(waiting) = next.and_then(|next| self.waiting.remove(&next.run_id)) {
            // A run that is cancelled at the same time frees its slot next.
            drop(waiting.signal.send(Signal::Admitted));
        }
    }
}

/// The slot of one run, admitted or still waiting. Dropping it admits the next run.
#[derive(Debug)]
pub(crate) struct QueueSlot {
    queue: RunQueue,
    ticket: Ticket,
    /// Present while the run waits.
    signal: Option<oneshot::Receiver<Signal>>,
    changes: watch::Receiver<Counts>,
}

/// How a run was admitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Admission {
    Immediate,
    AfterWait,
}

/// Why a run was not admitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum QueueError {
    /// The queue was closed.
    Closed,
    /// The run waited longer than this limit.
    TimedOut(Duration),
}

impl QueueSlot {
    /// Waits until the run is admitted; emits `status` events about its position. May be dropped while it waits
    /// without losing the admission.
    pub(crate) async fn wait(
        &mut self,
        limit: Option<Duration>,
        emit: impl Fn(Event),
    ) -> Result<Admission, QueueError> {
        let deadline = limit.and_then(|limit| Instant::now().checked_add(limit));
        let mut reported = None;
        loop {
            if let Some(position) = self.position()
                && reported.is_none_or(|reported| status::must_report(reported, position.number))
            {
                emit(status::queued(position, &self.ticket.agent));
                reported = Some(position.number);
            }
            let Some(receiver) = &mut self.signal else { return Ok(Admission::Immediate) };
            let signal = tokio::select! {
                biased;
                signal = receiver => signal.unwrap_or(Signal::Closed),
                () = change_after(&mut self.changes, REPORT_INTERVAL) => continue,
                () = sleep_until_deadline(deadline) => {
                    return Err(QueueError::TimedOut(limit.unwrap_or_default()));
                }
            };
            self.signal = None;
            if signal == Signal::Closed {
                return Err(QueueError::Closed);
            }
            if reported.is_some() {
                emit(status::starting());
            }
            return Ok(Admission::AfterWait);
        }
    }

    /// Whether an admitted run may still start: a queue that was closed in the meantime could not cancel it.
    pub(crate) fn may_start(&self) -> bool {
        !self.queue.state().is_closed
    }

    /// Moves the run to another agent: frees its slot there and takes one here, or waits for one.
    pub(crate) fn move_to(&mut self, agent: &str) {
        let mut state = self.queue.state();
        let (entry, next) = state.queue.switch(&mut self.ticket, agent);
        self.signal = (entry == Entry::Waits).then(|| state.add_waiting(&self.ticket));
        state.admit(next);
        self.queue.publish(&state);
    }

    fn position(&self) -> Option<QueuePosition> {
        self.queue.state().queue.position(&self.ticket)
    }
}

impl Drop for QueueSlot {
    fn drop(&mut self) {
        self.queue.free(&self.ticket);
    }
}

/// Waits for a change, but not less than this time.
async fn change_after(changes: &mut watch::Receiver<Counts>, pause: Duration) {
    sleep_until(Instant::now() + pause).await;
    // The queue lives as long as the slot.
    drop(changes.changed().await);
}

fn closed() -> HostError {
    HostError::protocol(
        ErrorKind::ShuttingDown,
        "the host is shutting down and starts no more runs",
    )
    .with_hint("start the host again: od-host serve")
}

fn full(limits: &QueueLimits) -> HostError {
    let text = format!("the queue is full: {} runs are waiting", limits.queued);
    HostError::protocol(ErrorKind::from_wire(QUEUE_FULL), text).with_hint(
        "wait for a run to end, or raise maxRuns, maxRunsPerAgent or maxQueued under [limits] in settings.toml",
    )
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::sync::block_on;

    #[test]
    fn admitted_slot_in_closed_queue_may_not_start() {
        block_on(async {
            let agents = BTreeMap::new();
            let queue =
                RunQueue::new(QueueLimits { runs: 2, runs_per_agent: 2, agents, queued: 0 });
            let enter = |run_id: &str| {
                let ticket = Ticket::new(run_id.to_owned(), "x".to_owned(), "ann".to_owned());
                queue.enter(ticket).expect("a slot")
            };
            let mut slots = [enter("first"), enter("second")];
            for slot in &mut slots {
                assert_eq!(slot.wait(None, |_| {}).await, Ok(Admission::Immediate));
            }
            assert!(slots[0].may_start());
            queue.close();
            assert!(!slots[1].may_start());
            drop(slots);
            queue.wait_until_empty().await;
        });
    }
}
