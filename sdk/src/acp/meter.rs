//! Tokens, money and how full the window is.

use od_protocol::{Context, Event, Usage, UsageScope, UsageSource};

use super::words::{Cost, TokenUsage, UsageUpdate};
use crate::RunOutput;

/// Tokens in the protocol's meaning: input without what was cached, output with what was thought.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Tokens {
    /// Sent, cached ones excluded.
    pub input: u64,
    /// Received, thoughts included.
    pub output: u64,
    /// Read from a cache.
    pub cache_read: u64,
    /// Written to a cache.
    pub cache_write: u64,
    /// Thought; `None` means not stated.
    pub reasoning: Option<u64>,
}

/// Reads an agent's figures. Whether its input holds what was cached and its output what was thought
/// is seen from the total (recordings: Vibe and Copilot include both, OpenCode neither).
pub fn tokens_of(usage: TokenUsage) -> Tokens {
    let cached = usage.cached_read_tokens.saturating_add(usage.cached_write_tokens);
    let thought = usage.thought_tokens.unwrap_or_default();
    let stated = usage.input_tokens.saturating_add(usage.output_tokens);
    let beyond = usage.total_tokens.saturating_sub(stated);
    let is_beyond = |tokens: u64| tokens > 0 && (beyond == tokens || beyond == cached + thought);
    let input = match is_beyond(cached) {
        true => usage.input_tokens,
        false => usage.input_tokens.saturating_sub(cached),
    };
    let output = match is_beyond(thought) {
        true => usage.output_tokens.saturating_add(thought),
        false => usage.output_tokens,
    };
    Tokens {
        input,
        output,
        cache_read: usage.cached_read_tokens,
        cache_write: usage.cached_write_tokens,
        reasoning: usage.thought_tokens,
    }
}

/// The figures of a run so far.
#[derive(Debug, Default)]
pub(super) struct Meter {
    total: Tokens,
    /// What the session had cost before this run; `None` until it is known.
    cost_before: Option<f64>,
    /// What the session has cost.
    cost: Option<f64>,
    /// What the run had cost at the last turn's end.
    cost_told: f64,
    window: Option<(u64, Option<u64>)>,
}

impl Meter {
    /// A new session has cost nothing yet.
    pub(super) fn on_new_session(&mut self) {
        self.cost_before = Some(0.0);
    }

    /// `usage_update`: the window, and the money of the whole session.
    pub(super) fn on_update(
        &mut self,
        update: &UsageUpdate,
        is_live: bool,
        output: &mut RunOutput,
    ) {
        if let Some(amount) = update.cost.as_ref().and_then(dollars) {
            if !is_live {
                self.cost_before = Some(amount);
            }
            self.cost = Some(amount);
        }
        let window = (update.used, update.size);
        if is_live && update.used > 0 && self.window.replace(window) != Some(window) {
            output.event(Event::Context(Context {
                used_tokens: update.used,
                max_tokens: update.size,
                compacted: false,
            }));
        }
    }

    /// The end of a turn: its tokens, and the run's.
    pub(super) fn on_turn(
        &mut self,
        tokens: Option<Tokens>,
        model: Option<String>,
        output: &mut RunOutput,
    ) {
        let run_cost = match (self.cost, self.cost_before) {
            (Some(cost), Some(before)) => Some(cost - before),
            _ => None,
        };
        // Nothing but zeros, as after a cancel, states nothing.
        let tokens = tokens.filter(|tokens| tokens.sum() > 0);
        if tokens.is_none() && run_cost.is_none() {
            return;
        }
        let turn = tokens.unwrap_or_default();
        self.total = self.total.and(turn);
        let turn_cost = run_cost.map(|cost| cost - self.cost_told);
        self.cost_told = run_cost.unwrap_or(self.cost_told);
        output.event(usage(UsageScope::Turn, turn, turn_cost, model.clone()));
        output.event(usage(UsageScope::Run, self.total, run_cost, model));
    }
}

impl Tokens {
    fn and(self, other: Self) -> Self {
        Self {
            input: self.input.saturating_add(other.input),
            output: self.output.saturating_add(other.output),
            cache_read: self.cache_read.saturating_add(other.cache_read),
            cache_write: self.cache_write.saturating_add(other.cache_write),
            reasoning: match (self.reasoning, other.reasoning) {
                (Some(one), Some(other)) => Some(one.saturating_add(other)),
                (one, other) => one.or(other),
            },
        }
    }

    fn sum(self) -> u64 {
        let Self { input, output, cache_read, cache_write, .. } = self;
        [output, cache_read, cache_write].into_iter().fold(input, u64::saturating_add)
    }
}

fn usage(scope: UsageScope, tokens: Tokens, cost_usd: Option<f64>, model: Option<String>) -> Event {
    Event::Usage(Usage {
        scope,
        cumulative: scope == UsageScope::Run,
        input_tokens: tokens.input,
        output_tokens: tokens.output,
        cache_read_tokens: tokens.cache_read,
        cache_write_tokens: tokens.cache_write,
        reasoning_tokens: tokens.reasoning,
        total_tokens: tokens.sum(),
        cost_usd,
        model,
        provider: None,
        service_tier: None,
        source: UsageSource::Cli,
    })
}

/// Other currencies are not converted.
fn dollars(cost: &Cost) -> Option<f64> {
    cost.currency.eq_ignore_ascii_case("usd").then_some(cost.amount)
}
