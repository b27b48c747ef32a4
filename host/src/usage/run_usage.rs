//! The usage of a run: from its events to the usage of each model in each attempt. Cumulative counters become
//! differences, and nothing is counted twice. Pure: no clock, no file. The end of a run, its result, the ledger, the
//! metrics and the traces all use this module.

use od_protocol::{
    Credential, Done, DoneStatus, Event, RunStarted, SessionMode, SessionStarted, Usage, UsageScope,
};

use super::model_usage::{self, Counter, ModelUsage};
use super::token_usage::TokenUsage;

/// Looks up the usage of a session before this run, by agent and session; `None` when unknown. Without an agent it is
/// the one the run was started with.
pub(crate) type PriorUsage<'a> = dyn Fn(Option<&str>, &str) -> Option<TokenUsage> + 'a;

/// Collects the attempts of a run from its events, in order.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct RunUsage {
    attempts: Vec<Attempt>,
    /// The agent of the next attempt.
    next_agent: Option<String>,
}

/// One attempt of a run: from its `run_started` to the next one, or to `done`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Attempt {
    /// `None` is the agent the run was started with.
    pub(crate) agent: Option<String>,
    pub(crate) credential: Option<Credential>,
    /// The model that any event named last.
    pub(crate) last_model: Option<String>,
    pub(super) session: Option<Session>,
    pub(super) started_at: u64,
    pub(super) ended_at: u64,
    pub(super) status: DoneStatus,
    /// The model in use, when known.
    pub(super) model: Option<String>,
    run: Counter,
    turns: Counter,
    session_counter: Counter,
    /// The cost of the whole attempt, when only `done` has one.
    cost_usd: Option<f64>,
}

/// The native session of an attempt.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Session {
    pub(super) id: String,
    mode: SessionMode,
    parent: Option<String>,
}

impl RunUsage {
    /// Whether events of this type are needed; the others are not parsed.
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

    /// Adds the next event.
    pub(crate) fn push(&mut self, ts: u64, event: &Event) {
        match event {
            Event::RunStarted(started) => {
                self.end(ts, DoneStatus::Failed);
                self.attempts.push(Attempt::new(self.next_agent.clone(), started, ts));
            }
            Event::AgentSwitched(switched) => {
                // The run's record names only the last agent.
                for attempt in self.attempts.iter_mut().filter(|attempt| attempt.agent.is_none()) {
                    attempt.agent = Some(switched.from_agent.clone());
                }
                self.next_agent = Some(switched.to_agent.clone());
            }
            Event::Done(done) => {
                self.end(ts, done.status);
                // With several attempts the host wrote `done`, and its totals are the sums of them.
                if let [only] = &mut self.attempts[..] {
                    only.push_end(done);
                }
            }
            event => {
                if let Some(attempt) = self.attempts.last_mut() {
                    attempt.push(ts, event);
                }
            }
        }
    }

    /// The attempts, in their order.
    pub(crate) fn attempts(&self) -> &[Attempt] {
        &self.attempts
    }

    /// The usage of each attempt by model; empty when the attempt reported none, or only a session counter whose earlier
    /// value is unknown.
    pub(crate) fn by_model(&self, prior: &PriorUsage<'_>) -> Vec<Vec<ModelUsage>> {
        let mut all: Vec<Vec<ModelUsage>> = Vec::with_capacity(self.attempts.len());
        for attempt in &self.attempts {
            let agent = attempt.agent.as_deref();
            let models =
                attempt.by_model(|session| self.session_total(&all, agent, session, prior));
            all.push(models);
        }
        all
    }

    /// The usage of each attempt, summed over its models.
    pub(crate) fn per_attempt(&self, prior: &PriorUsage<'_>) -> Vec<Option<Usage>> {
        self.by_model(prior).into_iter().map(model_usage::total).collect()
    }

    /// The usage of all attempts. It has a cost only when every attempt that used tokens has one.
    pub(crate) fn total(&self, prior: &PriorUsage<'_>) -> Option<Usage> {
        model_usage::total(self.by_model(prior).into_iter().flatten().collect())
    }

    fn end(&mut self, ts: u64, status: DoneStatus) {
        if let Some(attempt) = self.attempts.last_mut() {
            attempt.ended_at = ts.max(attempt.started_at);
            attempt.status = status;
        }
    }

    /// The usage of a session before an attempt, including the attempts `before` it.
    fn session_total(
        &self,
        before: &[Vec<ModelUsage>],
        agent: Option<&str>,
        session: &str,
        prior: &PriorUsage<'_>,
    ) -> Option<TokenUsage> {
        let mut total = SessionTotal::default();
        let earlier = self.attempts.iter().zip(before).rev();
        for (attempt, models) in earlier.filter(|(attempt, _)| attempt.is_of(agent, session)) {
            if !total.push(attempt.session_reached().as_ref(), &model_usage::sum(models)) {
                return total.sum;
            }
        }
        if let Some(older) = prior(agent, session) {
            total.push(None, &older);
        }
        total.sum
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
            session_counter: Counter::default(),
            cost_usd: None,
        }
    }

    fn push(&mut self, ts: u64, event: &Event) {
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
                    UsageScope::Session => &mut self.session_counter,
                    _ => &mut self.turns,
                };
                counter.push(usage, self.model.as_ref());
            }
            _ => {}
        }
    }

    /// Uses the totals of `done` only when no earlier event reported usage.
    fn push_end(&mut self, done: &Done) {
        let has_usage =
            [&self.run, &self.turns, &self.session_counter].iter().any(|it| !it.is_empty());
        if let Some(usage) = done.totals.usage.as_ref().filter(|_| !has_usage) {
            self.run.push(usage, self.model.as_ref());
        }
        self.cost_usd = done.totals.cost_usd;
    }

    fn use_model(&mut self, model: Option<&String>) {
        if let Some(model) = model {
            self.model = Some(model.clone());
            self.last_model = Some(model.clone());
        }
    }

    /// The usage by model. Figures of the run take precedence over those of its turns, and those over the session's,
    /// because a session counter includes earlier runs. `session_total` returns the session's usage before.
    fn by_model(&self, session_total: impl Fn(&str) -> Option<TokenUsage>) -> Vec<ModelUsage> {
        let zero = TokenUsage::default();
        let turns = self.turns.by_model(&zero);
        let models = match (self.run.is_empty(), self.turns.is_empty()) {
            (false, _) => model_usage::split(self.run.by_model(&zero), turns),
            (true, false) => turns,
            (true, true) => match self.session_base(session_total) {
                Some(base) => self.session_counter.by_model(&base),
                None => Vec::new(),
            },
        };
        self.with_cost(self.with_model(models))
    }

    /// The last value of the session's own counter.
    pub(super) fn session_reached(&self) -> Option<TokenUsage> {
        self.session_counter.reached
    }

    fn is_of(&self, agent: Option<&str>, session: &str) -> bool {
        let same_session = self.session.as_ref().is_some_and(|known| known.id == session);
        same_session && self.agent.as_deref() == agent
    }

    /// The value of the session's counter before this attempt; `None` when unknown.
    fn session_base(
        &self,
        session_total: impl Fn(&str) -> Option<TokenUsage>,
    ) -> Option<TokenUsage> {
        let session = self.session.as_ref()?;
        let parent = || session.parent.as_deref().and_then(&session_total);
        match session.mode {
            SessionMode::Resume | SessionMode::Fork => session_total(&session.id).or_else(parent),
            _ => Some(TokenUsage::default()),
        }
    }

    /// Assigns usage without a model to the model in use.
    fn with_model(&self, models: Vec<ModelUsage>) -> Vec<ModelUsage> {
        let mut named: Vec<ModelUsage> = Vec::with_capacity(models.len());
        for mut usage in models {
            usage.model = usage.model.or_else(|| self.model.clone());
            model_usage::add(&mut named, usage);
        }
        named
    }

    /// Merges all models when there is only a cost for the whole attempt, which belongs to no single model.
    fn with_cost(&self, models: Vec<ModelUsage>) -> Vec<ModelUsage> {
        if self.cost_usd.is_none() || model_usage::sum(&models).cost_usd.is_some() {
            return models;
        }
        let whole = model_usage::merge(models).map(|mut whole| {
            whole.tokens.cost_usd = self.cost_usd;
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

/// Sums the usage of a session from the newest attempt backwards, up to the last known value of its counter.
#[derive(Debug, Default)]
pub(super) struct SessionTotal {
    pub(super) sum: Option<TokenUsage>,
}

impl SessionTotal {
    /// Adds the next older attempt; returns whether older ones are needed.
    pub(super) fn push(&mut self, counter: Option<&TokenUsage>, tokens: &TokenUsage) -> bool {
        self.sum.get_or_insert_default().add(counter.unwrap_or(tokens));
        counter.is_none()
    }
}

#[cfg(test)]
mod tests;
