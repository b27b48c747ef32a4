//! From the events of a run to what each attempt used of each model: counters become differences, and nothing is
//! counted twice. Pure: no clock, no file. Everybody who says what a run used asks here: its end, its result, the
//! ledger, the metrics, the traces.

use od_protocol::{
    Credential, Done, DoneStatus, Event, RunStarted, SessionMode, SessionStarted, Usage, UsageScope,
};

use super::share::{self, Counter, Share};
use super::spent::Spent;

/// What earlier runs of a session had used, by agent and session; `None` when that is not known. An agent that is not
/// named is the one the run was started with.
pub(crate) type Past<'a> = dyn Fn(Option<&str>, &str) -> Option<Spent> + 'a;

/// Gathers the attempts of a run from its events, in their order.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Fold {
    attempts: Vec<Attempt>,
    /// The agent that takes over next.
    next_agent: Option<String>,
}

/// One attempt of a run: from its `run_started` to the next one, or to `done`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Attempt {
    /// `None` means the agent the run was started with.
    pub(crate) agent: Option<String>,
    pub(crate) credential: Option<Credential>,
    /// The model that was named last, by whatever event.
    pub(crate) last_model: Option<String>,
    pub(super) session: Option<Session>,
    pub(super) started_at: u64,
    pub(super) ended_at: u64,
    pub(super) status: DoneStatus,
    /// The model in use, as far as the events say.
    pub(super) model: Option<String>,
    run: Counter,
    turns: Counter,
    counter: Counter,
    /// What the whole cost, when only `done` says so.
    cost_usd: Option<f64>,
}

/// The native session of an attempt.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Session {
    pub(super) id: String,
    mode: SessionMode,
    parent: Option<String>,
}

impl Fold {
    /// Whether events of this type matter here; the others need no parsing.
    pub(crate) fn wants(type_name: &str) -> bool {
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
    pub(crate) fn take(&mut self, ts: u64, event: &Event) {
        match event {
            Event::RunStarted(started) => {
                self.end(ts, DoneStatus::Failed);
                self.attempts.push(Attempt::new(self.next_agent.clone(), started, ts));
            }
            Event::AgentSwitched(switched) => {
                // The run's record may name the agent that had it last.
                for attempt in self.attempts.iter_mut().filter(|attempt| attempt.agent.is_none()) {
                    attempt.agent = Some(switched.from_agent.clone());
                }
                self.next_agent = Some(switched.to_agent.clone());
            }
            Event::Done(done) => {
                self.end(ts, done.status);
                // With several attempts it is the host's own, and has their sums.
                if let [only] = &mut self.attempts[..] {
                    only.take_end(done);
                }
            }
            event => {
                if let Some(attempt) = self.attempts.last_mut() {
                    attempt.take(ts, event);
                }
            }
        }
    }

    /// The attempts, in their order.
    pub(crate) fn attempts(&self) -> &[Attempt] {
        &self.attempts
    }

    /// What each attempt used, by model; empty where nothing was told, or where a session's counter is all there is
    /// and nobody knows where it stood before.
    pub(crate) fn shares(&self, past: &Past<'_>) -> Vec<Vec<Share>> {
        let mut all: Vec<Vec<Share>> = Vec::with_capacity(self.attempts.len());
        for attempt in &self.attempts {
            let agent = attempt.agent.as_deref();
            let shares = attempt.shares(|session| self.reached(&all, agent, session, past));
            all.push(shares);
        }
        all
    }

    /// What each attempt used, all its models together.
    pub(crate) fn each(&self, past: &Past<'_>) -> Vec<Option<Usage>> {
        self.shares(past).into_iter().map(share::total).collect()
    }

    /// What all attempts used together. The cost is stated only when every attempt that used tokens states it.
    pub(crate) fn total(&self, past: &Past<'_>) -> Option<Usage> {
        share::total(self.shares(past).into_iter().flatten().collect())
    }

    fn end(&mut self, ts: u64, status: DoneStatus) {
        if let Some(attempt) = self.attempts.last_mut() {
            attempt.ended_at = ts.max(attempt.started_at);
            attempt.status = status;
        }
    }

    /// What a session had used before an attempt, those `before` it included.
    fn reached(
        &self,
        before: &[Vec<Share>],
        agent: Option<&str>,
        session: &str,
        past: &Past<'_>,
    ) -> Option<Spent> {
        let mut reached = Reached::default();
        let earlier = self.attempts.iter().zip(before).rev();
        for (attempt, shares) in earlier.filter(|(attempt, _)| attempt.is_of(agent, session)) {
            if !reached.take(attempt.session_reached().as_ref(), &share::sum(shares)) {
                return reached.sum;
            }
        }
        if let Some(older) = past(agent, session) {
            reached.take(None, &older);
        }
        reached.sum
    }
}

impl Attempt {
    fn new(agent: Option<String>, started: &RunStarted, ts: u64) -> Self {
        Self {
            agent,
            credential: started.credential.clone(),
            last_model: None,
            session: None,
            started_at: ts,
            ended_at: ts,
            status: DoneStatus::Failed,
            model: None,
            run: Counter::default(),
            turns: Counter::default(),
            counter: Counter::default(),
            cost_usd: None,
        }
    }

    fn take(&mut self, ts: u64, event: &Event) {
        self.ended_at = ts.max(self.started_at);
        match event {
            Event::SessionStarted(session) => {
                self.use_model(session.model.as_ref());
                self.session = Some(Session::of(session));
            }
            Event::ModeChanged(mode) => self.use_model(mode.model.as_ref()),
            Event::Usage(usage) => {
                if usage.model.is_some() {
                    self.last_model.clone_from(&usage.model);
                }
                let counter = match usage.scope {
                    UsageScope::Run => &mut self.run,
                    UsageScope::Session => &mut self.counter,
                    _ => &mut self.turns,
                };
                counter.take(usage, self.model.as_ref());
            }
            _ => {}
        }
    }

    /// What an agent states at the very end counts where its events said nothing.
    fn take_end(&mut self, done: &Done) {
        let is_told = [&self.run, &self.turns, &self.counter].iter().any(|it| !it.is_empty());
        if let Some(usage) = done.totals.usage.as_ref().filter(|_| !is_told) {
            self.run.take(usage, self.model.as_ref());
        }
        self.cost_usd = done.totals.cost_usd;
    }

    fn use_model(&mut self, model: Option<&String>) {
        if let Some(model) = model {
            self.model = Some(model.clone());
            self.last_model = Some(model.clone());
        }
    }

    /// What was used, by model. The run's own figures are believed before those of its turns, those before the
    /// session's: the closer a figure is to the run, the less has to be taken off it. `reached` says what the session
    /// had used before.
    fn shares(&self, reached: impl Fn(&str) -> Option<Spent>) -> Vec<Share> {
        let nothing = Spent::default();
        let turns = self.turns.shares(&nothing);
        let shares = match (self.run.is_empty(), self.turns.is_empty()) {
            (false, _) => share::split(self.run.shares(&nothing), turns),
            (true, false) => turns,
            (true, true) => match self.session_base(reached) {
                Some(base) => self.counter.shares(&base),
                None => Vec::new(),
            },
        };
        self.priced(self.named(shares))
    }

    /// Where the session's own counter stands now.
    pub(super) fn session_reached(&self) -> Option<Spent> {
        self.counter.reached
    }

    fn is_of(&self, agent: Option<&str>, session: &str) -> bool {
        let same_session = self.session.as_ref().is_some_and(|known| known.id == session);
        same_session && self.agent.as_deref() == agent
    }

    /// Where the session's counter stood before this attempt; `None` when that is not known.
    fn session_base(&self, reached: impl Fn(&str) -> Option<Spent>) -> Option<Spent> {
        let session = self.session.as_ref()?;
        let parent = || session.parent.as_deref().and_then(&reached);
        match session.mode {
            SessionMode::Resume | SessionMode::Fork => reached(&session.id).or_else(parent),
            _ => Some(Spent::default()),
        }
    }

    /// Ticks that came before the model was known were of the same model.
    fn named(&self, shares: Vec<Share>) -> Vec<Share> {
        let mut named: Vec<Share> = Vec::with_capacity(shares.len());
        for mut share in shares {
            share.model = share.model.or_else(|| self.model.clone());
            share::add(&mut named, share);
        }
        named
    }

    /// A cost that is stated for the whole only belongs to no model in particular.
    fn priced(&self, shares: Vec<Share>) -> Vec<Share> {
        if self.cost_usd.is_none() || share::sum(&shares).cost_usd.is_some() {
            return shares;
        }
        let whole = share::merged(shares).map(|mut whole| {
            whole.spent.cost_usd = self.cost_usd;
            whole
        });
        whole.into_iter().collect()
    }
}

impl Session {
    fn of(started: &SessionStarted) -> Self {
        Self {
            id: started.session_id.clone(),
            mode: started.mode,
            parent: started.parent_session_id.clone(),
        }
    }
}

/// What a session had used, told from the newest attempt on: where its counter stood, and what came after that.
#[derive(Debug, Default)]
pub(super) struct Reached {
    pub(super) sum: Option<Spent>,
}

impl Reached {
    /// Takes the next older attempt; says whether older ones matter.
    pub(super) fn take(&mut self, counter: Option<&Spent>, spent: &Spent) -> bool {
        self.sum.get_or_insert_default().add(counter.unwrap_or(spent));
        counter.is_none()
    }
}

#[cfg(test)]
mod tests;
