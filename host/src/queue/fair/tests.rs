//! The rules of the queue: examples and property tests.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;

fn limits(runs: u32, runs_per_agent: u32, queued: u32) -> QueueLimits {
    QueueLimits { runs, runs_per_agent, agents: BTreeMap::new(), queued }
}

fn ticket(run_id: &str, client: &str, agent: &str) -> Ticket {
    Ticket::new(run_id.to_owned(), agent.to_owned(), client.to_owned())
}

/// A queue with these runs in it: (run, client, agent).
fn filled(limits: QueueLimits, runs: &[(&str, &str, &str)]) -> (FairQueue, Vec<Ticket>) {
    let mut queue = FairQueue::new(limits);
    let mut tickets: Vec<Ticket> =
        runs.iter().map(|(run, client, agent)| ticket(run, client, agent)).collect();
    for ticket in &mut tickets {
        assert_ne!(queue.enter(ticket), Entry::Full);
    }
    (queue, tickets)
}

/// Ends runs of the only agent until none waits; returns the order of admission.
fn order(queue: &mut FairQueue) -> Vec<String> {
    std::iter::from_fn(|| queue.end("a").map(|ticket| ticket.run_id)).collect()
}

#[test]
fn clients_take_turns_and_keep_own_order() {
    let runs = [
        ("0", "ann", "a"),
        ("1", "ann", "a"),
        ("2", "ann", "a"),
        ("3", "ann", "a"),
        ("4", "bob", "a"),
        ("5", "cyd", "a"),
        ("6", "bob", "a"),
    ];
    let (mut queue, tickets) = filled(limits(1, 9, 9), &runs);
    let positions: Vec<Option<u32>> = tickets
        .iter()
        .map(|ticket| queue.position(ticket).map(|position| position.number))
        .collect();
    assert_eq!(positions, [None, Some(1), Some(4), Some(6), Some(2), Some(3), Some(5)]);
    assert_eq!(order(&mut queue), ["1", "4", "5", "2", "6", "3"]);
}

#[test]
fn runs_pass_agent_at_limit() {
    let runs = [("0", "ann", "a"), ("1", "ann", "a"), ("2", "ann", "b")];
    let (mut queue, tickets) = filled(limits(9, 1, 9), &runs);
    assert_eq!((queue.running(), queue.queued()), (2, 1), "b does not wait for a");
    let position = queue.position(&tickets[1]);
    assert_eq!(position, Some(QueuePosition { number: 1, reason: WaitReason::AgentLimit(1) }));
    assert_eq!(queue.end("b"), None);
    assert_eq!(queue.end("a").map(|ticket| ticket.run_id), Some("1".to_owned()));
}

#[test]
fn lane_keeps_turn_it_cannot_use() {
    let runs = [
        ("0", "ann", "a"),
        ("1", "ann", "b"),
        ("2", "ann", "a"),
        ("3", "bob", "b"),
        ("4", "bob", "a"),
    ];
    let (mut queue, tickets) = filled(limits(2, 1, 9), &runs);
    let position = queue.position(&tickets[3]);
    assert_eq!(position, Some(QueuePosition { number: 2, reason: WaitReason::AgentLimit(1) }));
    // ann is first but has no run for b.
    assert_eq!(queue.end("b").map(|ticket| ticket.run_id), Some("3".to_owned()));
    assert_eq!(queue.end("a").map(|ticket| ticket.run_id), Some("2".to_owned()));
}

#[test]
fn queue_is_full_until_run_leaves() {
    let (mut queue, tickets) = filled(limits(1, 1, 1), &[("0", "ann", "a"), ("1", "ann", "a")]);
    let mut late = ticket("2", "bob", "a");
    assert_eq!(queue.enter(&mut late), Entry::Full);
    assert!(queue.leave(&tickets[1]) && !queue.leave(&tickets[1]));
    assert!(!queue.leave(&tickets[0]), "it does not wait");
    assert_eq!(queue.enter(&mut late), Entry::Waits);
    assert_eq!(order(&mut queue), ["2"]);
}

#[test]
fn agent_may_have_own_limit() {
    let mut limits = limits(9, 1, 9);
    limits.agents.insert("a".to_owned(), 2);
    let (queue, _) =
        filled(limits, &[("0", "ann", "a"), ("1", "ann", "a"), ("2", "ann", "b"), ("3", "c", "b")]);
    assert_eq!((queue.running(), queue.queued()), (3, 1));
}

#[test]
fn busy_client_does_not_block_others() {
    let mut queue = FairQueue::new(limits(1, 1, 1000));
    let enter = |queue: &mut FairQueue, run: &str, client: &str| {
        assert_ne!(queue.enter(&mut ticket(run, client, "a")), Entry::Full);
    };
    for index in 0..500 {
        enter(&mut queue, &format!("busy {index}"), "busy");
    }
    enter(&mut queue, "other", "other");
    let first_two: Vec<String> =
        (0..2).filter_map(|_| queue.end("a")).map(|ticket| ticket.run_id).collect();
    assert_eq!(first_two[1], "other");
}

#[test]
fn moved_run_is_first_of_its_lane() {
    let runs = [("0", "ann", "a"), ("1", "ann", "b"), ("2", "ann", "b"), ("3", "bob", "b")];
    let (mut queue, mut tickets) = filled(limits(9, 1, 2), &runs);
    let (entry, next) = queue.switch(&mut tickets[0], "b");
    assert_eq!((entry, next), (Entry::Waits, None), "however many wait already");
    let positions: Vec<u32> = [0, 2, 3]
        .iter()
        .filter_map(|index| queue.position(&tickets[*index]))
        .map(|position| position.number)
        .collect();
    assert_eq!(positions, [1, 3, 2], "clients still take turns");
    assert_eq!(queue.enter(&mut ticket("4", "cyd", "a")), Entry::Admitted, "its place is free");
    let order: Vec<String> =
        std::iter::from_fn(|| queue.end("b").map(|ticket| ticket.run_id)).collect();
    assert_eq!(order, ["0", "3", "2"]);
}

#[test]
fn move_to_free_agent_admits_next_run() {
    let full = [("0", "ann", "a"), ("1", "bob", "c")];
    let (mut queue, mut tickets) = filled(limits(1, 1, 9), &full);
    assert_eq!(queue.switch(&mut tickets[0], "b"), (Entry::Admitted, None));
    assert_eq!((queue.running(), queue.queued()), (1, 1));
    assert_eq!(queue.end("b").map(|ticket| ticket.run_id), Some("1".to_owned()));

    let (mut queue, mut tickets) = filled(limits(9, 1, 9), &[("0", "ann", "a"), ("1", "bob", "a")]);
    let (entry, next) = queue.switch(&mut tickets[0], "b");
    assert_eq!((entry, next), (Entry::Admitted, Some(tickets[1].clone())));
}

#[derive(Debug, Clone)]
enum Step {
    Enter { client: u8, agent: u8 },
    Switch { run: prop::sample::Index, agent: u8 },
    Leave(prop::sample::Index),
    End(prop::sample::Index),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (0..4_u8, 0..3_u8).prop_map(|(client, agent)| Step::Enter { client, agent }),
        2 => (any::<prop::sample::Index>(), 0..3_u8)
            .prop_map(|(run, agent)| Step::Switch { run, agent }),
        1 => any::<prop::sample::Index>().prop_map(Step::Leave),
        3 => any::<prop::sample::Index>().prop_map(Step::End),
    ]
}

/// The queue, and a simple model of its expected state.
struct Model {
    queue: FairQueue,
    waiting: Vec<Ticket>,
    running: Vec<Ticket>,
}

impl Model {
    fn apply(&mut self, number: usize, step: &Step) {
        match step {
            Step::Enter { client, agent } => {
                let mut new = ticket(&number.to_string(), &client.to_string(), &agent.to_string());
                match self.queue.enter(&mut new) {
                    Entry::Admitted => self.running.push(new),
                    Entry::Waits => self.waiting.push(new),
                    Entry::Full => assert!(self.waiting.len() >= 12),
                }
            }
            Step::Switch { run, agent } if !self.running.is_empty() => {
                let mut moved = self.running.remove(run.index(self.running.len()));
                let (entry, next) = self.queue.switch(&mut moved, &agent.to_string());
                match entry {
                    Entry::Admitted => self.running.push(moved),
                    _ => self.waiting.push(moved),
                }
                self.admitted(next);
            }
            Step::Leave(index) if !self.waiting.is_empty() => {
                let left = self.waiting.remove(index.index(self.waiting.len()));
                assert!(self.queue.leave(&left));
            }
            Step::End(index) if !self.running.is_empty() => {
                let ended = self.running.remove(index.index(self.running.len()));
                self.end(&ended.agent);
            }
            _ => {}
        }
    }

    fn end(&mut self, agent: &str) {
        let next = self.queue.end(agent);
        self.admitted(next);
    }

    /// Checks that the admitted run is the oldest of its lane and agent.
    fn admitted(&mut self, next: Option<Ticket>) {
        let Some(next) = next else { return };
        self.waiting.sort_by_key(|ticket| ticket.number);
        let same = |other: &Ticket| other.client == next.client && other.agent == next.agent;
        let oldest = self.waiting.iter().position(same).expect("it waited");
        assert_eq!(self.waiting.remove(oldest), next, "the order of a lane");
        self.running.push(next);
    }

    fn check(&self) {
        let of = |agent: &str| self.running.iter().filter(|run| run.agent == agent).count();
        assert!(self.running.len() <= 4, "the limit of the host");
        for (agent, limit) in [("0", 2), ("1", 2), ("2", 3)] {
            assert!(of(agent) <= limit, "the limit of {agent}");
            let idle = self.running.len() < 4 && of(agent) < limit;
            let waits = self.waiting.iter().any(|run| run.agent == agent);
            assert!(!(idle && waits), "a slot of {agent} is free and a run waits for it");
        }
        assert_eq!(self.queue.running() as usize, self.running.len());
        assert_eq!(self.queue.queued() as usize, self.waiting.len());
        let position = |ticket| self.queue.position(ticket).map(|position| position.number);
        let mut positions: Vec<Option<u32>> = self.waiting.iter().map(position).collect();
        positions.sort_unstable();
        let expected: Vec<Option<u32>> = (1..).take(self.waiting.len()).map(Some).collect();
        assert_eq!(positions, expected, "each position once");
    }
}

proptest! {
    #[test]
    fn limits_hold_and_every_run_is_admitted(
        steps in prop::collection::vec(step(), 1..120)
    ) {
        let mut limits = limits(4, 2, 12);
        limits.agents.insert("2".to_owned(), 3);
        let queue = FairQueue::new(limits);
        let mut model = Model { queue, waiting: Vec::new(), running: Vec::new() };
        for (number, step) in steps.iter().enumerate() {
            model.apply(number, step);
            model.check();
        }
        // Each end admits a run while one waits for that slot, so every run is admitted.
        let ends = model.waiting.len() + model.running.len();
        for _ in 0..ends {
            let ended = model.running.remove(0);
            model.end(&ended.agent);
            model.check();
        }
        prop_assert!(model.waiting.is_empty() && model.running.is_empty());
    }
}
