//! Tokens, cost and context usage.

use od_protocol::{Context, Event, Usage, UsageScope};

use super::native::{Cost, TokenUsage, UsageUpdate};
use crate::RunOutput;
use crate::usage::Tokens;

/// Converts the usage of an agent. Agents differ in whether input includes cached tokens and output
/// includes thinking; the total shows which.
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

/// Usage of a run so far.
#[derive(Debug, Default)]
pub(super) struct UsageTracker {
    total: Tokens,
    /// The cost of the session before this run; `None` until known.
    cost_before: Option<f64>,
    /// The cost of the session.
    cost: Option<f64>,
    /// The cost of the run at the end of the last turn.
    last_run_cost: f64,
    window: Option<(u64, Option<u64>)>,
}

impl UsageTracker {
    /// A new session starts at cost zero.
    pub(super) fn on_new_session(&mut self) {
        self.cost_before = Some(0.0);
    }

    /// `usage_update`: the context window, and the cost of the whole session.
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

    /// Emits the usage of a finished turn and of the run.
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
        // Only zeros, as after a cancel, are not a report.
        let tokens = tokens.filter(|tokens| tokens.sum() > 0);
        if tokens.is_none() && run_cost.is_none() {
            return;
        }
        let turn = tokens.unwrap_or_default();
        self.total = self.total.and(turn);
        let turn_cost = run_cost.map(|cost| cost - self.last_run_cost);
        self.last_run_cost = run_cost.unwrap_or(self.last_run_cost);
        output.event(usage(UsageScope::Turn, turn, turn_cost, model.clone()));
        output.event(usage(UsageScope::Run, self.total, run_cost, model));
    }
}

fn usage(scope: UsageScope, tokens: Tokens, cost_usd: Option<f64>, model: Option<String>) -> Event {
    Event::Usage(Usage { cost_usd, model, ..tokens.usage(scope) })
}

/// Other currencies are not converted.
fn dollars(cost: &Cost) -> Option<f64> {
    cost.currency.eq_ignore_ascii_case("usd").then_some(cost.amount)
}
