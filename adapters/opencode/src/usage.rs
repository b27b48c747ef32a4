//! Tokens and cost: each finished step reports its own, and a run is the sum of its steps.

use od_protocol::{Event, Usage, UsageScope};

use super::native::{self, Part};
use od_sdk::RunOutput;
use od_sdk::usage::{self, Tokens};

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
        let step = step_usage(tokens, part.cost, self.model.clone());
        self.total = Some(match self.total.take() {
            None => step.clone(),
            Some(total) => usage::add(total, &step),
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

fn step_usage(tokens: &native::Tokens, cost_usd: Option<f64>, model: Option<String>) -> Usage {
    let [input, output, reasoning, read, write] =
        [tokens.input, tokens.output, tokens.reasoning, tokens.cache.read, tokens.cache.write]
            .map(|count| count.max(0.0) as u64);
    let tokens = Tokens {
        input,
        // OpenCode counts reasoning separately; the protocol counts it as output.
        output: output.saturating_add(reasoning),
        cache_read: read,
        cache_write: write,
        reasoning: Some(reasoning),
    };
    let provider = provider_of(model.as_deref());
    Usage { cost_usd, provider, model, ..tokens.usage(UsageScope::Turn) }
}

/// OpenCode names a model `provider/model`.
fn provider_of(model: Option<&str>) -> Option<String> {
    model.and_then(|model| model.split_once('/')).map(|(provider, _)| provider.to_owned())
}
