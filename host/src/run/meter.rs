//! What one attempt of a run has used, from its `usage` events; and what several have used together.

use od_protocol::{Event, SessionMode, Usage, UsageScope, UsageSource};

/// The meter of one attempt.
#[derive(Debug, Clone, Default, PartialEq)]
struct Meter {
    run: Option<Usage>,
    turns: Option<Usage>,
    session: Option<Usage>,
    /// What the session had used before the attempt; `None` while that is not known.
    before: Option<Usage>,
}

impl Meter {
    /// The meter of an attempt that goes on with the session of another.
    fn after(earlier: &Self) -> Self {
        Self { before: earlier.session.clone(), ..Self::default() }
    }

    /// A session that is new has used nothing before.
    fn begin_new_session(&mut self) {
        self.before = Some(nothing());
    }

    /// Takes a tick.
    fn take(&mut self, usage: Usage) {
        match usage.scope {
            UsageScope::Run => self.run = Some(usage),
            UsageScope::Session => {
                // Without a beginning only what follows the first tick is certain.
                self.before.get_or_insert_with(|| usage.clone());
                self.session = Some(usage);
            }
            _ => {
                let earlier = self.turns.take().filter(|_| !usage.cumulative);
                self.turns = Some(earlier.map_or_else(|| usage.clone(), |sum| add(sum, &usage)));
            }
        }
    }

    /// All of it, when it is known: what the agent states of the run, or its turns together, or what the
    /// session has grown by.
    fn total(&self) -> Option<Usage> {
        let grown = || {
            let session = self.session.as_ref()?;
            let grown = subtract(session.clone(), self.before.as_ref()?);
            (grown.total_tokens > 0).then_some(grown)
        };
        let total = self.run.clone().or_else(|| self.turns.clone()).or_else(grown)?;
        Some(Usage { scope: UsageScope::Run, cumulative: true, ..total })
    }
}

/// The meters of a run's attempts, in order. An attempt begins with its `run_started`.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Meters {
    earlier: Vec<Option<Usage>>,
    meter: Meter,
    started: bool,
    /// The session of the agent that has the run is known, so the next attempt may go on with it.
    has_session: bool,
}

impl Meters {
    /// Takes an event of any type.
    pub(crate) fn apply(&mut self, event: &Event) {
        match event {
            Event::RunStarted(_) => {
                if self.started {
                    self.earlier.push(self.meter.total());
                    let goes_on = self.has_session;
                    self.meter = if goes_on { Meter::after(&self.meter) } else { Meter::default() };
                }
                self.started = true;
            }
            Event::AgentSwitched(_) => self.has_session = false,
            Event::SessionStarted(session) => {
                self.has_session = true;
                if session.mode == SessionMode::New {
                    self.meter.begin_new_session();
                }
            }
            Event::Usage(usage) => self.meter.take(usage.clone()),
            _ => {}
        }
    }

    /// What the attempt that is going on, or was the last, has used.
    pub(crate) fn current(&self) -> Option<Usage> {
        self.meter.total()
    }

    /// What each attempt has used.
    pub(crate) fn each(&self) -> Vec<Option<Usage>> {
        self.earlier.iter().cloned().chain([self.current()]).collect()
    }

    /// What all of them have used together.
    pub(crate) fn total(&self) -> Option<Usage> {
        sum(self.each().into_iter().flatten())
    }
}

/// What all attempts have used together. The cost is stated only when every attempt that used tokens
/// states it.
fn sum(attempts: impl IntoIterator<Item = Usage>) -> Option<Usage> {
    attempts.into_iter().reduce(|sum, usage| match (sum.total_tokens, usage.total_tokens) {
        (0, _) => Usage { cost_usd: later_cost(&sum, &usage), ..usage },
        (_, 0) => Usage { cost_usd: later_cost(&usage, &sum), ..sum },
        _ => add(sum, &usage),
    })
}

/// The cost where one side has used no tokens and need not state any.
fn later_cost(idle: &Usage, busy: &Usage) -> Option<f64> {
    busy.cost_usd.map(|cost| cost + idle.cost_usd.unwrap_or_default())
}

fn add(sum: Usage, more: &Usage) -> Usage {
    Usage {
        scope: sum.scope,
        cumulative: sum.cumulative,
        input_tokens: sum.input_tokens.saturating_add(more.input_tokens),
        output_tokens: sum.output_tokens.saturating_add(more.output_tokens),
        cache_read_tokens: sum.cache_read_tokens.saturating_add(more.cache_read_tokens),
        cache_write_tokens: sum.cache_write_tokens.saturating_add(more.cache_write_tokens),
        reasoning_tokens: either(sum.reasoning_tokens, more.reasoning_tokens, u64::saturating_add),
        total_tokens: sum.total_tokens.saturating_add(more.total_tokens),
        cost_usd: sum.cost_usd.zip(more.cost_usd).map(|(left, right)| left + right),
        model: sum.model.filter(|model| more.model.as_ref() == Some(model)),
        service_tier: sum.service_tier.filter(|tier| more.service_tier.as_ref() == Some(tier)),
        source: if sum.source == more.source { sum.source } else { UsageSource::Estimated },
    }
}

fn subtract(total: Usage, before: &Usage) -> Usage {
    Usage {
        input_tokens: total.input_tokens.saturating_sub(before.input_tokens),
        output_tokens: total.output_tokens.saturating_sub(before.output_tokens),
        cache_read_tokens: total.cache_read_tokens.saturating_sub(before.cache_read_tokens),
        cache_write_tokens: total.cache_write_tokens.saturating_sub(before.cache_write_tokens),
        reasoning_tokens: total
            .reasoning_tokens
            .map(|tokens| tokens.saturating_sub(before.reasoning_tokens.unwrap_or_default())),
        total_tokens: total.total_tokens.saturating_sub(before.total_tokens),
        cost_usd: total
            .cost_usd
            .zip(before.cost_usd)
            .map(|(cost, earlier)| (cost - earlier).max(0.0)),
        ..total
    }
}

fn either<T: Copy>(left: Option<T>, right: Option<T>, both: fn(T, T) -> T) -> Option<T> {
    match (left, right) {
        (Some(left), Some(right)) => Some(both(left, right)),
        (left, right) => left.or(right),
    }
}

fn nothing() -> Usage {
    Usage {
        scope: UsageScope::Session,
        cumulative: true,
        input_tokens: 0,
        output_tokens: 0,
        cache_read_tokens: 0,
        cache_write_tokens: 0,
        reasoning_tokens: None,
        total_tokens: 0,
        cost_usd: Some(0.0),
        model: None,
        service_tier: None,
        source: UsageSource::Cli,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tick(scope: UsageScope, cumulative: bool, tokens: u64, cost: Option<f64>) -> Usage {
        Usage {
            scope,
            cumulative,
            input_tokens: tokens,
            total_tokens: tokens,
            cost_usd: cost,
            ..nothing()
        }
    }

    fn total(ticks: &[Usage]) -> Option<(u64, Option<f64>)> {
        let mut meter = Meter::default();
        ticks.iter().cloned().for_each(|usage| meter.take(usage));
        meter.total().map(|usage| (usage.total_tokens, usage.cost_usd))
    }

    #[test]
    fn the_run_counts_before_turns_and_turns_before_the_session() {
        use UsageScope::{Run, Session, Turn};
        let one = tick(Turn, false, 5, Some(0.5));
        let two = tick(Turn, false, 7, Some(0.25));
        assert_eq!(total(&[]), None);
        assert_eq!(total(&[one.clone(), two.clone()]), Some((12, Some(0.75))));
        assert_eq!(total(&[one.clone(), tick(Turn, true, 9, None)]), Some((9, None)));
        assert_eq!(total(&[one.clone(), tick(Turn, false, 1, None)]), Some((6, None)));
        assert_eq!(total(&[one, tick(Run, true, 20, None), two]), Some((20, None)));
        let old = [tick(Session, true, 100, Some(1.0)), tick(Session, true, 130, Some(1.5))];
        assert_eq!(total(&old), Some((30, Some(0.5))), "what was there before is not ours");
        assert_eq!(total(&old[..1]), None);
    }

    #[test]
    fn a_session_that_goes_on_in_the_next_attempt_is_not_counted_twice() {
        let session = |tokens| tick(UsageScope::Session, true, tokens, None);
        let mut first = Meter::default();
        first.begin_new_session();
        first.take(session(40));
        let mut second = Meter::after(&first);
        second.take(session(100));
        let of = |meter: &Meter| meter.total().map(|usage| usage.total_tokens);
        assert_eq!((of(&first), of(&second)), (Some(40), Some(60)));
    }

    #[test]
    fn a_cost_is_stated_when_everybody_who_used_tokens_states_it() {
        let run = |tokens, cost| tick(UsageScope::Run, true, tokens, cost);
        let cost = |attempts: &[Usage]| sum(attempts.to_vec()).and_then(|usage| usage.cost_usd);
        assert_eq!(cost(&[run(1, Some(1.0)), run(2, Some(2.0))]), Some(3.0));
        assert_eq!(cost(&[run(1, Some(1.0)), run(2, None)]), None);
        assert_eq!(cost(&[run(0, None), run(2, Some(2.0))]), Some(2.0));
        assert_eq!(cost(&[run(2, Some(2.0)), run(0, None)]), Some(2.0));
        assert_eq!(sum([]), None);
    }
}
