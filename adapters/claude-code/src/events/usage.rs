//! Token usage, cost, and the size of the context.

use od_protocol::{Context, Event, Usage, UsageScope};
use od_sdk::RunOutput;
use od_sdk::stream_json::TokenUsage;
use od_sdk::usage::Tokens;

use crate::native::{ModelUsage, ResultLine};

/// Usage of the process so far. `result.modelUsage` and `total_cost_usd` are totals of the process
/// (recording `sj_multiturn`); `result.usage` is the usage of the turn, without subagents and retried
/// requests (recordings `subagent_agent`, `drop`).
#[derive(Debug, Default)]
pub(super) struct UsageTracker {
    total: Tokens,
    cost_usd: Option<f64>,
    reasoning_tokens: Option<u64>,
    context_tokens: u64,
}

impl UsageTracker {
    /// Counts a message of the main conversation; its tokens are the current context size.
    pub(super) fn on_message(&mut self, usage: Option<&TokenUsage>) {
        if let Some(usage) = usage {
            self.context_tokens = tokens(usage).sum();
        }
    }

    pub(super) fn on_result(&mut self, result: &ResultLine, output: &mut RunOutput) {
        let process =
            result.model_usage.values().map(model_tokens).fold(Tokens::default(), Tokens::and);
        let (turn, total) = if result.model_usage.is_empty() {
            let turn = result.usage.as_ref().map(tokens).unwrap_or_default();
            (turn, self.total.and(turn))
        } else {
            (process.since(self.total), process)
        };
        let turn_cost = match (result.total_cost_usd, self.cost_usd) {
            (Some(cost), Some(before)) => Some(cost - before),
            (cost, _) => cost,
        };
        let run_cost = result.total_cost_usd.or(self.cost_usd);
        let turn_reasoning = reasoning_tokens(result);
        let run_reasoning = match (self.reasoning_tokens, turn_reasoning) {
            (Some(before), Some(now)) => Some(before.saturating_add(now)),
            (before, now) => before.or(now),
        };
        let usage = |scope, tokens: Tokens, reasoning_tokens, cost_usd| {
            Event::Usage(Usage {
                reasoning_tokens,
                cost_usd,
                model: only_model(result),
                service_tier: result.usage.as_ref().and_then(|usage| usage.service_tier.clone()),
                ..tokens.usage(scope)
            })
        };
        output.event(usage(UsageScope::Turn, turn, turn_reasoning, turn_cost));
        output.event(usage(UsageScope::Run, total, run_reasoning, run_cost));
        self.report_context(result, output);
        self.total = total;
        self.cost_usd = run_cost;
        self.reasoning_tokens = run_reasoning;
    }

    fn report_context(&self, result: &ResultLine, output: &mut RunOutput) {
        if self.context_tokens == 0 {
            return;
        }
        let windows = result.model_usage.values().filter_map(|usage| usage.context_window);
        output.event(Event::Context(Context {
            used_tokens: self.context_tokens,
            // Subagents may use models with smaller windows.
            max_tokens: windows.max(),
            compacted: false,
        }));
    }
}

/// The tokens of a turn or of a message.
fn tokens(usage: &TokenUsage) -> Tokens {
    Tokens {
        input: usage.input_tokens,
        output: usage.output_tokens,
        cache_read: usage.cache_read_input_tokens,
        cache_write: usage.cache_creation_input_tokens,
        reasoning: None,
    }
}

/// The tokens of one model.
fn model_tokens(usage: &ModelUsage) -> Tokens {
    Tokens {
        input: usage.input_tokens,
        output: usage.output_tokens,
        cache_read: usage.cache_read_input_tokens,
        cache_write: usage.cache_creation_input_tokens,
        reasoning: None,
    }
}

/// Thinking tokens of this turn, if the version reports them.
fn reasoning_tokens(result: &ResultLine) -> Option<u64> {
    result.usage.as_ref()?.output_tokens_details.as_ref()?.thinking_tokens
}

/// The model, if the process used only one.
fn only_model(result: &ResultLine) -> Option<String> {
    let mut models = result.model_usage.keys();
    models.next().filter(|_| models.next().is_none()).cloned()
}
