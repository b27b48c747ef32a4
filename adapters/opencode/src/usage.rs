//! Tokens and cost: each finished step reports its own, and a run is the sum of its steps.

use od_protocol::{Event, Usage, UsageScope, UsageSource};

use super::native::{Part, Tokens};
use od_sdk::RunOutput;

/// Usage of a run so far.
#[derive(Debug, Default)]
pub(super) struct UsageTracker {
    total: Option<Usage>,
    /// The model in use.
    pub(super) model: Option<String>,
}

impl UsageTracker {
    /// A step finished.
    pub(super) fn on_step(&mut self, part: &Part, output: &mut RunOutput) {
        let Some(tokens) = &part.tokens else { return };
        let step = usage(tokens, part.cost, self.model.clone());
        self.total = Some(match self.total.take() {
            None => step.clone(),
            Some(total) => sum(total, &step),
        });
        output.event(Event::Usage(step));
    }

    /// Emits the usage of the whole run.
    pub(super) fn report(&mut self, output: &mut RunOutput) {
        if let Some(total) = self.total.take() {
            let (scope, cumulative) = (UsageScope::Run, true);
            output.event(Event::Usage(Usage { scope, cumulative, ..total }));
        }
    }
}

fn usage(tokens: &Tokens, cost_usd: Option<f64>, model: Option<String>) -> Usage {
    let [input, output, reasoning, read, write] =
        [tokens.input, tokens.output, tokens.reasoning, tokens.cache.read, tokens.cache.write]
            .map(|count| count.max(0.0) as u64);
    Usage {
        scope: UsageScope::Turn,
        cumulative: false,
        input_tokens: input,
        // OpenCode counts reasoning separately; the protocol counts it as output.
        output_tokens: output.saturating_add(reasoning),
        cache_read_tokens: read,
        cache_write_tokens: write,
        reasoning_tokens: Some(reasoning),
        total_tokens: [input, output, reasoning, read, write]
            .into_iter()
            .fold(0, u64::saturating_add),
        cost_usd,
        provider: provider_of(model.as_deref()),
        model,
        service_tier: None,
        source: UsageSource::Cli,
    }
}

/// OpenCode names a model `provider/model`.
fn provider_of(model: Option<&str>) -> Option<String> {
    model.and_then(|model| model.split_once('/')).map(|(provider, _)| provider.to_owned())
}

fn sum(total: Usage, step: &Usage) -> Usage {
    Usage {
        input_tokens: total.input_tokens.saturating_add(step.input_tokens),
        output_tokens: total.output_tokens.saturating_add(step.output_tokens),
        cache_read_tokens: total.cache_read_tokens.saturating_add(step.cache_read_tokens),
        cache_write_tokens: total.cache_write_tokens.saturating_add(step.cache_write_tokens),
        reasoning_tokens: match (total.reasoning_tokens, step.reasoning_tokens) {
            (Some(before), Some(now)) => Some(before.saturating_add(now)),
            (before, now) => before.or(now),
        },
        total_tokens: total.total_tokens.saturating_add(step.total_tokens),
        // A sum with an unknown cost is unknown.
        cost_usd: total.cost_usd.zip(step.cost_usd).map(|(before, now)| before + now),
        // A sum over several models has no model.
        model: total.model.filter(|model| step.model.as_ref() == Some(model)),
        provider: total.provider.filter(|name| step.provider.as_ref() == Some(name)),
        ..total
    }
}
