//! The places as tasks see them: a run takes a seat, waits until it is called, and gives it back by dropping it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use od_protocol::ErrorKind;
use od_protocol::api::QUEUE_FULL;
use tokio::sync::{oneshot, watch};
use tokio::time::{Instant, sleep_until};

use super::fair::{Entry, FairQueue, Limits, Standing, Ticket};
use crate::error::HostError;

/// All places. Clones share them.
#[derive(Debug, Clone)]
pub(crate) struct Room {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    state: Mutex<State>,
    /// Changes with every seat that is taken or given back.
    counts: watch::Sender<Counts>,
}

#[derive(Debug)]
struct State {
    queue: FairQueue,
    /// Those who wait, by run.
    waiting: HashMap<String, Waiting>,
    closed: bool,
}

#[derive(Debug)]
struct Waiting {
    ticket: Ticket,
    call: oneshot::Sender<Call>,
}

/// What ends the waiting.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Call {
    /// It has a place now.
    Admitted,
    /// Nobody is let in any more.
    Closed,
}

/// How full the room is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Counts {
    running: u32,
    queued: u32,
}

impl Room {
    /// An empty room.
    pub(crate) fn new(limits: Limits) -> Self {
        let queue = FairQueue::new(limits);
        let state = State { queue, waiting: HashMap::new(), closed: false };
        let counts = watch::Sender::new(Counts::default());
        Self { shared: Arc::new(Shared { state: Mutex::new(state), counts }) }
    }

    /// A seat for a run: with a place at once, or in the queue.
    ///
    /// # Errors
    /// `shutting_down` when the room is closed, `_od.queue_full` when no more may wait.
    pub(crate) fn enter(&self, mut ticket: Ticket) -> Result<Seat, HostError> {
        let mut state = self.state();
        if state.closed {
            return Err(closed());
        }
        let call = match state.queue.enter(&mut ticket) {
            Entry::Full => return Err(full(state.queue.limits())),
            Entry::Admitted => None,
            Entry::Waits => Some(state.await_call(&ticket)),
        };
        self.publish(&state);
        let changes = self.shared.counts.subscribe();
        Ok(Seat { room: self.clone(), ticket, call, changes })
    }

    /// Lets nobody in any more and sends away those who wait.
    pub(crate) fn close(&self) {
        let mut state = self.state();
        state.closed = true;
        for (_, waiting) in state.waiting.drain() {
            // Nobody listens when the run has been cancelled at this moment.
            drop(waiting.call.send(Call::Closed));
        }
    }

    /// Waits until nobody is there.
    pub(crate) async fn emptied(&self) {
        let mut counts = self.shared.counts.subscribe();
        // The sender lives as long as this room.
        drop(counts.wait_for(|counts| *counts == Counts::default()).await);
    }

    /// The place of a run in the queue, while it waits.
    pub(crate) fn position(&self, run_id: &str) -> Option<u32> {
        let state = self.state();
        let waiting = state.waiting.get(run_id)?;
        state.queue.standing(&waiting.ticket).map(|standing| standing.position)
    }

    fn give_back(&self, ticket: &Ticket) {
        let mut state = self.state();
        state.waiting.remove(&ticket.run_id);
        if !state.queue.leave(ticket) {
            let next = state.queue.end(&ticket.agent);
            state.call(next);
        }
        self.publish(&state);
    }

    fn publish(&self, state: &State) {
        let counts = Counts { running: state.queue.running(), queued: state.queue.queued() };
        self.shared.counts.send_replace(counts);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.shared.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Somebody waits from now on; in a closed room the call comes at once.
    fn await_call(&mut self, ticket: &Ticket) -> oneshot::Receiver<Call> {
        let (call, called) = oneshot::channel();
        if self.closed {
            drop(call.send(Call::Closed));
        } else {
            let waiting = Waiting { ticket: ticket.clone(), call };
            self.waiting.insert(ticket.run_id.clone(), waiting);
        }
        called
    }

    /// Calls the one who got a place.
    fn call(&mut self, next: Option<Ticket>) {
        if let Some(waiting) = next.and_then(|next| self.waiting.remove(&next.run_id)) {
            // Who leaves at this moment gives the place back next.
            drop(waiting.call.send(Call::Admitted));
        }
    }
}

/// A run's place, or its place in the queue. Dropping it lets the next one in.
#[derive(Debug)]
pub(crate) struct Seat {
    room: Room,
    ticket: Ticket,
    /// Present until the run is called.
    call: Option<oneshot::Receiver<Call>>,
    changes: watch::Receiver<Counts>,
}

/// What a waiting run hears.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum News {
    Called(Call),
    /// Somebody came or went.
    Changed,
}

impl Seat {
    /// The agent the run goes to.
    pub(super) fn agent(&self) -> &str {
        &self.ticket.agent
    }

    /// Whether a run that has a place may begin. When the room was closed while the run was being made, nobody could
    /// cancel it yet.
    pub(super) fn may_begin(&self) -> bool {
        !self.room.state().closed
    }

    /// The run goes to another agent: its place is given back, and it has one there or waits for it.
    pub(super) fn move_to(&mut self, agent: &str) {
        let mut state = self.room.state();
        let (entry, next) = state.queue.switch(&mut self.ticket, agent);
        self.call = (entry == Entry::Waits).then(|| state.await_call(&self.ticket));
        state.call(next);
        self.room.publish(&state);
    }

    /// How it stands; `None` when it does not wait.
    pub(crate) fn standing(&self) -> Option<Standing> {
        self.room.state().queue.standing(&self.ticket)
    }

    /// Waits for the call, or for a change that is heard no earlier than told.
    /// May be dropped while it waits without losing the call.
    pub(super) async fn news(&mut self, not_before: Instant) -> News {
        let Self { call, changes, .. } = self;
        let Some(called) = call else { return News::Called(Call::Admitted) };
        let changed = async {
            sleep_until(not_before).await;
            // The room lives as long as this seat.
            drop(changes.changed().await);
        };
        tokio::select! {
            biased;
            outcome = called => {
                *call = None;
                News::Called(outcome.unwrap_or(Call::Closed))
            }
            () = changed => News::Changed,
        }
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.room.give_back(&self.ticket);
    }
}

fn closed() -> HostError {
    HostError::protocol(ErrorKind::ShuttingDown, "the host is about to end and takes no more runs")
        .with_hint("start the host again: od-host serve")
}

fn full(limits: &Limits) -> HostError {
    let text = format!("{} runs wait already, and no more may", limits.queued);
    HostError::protocol(ErrorKind::from_wire(QUEUE_FULL), text).with_hint(
        "wait for a run to end, or raise maxRuns, maxRunsPerAgent or maxQueued under [limits] in settings.toml",
    )
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn who_has_a_place_but_has_not_begun_may_not_when_the_room_is_closed() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        runtime.expect("a runtime").block_on(async {
            let limits = Limits { runs: 2, runs_per_agent: 2, agents: BTreeMap::new(), queued: 0 };
            let room = Room::new(limits);
            let enter = |run_id: &str| {
                let ticket = Ticket::new(run_id.to_owned(), "x".to_owned(), "ann".to_owned());
                room.enter(ticket).expect("a place")
            };
            let mut seats = [enter("first"), enter("second")];
            for seat in &mut seats {
                assert_eq!(seat.news(Instant::now()).await, News::Called(Call::Admitted));
            }
            assert!(seats[0].may_begin());
            room.close();
            assert!(!seats[1].may_begin());
            drop(seats);
            room.emptied().await;
        });
    }
}
