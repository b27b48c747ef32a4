//! Tokens, cost and context usage. Each answer reports its own, also a failed one; a turn and a run
//! are sums of them.

use od_protocol::{Context, Event, Usage, UsageScope};

use crate::content::model_id;
use crate::native;
use od_sdk::RunOutput;
use od_sdk::usage::{self, Tokens};

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
        let answer = usage_of(figures, message);
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

fn usage_of(figures: &native::Usage, message: &native::Message) -> Usage {
    let native::Usage { input, output, cache_read, cache_write, reasoning, .. } = *figures;
    let tokens = Tokens { input, output, cache_read, cache_write, reasoning };
    Usage {
        cost_usd: figures.cost.and_then(|cost| cost.total),
        model: model_of(message),
        provider: message.provider.clone(),
        ..tokens.usage(UsageScope::Turn)
    }
}

/// The sum of two answers. An answer without a cost does not change the sum of the costs.
fn add(sum: Option<Usage>, answer: &Usage) -> Usage {
    let Some(sum) = sum else { return answer.clone() };
    let known_cost = sum.cost_usd.or(answer.cost_usd);
    let total = usage::add(sum, answer);
    Usage { cost_usd: total.cost_usd.or(known_cost), ..total }
}

fn model_of(message: &native::Message) -> Option<String> {
    let model = message.model.as_deref()?;
    Some(model_id(message.provider.as_deref().unwrap_or_default(), model))
}
