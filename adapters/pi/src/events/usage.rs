//! Tokens, cost and context usage. Each answer reports its own, also a failed one; a turn and a run
//! are sums of them.

use od_protocol::{Context, Event, Usage, UsageScope, UsageSource};

use crate::content::model_id;
use crate::native;
use od_sdk::RunOutput;

/// Usage of a run so far.
#[derive(Debug, Default)]
pub(super) struct UsageTracker {
    turn: Option<Usage>,
    run: Option<Usage>,
    /// The context window of the model, in tokens.
    pub(super) context_window: Option<u64>,
}

impl UsageTracker {
    /// An answer is complete.
    pub(super) fn on_message(&mut self, message: &native::Message, output: &mut RunOutput) {
        let Some(figures) = &message.usage else { return };
        let answer = usage(figures, message);
        if answer.total_tokens == 0 && answer.cost_usd.unwrap_or_default() == 0.0 {
            return;
        }
        output.event(Event::Context(Context {
            used_tokens: answer.total_tokens,
            max_tokens: self.context_window,
            compacted: false,
        }));
        self.turn = Some(add(self.turn.take(), &answer));
        let run = add(self.run.take(), &answer);
        self.run = Some(run.clone());
        output.event(Event::Usage(Usage { scope: UsageScope::Run, cumulative: true, ..run }));
    }

    /// The turn has ended.
    pub(super) fn end_turn(&mut self, output: &mut RunOutput) {
        if let Some(turn) = self.turn.take() {
            output.event(Event::Usage(turn));
        }
    }
}

fn usage(figures: &native::Usage, message: &native::Message) -> Usage {
    let native::Usage { input, output, cache_read, cache_write, reasoning, .. } = *figures;
    let sum = [input, output, cache_read, cache_write].into_iter().fold(0, u64::saturating_add);
    Usage {
        scope: UsageScope::Turn,
        cumulative: false,
        input_tokens: input,
        output_tokens: output,
        cache_read_tokens: cache_read,
        cache_write_tokens: cache_write,
        reasoning_tokens: reasoning,
        total_tokens: figures.total_tokens.unwrap_or(sum),
        cost_usd: figures.cost.and_then(|cost| cost.total),
        model: model_of(message),
        provider: message.provider.clone(),
        service_tier: None,
        source: UsageSource::Cli,
    }
}

/// The sum of two answers; the cost is unknown if one of them is unknown.
fn add(sum: Option<Usage>, answer: &Usage) -> Usage {
    let Some(sum) = sum else { return answer.clone() };
    let both = |one: Option<u64>, other: Option<u64>| match (one, other) {
        (Some(one), Some(other)) => Some(one.saturating_add(other)),
        (one, other) => one.or(other),
    };
    Usage {
        input_tokens: sum.input_tokens.saturating_add(answer.input_tokens),
        output_tokens: sum.output_tokens.saturating_add(answer.output_tokens),
        cache_read_tokens: sum.cache_read_tokens.saturating_add(answer.cache_read_tokens),
        cache_write_tokens: sum.cache_write_tokens.saturating_add(answer.cache_write_tokens),
        reasoning_tokens: both(sum.reasoning_tokens, answer.reasoning_tokens),
        total_tokens: sum.total_tokens.saturating_add(answer.total_tokens),
        cost_usd: match (sum.cost_usd, answer.cost_usd) {
            (Some(sum), Some(answer)) => Some(sum + answer),
            (sum, answer) => sum.or(answer),
        },
        model: sum.model.filter(|model| answer.model.as_ref() == Some(model)),
        provider: sum.provider.filter(|name| answer.provider.as_ref() == Some(name)),
        ..answer.clone()
    }
}

fn model_of(message: &native::Message) -> Option<String> {
    let model = message.model.as_deref()?;
    Some(model_id(message.provider.as_deref().unwrap_or_default(), model))
}
