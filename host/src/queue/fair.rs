//! Who may start next, as a value: no clock, no file, no task.
//!
//! Each client has a lane; lanes take turns. Inside a lane runs start in the order they came, except that a run
//! whose agent is at its limit lets the others pass. A lane that could not use its turn keeps it. A run that goes to
//! another agent came when it came: it is older than those of its lane that have not started yet.

use std::collections::{BTreeMap, VecDeque};

use crate::settings::Settings;

/// How many runs may go on or wait.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Limits {
    /// Runs that go on.
    pub(crate) runs: u32,
    /// Runs of one agent that go on.
    pub(crate) runs_per_agent: u32,
    /// The same for agents with a limit of their own.
    pub(crate) agents: BTreeMap<String, u32>,
    /// Runs that wait.
    pub(crate) queued: u32,
}

impl Limits {
    /// What the settings say.
    pub(crate) fn of(settings: &Settings) -> Self {
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

/// A run that wants a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Ticket {
    /// The run.
    pub(crate) run_id: String,
    /// The agent it goes to.
    pub(crate) agent: String,
    /// Whose lane it stands in.
    pub(crate) client: String,
    /// Later ones have higher numbers; given by the queue.
    number: u64,
}

impl Ticket {
    /// A ticket that has not been drawn yet.
    pub(crate) fn new(run_id: String, agent: String, client: String) -> Self {
        Self { run_id, agent, client, number: 0 }
    }
}

/// What became of a run that wanted a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Entry {
    /// It has one.
    Admitted,
    /// It stands in its lane.
    Waits,
    /// As many wait as may.
    Full,
}

/// Why a run waits, and how far it has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Standing {
    /// From 1, as if every agent had room.
    pub(crate) position: u32,
    /// What it waits for.
    pub(crate) obstacle: Obstacle,
}

/// What a run waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Obstacle {
    /// So many runs of its agent go on, and no more may.
    Agent(u32),
    /// So many runs go on, and no more may.
    Host(u32),
}

/// The queue and the runs that go on.
#[derive(Debug)]
pub(crate) struct FairQueue {
    limits: Limits,
    /// Runs that go on, by agent.
    running: BTreeMap<String, u32>,
    /// The one whose turn it is first; none is empty.
    lanes: VecDeque<Lane>,
    drawn: u64,
}

#[derive(Debug)]
struct Lane {
    client: String,
    tickets: VecDeque<Ticket>,
}

impl FairQueue {
    pub(crate) fn new(limits: Limits) -> Self {
        Self { limits, running: BTreeMap::new(), lanes: VecDeque::new(), drawn: 0 }
    }

    /// What it keeps to.
    pub(crate) fn limits(&self) -> &Limits {
        &self.limits
    }

    /// How many go on.
    pub(crate) fn running(&self) -> u32 {
        self.running.values().sum()
    }

    /// How many wait.
    pub(crate) fn queued(&self) -> u32 {
        let count: usize = self.lanes.iter().map(|lane| lane.tickets.len()).sum();
        u32::try_from(count).unwrap_or(u32::MAX)
    }

    /// A run wants a place. Whoever waits could not start now, so one that can passes nobody.
    pub(crate) fn enter(&mut self, ticket: &mut Ticket) -> Entry {
        self.drawn += 1;
        ticket.number = self.drawn;
        if self.has_room(&ticket.agent) {
            self.take_place(&ticket.agent);
            return Entry::Admitted;
        }
        if self.queued() >= self.limits.queued {
            return Entry::Full;
        }
        self.line_up(ticket);
        Entry::Waits
    }

    /// A run that goes on leaves its agent for another one: what becomes of it, and who is let in for it. With room
    /// there it keeps its place among all runs of the host; otherwise it gives both back and waits, however many
    /// wait already: nobody who has begun is sent away.
    pub(crate) fn switch(&mut self, ticket: &mut Ticket, agent: &str) -> (Entry, Option<Ticket>) {
        self.leave_place(&ticket.agent);
        agent.clone_into(&mut ticket.agent);
        let entry = if self.has_room(agent) {
            self.take_place(agent);
            Entry::Admitted
        } else {
            self.line_up(ticket);
            Entry::Waits
        };
        (entry, self.admit_next())
    }

    /// A run no longer waits. `false` means that it did not.
    pub(crate) fn leave(&mut self, ticket: &Ticket) -> bool {
        let Some((lane, index)) = self.find(ticket) else { return false };
        self.remove(lane, index);
        true
    }

    /// A run of an agent is over: the one that takes its place. One place lets in one run at most, because whoever
    /// waits had no room before.
    pub(crate) fn end(&mut self, agent: &str) -> Option<Ticket> {
        self.leave_place(agent);
        self.admit_next()
    }

    /// How a run stands that waits.
    pub(crate) fn standing(&self, ticket: &Ticket) -> Option<Standing> {
        let (lane, index) = self.find(ticket)?;
        // In the rounds before its own each lane lets one pass; in its own round those whose turn is earlier do.
        let ahead = self.lanes.iter().enumerate().map(|(other, Lane { tickets, .. })| {
            tickets.len().min(index + usize::from(other < lane))
        });
        let position = u32::try_from(ahead.sum::<usize>() + 1).unwrap_or(u32::MAX);
        let running = self.running_of(&ticket.agent);
        let obstacle = if running >= self.limits.of_agent(&ticket.agent) {
            Obstacle::Agent(running)
        } else {
            Obstacle::Host(self.running())
        };
        Some(Standing { position, obstacle })
    }

    fn admit_next(&mut self) -> Option<Ticket> {
        let (lane, index) =
            self.lanes.iter().enumerate().find_map(|(lane, Lane { tickets, .. })| {
                let index = tickets.iter().position(|ticket| self.has_room(&ticket.agent))?;
                Some((lane, index))
            })?;
        let ticket = self.remove(lane, index)?;
        self.take_place(&ticket.agent);
        // Its turn is used, if the lane is still there.
        if self.lanes.get(lane).is_some_and(|lane| lane.client == ticket.client)
            && let Some(used) = self.lanes.remove(lane)
        {
            self.lanes.push_back(used);
        }
        Some(ticket)
    }

    /// Numbers rise inside a lane.
    fn line_up(&mut self, ticket: &Ticket) {
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

    fn has_room(&self, agent: &str) -> bool {
        self.running() < self.limits.runs && self.running_of(agent) < self.limits.of_agent(agent)
    }

    fn running_of(&self, agent: &str) -> u32 {
        self.running.get(agent).copied().unwrap_or_default()
    }

    fn take_place(&mut self, agent: &str) {
        *self.running.entry(agent.to_owned()).or_default() += 1;
    }

    fn leave_place(&mut self, agent: &str) {
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
