//! Which run starts next, as a value: no clock, no file, no task.
//!
//! Each client has a lane; lanes take turns. Inside a lane, runs start in the order of arrival, except that runs pass a
//! run whose agent is at its limit. A lane that cannot use its turn keeps it. A run that moves to another agent keeps
//! its arrival number, so it is ahead of the runs of its lane that have not started yet.

use std::collections::{BTreeMap, VecDeque};

use crate::settings::Settings;

/// How many runs may work or wait at the same time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueueLimits {
    /// Runs at the same time.
    pub runs: u32,
    /// Runs of one agent at the same time.
    pub runs_per_agent: u32,
    /// Runs at the same time for agents with their own limit.
    pub agents: BTreeMap<String, u32>,
    /// Runs that may wait.
    pub queued: u32,
}

impl QueueLimits {
    /// The limits in `settings.toml`.
    pub fn from_settings(settings: &Settings) -> Self {
        let own = settings.agents.iter().filter_map(|(id, agent)| {
            let limit = agent.max_runs?;
            Some((id.clone(), limit.get()))
        });
        Self {
            runs: settings.limits.max_runs.get(),
            runs_per_agent: settings.limits.max_runs_per_agent.get(),
            agents: own.collect(),
            queued: settings.limits.max_queued,
        }
    }

    fn of_agent(&self, agent: &str) -> u32 {
        self.agents.get(agent).copied().unwrap_or(self.runs_per_agent)
    }
}

/// A run that needs a slot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Ticket {
    pub(crate) run_id: String,
    pub(crate) agent: String,
    /// The client that owns its lane.
    pub(crate) client: String,
    /// The order of arrival, set by the queue.
    number: u64,
}

impl Ticket {
    /// A ticket without a number yet.
    pub(crate) fn new(run_id: String, agent: String, client: String) -> Self {
        Self { run_id, agent, client, number: 0 }
    }
}

/// How the queue received a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Entry {
    /// It has a slot.
    Admitted,
    /// It waits in its lane.
    Waits,
    /// No more runs may wait.
    Full,
}

/// The position of a waiting run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct QueuePosition {
    /// From 1, as if no agent were at its limit.
    pub(crate) number: u32,
    pub(crate) reason: WaitReason,
}

/// Why a run waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WaitReason {
    /// Its agent is at its limit, with this many runs.
    AgentLimit(u32),
    /// The host is at its limit, with this many runs.
    HostLimit(u32),
}

/// The queue and the number of running runs.
#[derive(Debug)]
pub(crate) struct FairQueue {
    limits: QueueLimits,
    /// Running runs by agent.
    running: BTreeMap<String, u32>,
    /// The lane whose turn it is comes first; no lane is empty.
    lanes: VecDeque<Lane>,
    arrivals: u64,
}

#[derive(Debug)]
struct Lane {
    client: String,
    tickets: VecDeque<Ticket>,
}

impl FairQueue {
    pub(crate) fn new(limits: QueueLimits) -> Self {
        Self { limits, running: BTreeMap::new(), lanes: VecDeque::new(), arrivals: 0 }
    }

    pub(crate) fn limits(&self) -> &QueueLimits {
        &self.limits
    }

    /// The number of running runs.
    pub(crate) fn running(&self) -> u32 {
        self.running.values().sum()
    }

    /// The number of waiting runs.
    pub(crate) fn queued(&self) -> u32 {
        let count: usize = self.lanes.iter().map(|lane| lane.tickets.len()).sum();
        u32::try_from(count).unwrap_or(u32::MAX)
    }

    /// Adds a run. No waiting run could start now, so one that is admitted at once passes none that could.
    pub(crate) fn enter(&mut self, ticket: &mut Ticket) -> Entry {
        self.arrivals += 1;
        ticket.number = self.arrivals;
        if self.has_free_slot(&ticket.agent) {
            self.take_slot(&ticket.agent);
            return Entry::Admitted;
        }
        if self.queued() >= self.limits.queued {
            return Entry::Full;
        }
        self.add_to_lane(ticket);
        Entry::Waits
    }

    /// Moves a running run to another agent; returns how it was received and which run is admitted instead. When the
    /// agent has a free slot, the run keeps its place in the host limit. Otherwise it frees both and waits, even in a
    /// full queue: a run that has started is never refused.
    pub(crate) fn switch(&mut self, ticket: &mut Ticket, agent: &str) -> (Entry, Option<Ticket>) {
        self.free_slot(&ticket.agent);
        agent.clone_into(&mut ticket.agent);
        let entry = if self.has_free_slot(agent) {
            self.take_slot(agent);
            Entry::Admitted
        } else {
            self.add_to_lane(ticket);
            Entry::Waits
        };
        (entry, self.admit_next())
    }

    /// Removes a waiting run. Returns `false` when it was not waiting.
    pub(crate) fn leave(&mut self, ticket: &Ticket) -> bool {
        let Some((lane, index)) = self.find(ticket) else { return false };
        self.remove(lane, index);
        true
    }

    /// Frees the slot of an agent and returns the run that is admitted instead. One slot admits at most one run,
    /// because no waiting run fitted before.
    pub(crate) fn end(&mut self, agent: &str) -> Option<Ticket> {
        self.free_slot(agent);
        self.admit_next()
    }

    /// The position of a waiting run.
    pub(crate) fn position(&self, ticket: &Ticket) -> Option<QueuePosition> {
        let (lane, index) = self.find(ticket)?;
        // Each lane starts one run per round before this one; in the same round the lanes with an earlier turn do.
        let ahead = self.lanes.iter().enumerate().map(|(other, Lane { tickets, .. })| {
            tickets.len().min(index + usize::from(other < lane))
        });
        let number = u32::try_from(ahead.sum::<usize>() + 1).unwrap_or(u32::MAX);
        let running = self.running_of(&ticket.agent);
        let reason = if running >= self.limits.of_agent(&ticket.agent) {
            WaitReason::AgentLimit(running)
        } else {
            WaitReason::HostLimit(self.running())
        };
        Some(QueuePosition { number, reason })
    }

    fn admit_next(&mut self) -> Option<Ticket> {
        let (lane, index) =
            self.lanes.iter().enumerate().find_map(|(lane, Lane { tickets, .. })| {
                let index = tickets.iter().position(|ticket| self.has_free_slot(&ticket.agent))?;
                Some((lane, index))
            })?;
        let ticket = self.remove(lane, index)?;
        self.take_slot(&ticket.agent);
        // The lane has used its turn, if it still exists.
        if self.lanes.get(lane).is_some_and(|lane| lane.client == ticket.client)
            && let Some(used) = self.lanes.remove(lane)
        {
            self.lanes.push_back(used);
        }
        Some(ticket)
    }

    /// Keeps the numbers inside a lane in ascending order.
    fn add_to_lane(&mut self, ticket: &Ticket) {
        match self.lanes.iter_mut().find(|lane| lane.client == ticket.client) {
            Some(Lane { tickets, .. }) => {
                let index = tickets.partition_point(|other| other.number < ticket.number);
                tickets.insert(index, ticket.clone());
            }
            None => self.lanes.push_back(Lane {
                client: ticket.client.clone(),
                tickets: VecDeque::from([ticket.clone()]),
            }),
        }
    }

    fn remove(&mut self, lane: usize, index: usize) -> Option<Ticket> {
        let tickets = &mut self.lanes.get_mut(lane)?.tickets;
        let ticket = tickets.remove(index);
        if tickets.is_empty() {
            self.lanes.remove(lane);
        }
        ticket
    }

    fn find(&self, ticket: &Ticket) -> Option<(usize, usize)> {
        let lane = self.lanes.iter().position(|lane| lane.client == ticket.client)?;
        let tickets = &self.lanes[lane].tickets;
        let index = tickets.binary_search_by_key(&ticket.number, |other| other.number).ok()?;
        Some((lane, index))
    }

    fn has_free_slot(&self, agent: &str) -> bool {
        self.running() < self.limits.runs && self.running_of(agent) < self.limits.of_agent(agent)
    }

    fn running_of(&self, agent: &str) -> u32 {
        self.running.get(agent).copied().unwrap_or_default()
    }

    fn take_slot(&mut self, agent: &str) {
        *self.running.entry(agent.to_owned()).or_default() += 1;
    }

    fn free_slot(&mut self, agent: &str) {
        if let Some(count) = self.running.get_mut(agent) {
            *count -= 1;
            if *count == 0 {
                self.running.remove(agent);
            }
        }
    }
}

#[cfg(test)]
mod tests;
