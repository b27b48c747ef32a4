//! From the events of a run to what each attempt used of each model: counters become differences,
//! and nothing is counted twice. Pure: no clock, no file.

use od_protocol::{
    Credential, DoneStatus, Event, SessionMode, SessionStarted, Usage, UsageScope, UsageSource,
};

use super::spent::Spent;

/// What an attempt used of one model.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Share {
    /// `None` means that the events do not say.
    pub(super) model: Option<String>,
    pub(super) spent: Spent,
    pub(super) source: UsageSource,
}

/// One attempt of a run: from its `run_started` to the next one, or to `done`.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Attempt {
    /// `None` means the agent the run was started with.
    pub(super) agent: Option<String>,
    pub(super) credential: Option<Credential>,
    pub(super) session: Option<SessionStarted>,
    pub(super) started_at: u64,
    pub(super) ended_at: u64,
    pub(super) status: DoneStatus,
    /// The model in use, as far as the events say.
    model: Option<String>,
    ticks: Vec<Usage>,
}

/// Gathers the attempts of a run from its events, in their order.
#[derive(Debug, Default)]
pub(super) struct Fold {
    attempts: Vec<Attempt>,
    /// The agent that takes over next.
    next_agent: Option<String>,
}

impl Fold {
    /// Whether events of this type matter here; the others need no parsing.
    pub(super) fn wants(type_name: &str) -> bool {
        matches!(
            type_name,
            "run_started"
                | "session_started"
                | "mode_changed"
                | "usage"
                | "agent_switched"
                | "done"
        )
    }

    /// Takes the next event.
    pub(super) fn take(&mut self, ts: u64, event: Event) {
        match event {
            Event::RunStarted(started) => {
                self.end(ts, DoneStatus::Failed);
                self.attempts.push(Attempt {
                    agent: self.next_agent.clone(),
                    credential: started.credential,
                    session: None,
                    started_at: ts,
                    ended_at: ts,
                    status: DoneStatus::Failed,
                    model: None,
                    ticks: Vec::new(),
                });
            }
            Event::AgentSwitched(switched) => {
                // The run's record may name the agent that had it last.
                for attempt in self.attempts.iter_mut().filter(|attempt| attempt.agent.is_none()) {
                    attempt.agent = Some(switched.from_agent.clone());
                }
                self.next_agent = Some(switched.to_agent);
            }
            Event::Done(done) => self.end(ts, done.status),
            event => {
                if let Some(attempt) = self.attempts.last_mut() {
                    attempt.take(ts, event);
                }
            }
        }
    }

    /// The attempts, in their order.
    pub(super) fn finish(self) -> Vec<Attempt> {
        self.attempts
    }

    fn end(&mut self, ts: u64, status: DoneStatus) {
        if let Some(attempt) = self.attempts.last_mut() {
            attempt.ended_at = ts.max(attempt.started_at);
            attempt.status = status;
        }
    }
}

impl Attempt {
    fn take(&mut self, ts: u64, event: Event) {
        self.ended_at = ts.max(self.started_at);
        match event {
            Event::SessionStarted(session) => {
                self.model = session.model.clone().or(self.model.take());
                self.session = Some(session);
            }
            Event::ModeChanged(mode) => self.model = mode.model.or(self.model.take()),
            Event::Usage(mut usage) => {
                usage.model = usage.model.or_else(|| self.model.clone());
                self.ticks.push(usage);
            }
            _ => {}
        }
    }

    /// What was used, by model; empty when nothing was told, or when a session's counter is all there is and
    /// nobody knows where it stood before.
    ///
    /// The run's own figures are believed before those of its turns, those before the session's: the closer a
    /// figure is to the run, the less has to be taken off it. `reached` says what earlier runs of a session had
    /// used, `None` when that is not known.
    pub(super) fn shares(&self, reached: impl Fn(&str) -> Option<Spent>) -> Vec<Share> {
        let turns = counted(self.of_scope(UsageScope::Turn), Spent::default());
        let run = counted(self.of_scope(UsageScope::Run), Spent::default());
        let shares = match (run.is_empty(), turns.is_empty()) {
            (false, _) => split(run, turns),
            (true, false) => turns,
            (true, true) => match self.session_base(reached) {
                Some(base) => counted(self.of_scope(UsageScope::Session), base),
                None => Vec::new(),
            },
        };
        self.named(shares)
    }

    /// Where the session's own counter stands now.
    pub(super) fn session_reached(&self) -> Option<Spent> {
        self.of_scope(UsageScope::Session).filter(|tick| tick.cumulative).last().map(Spent::of)
    }

    /// The model in use, as far as the events say.
    pub(super) fn model(&self) -> Option<&str> {
        self.model.as_deref()
    }

    fn of_scope(&self, scope: UsageScope) -> impl Iterator<Item = &Usage> {
        self.ticks.iter().filter(move |tick| tick.scope == scope)
    }

    /// Where the session's counter stood before this attempt.
    fn session_base(&self, reached: impl Fn(&str) -> Option<Spent>) -> Option<Spent> {
        let Some(session) = &self.session else { return Some(Spent::default()) };
        let parent = || session.parent_session_id.as_deref().and_then(&reached);
        match session.mode {
            SessionMode::Resume | SessionMode::Fork => reached(&session.session_id).or_else(parent),
            _ => Some(Spent::default()),
        }
    }

    /// Ticks that came before the model was known were of the same model.
    fn named(&self, shares: Vec<Share>) -> Vec<Share> {
        let mut named: Vec<Share> = Vec::with_capacity(shares.len());
        for mut share in shares {
            share.model = share.model.or_else(|| self.model.clone());
            add(&mut named, share);
        }
        named
    }
}

/// Ticks of one scope as what each of them adds. A cumulative tick contains all before it.
fn counted<'a>(ticks: impl Iterator<Item = &'a Usage>, base: Spent) -> Vec<Share> {
    let mut reached = base;
    let mut shares = Vec::new();
    for tick in ticks {
        let mut spent = Spent::of(tick);
        if tick.cumulative {
            let counter = std::mem::replace(&mut reached, spent);
            spent = spent.since(&counter);
        }
        add(&mut shares, Share { model: tick.model.clone(), spent, source: tick.source });
    }
    shares
}

/// A run's figures, split by model where its turns name several and account for it; what they leave over is of
/// the last one. A cost that is stated for the whole only cannot be split, and neither is the run then.
fn split(run: Vec<Share>, turns: Vec<Share>) -> Vec<Share> {
    let (whole, parts) = (sum(&run), sum(&turns));
    let cost_fits = whole.cost_usd.is_none() || parts.cost_usd.is_some();
    if run.len() > 1 || turns.len() < 2 || !parts.fits_into(&whole) || !cost_fits {
        return run;
    }
    let rest = Spent { cost_usd: None, ..whole.since(&parts) };
    let mut shares = turns;
    if let Some(last) = shares.last_mut() {
        let more =
            whole.cost_usd.zip(parts.cost_usd).map(|(whole, parts)| (whole - parts).max(0.0));
        let cost_usd = last.spent.cost_usd.map(|cost| cost + more.unwrap_or(0.0));
        last.spent.add(&rest);
        last.spent.cost_usd = cost_usd;
    }
    shares
}

fn sum(shares: &[Share]) -> Spent {
    let mut sum = Spent::default();
    shares.iter().for_each(|share| sum.add(&share.spent));
    sum
}

fn add(shares: &mut Vec<Share>, share: Share) {
    match shares.iter_mut().find(|known| known.model == share.model) {
        Some(known) => {
            known.spent.add(&share.spent);
            known.source = share.source;
        }
        None => shares.push(share),
    }
}

#[cfg(test)]
mod tests;
