//! The usage of one model, computed from usage events. Pure arithmetic.

use od_protocol::{Usage, UsageScope, UsageSource};

use super::token_usage::TokenUsage;

/// The usage of one model in an attempt.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ModelUsage {
    /// `None` when the events do not name it.
    pub(super) model: Option<String>,
    pub(super) provider: Option<String>,
    service_tier: Option<String>,
    pub(super) source: UsageSource,
    pub(super) tokens: TokenUsage,
}

impl ModelUsage {
    /// The figures of one event; `model` is the model in use.
    fn of(usage: &Usage, model: Option<&String>) -> Self {
        Self {
            model: usage.model.as_ref().or(model).cloned(),
            provider: usage.provider.clone(),
            service_tier: usage.service_tier.clone(),
            source: usage.source,
            tokens: TokenUsage::of(usage),
        }
    }

    /// Adds another one. A property that differs becomes unknown, unless one of them used nothing.
    fn absorb(&mut self, other: &Self) {
        let is_idle = |usage: &Self| usage.tokens.total_tokens == 0;
        if is_idle(self) {
            let tokens = self.tokens;
            *self = other.clone();
            self.tokens = tokens;
        } else if !is_idle(other) {
            keep_common(&mut self.model, other.model.as_ref());
            keep_common(&mut self.provider, other.provider.as_ref());
            keep_common(&mut self.service_tier, other.service_tier.as_ref());
            if self.source != other.source {
                self.source = UsageSource::Estimated;
            }
        }
        self.tokens.add(&other.tokens);
    }

    /// Converts to a usage event of the whole run.
    fn into_usage(self) -> Usage {
        let Self { model, provider, service_tier, source, tokens } = self;
        Usage {
            scope: UsageScope::Run,
            cumulative: true,
            input_tokens: tokens.input_tokens,
            output_tokens: tokens.output_tokens,
            cache_read_tokens: tokens.cache_read_tokens,
            cache_write_tokens: tokens.cache_write_tokens,
            reasoning_tokens: tokens.reasoning_tokens,
            total_tokens: tokens.total_tokens,
            cost_usd: tokens.cost_usd,
            model,
            provider,
            service_tier,
            source,
        }
    }
}

/// Sums the usage events of one scope. A cumulative event includes all earlier ones, so only its growth is added.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Counter {
    /// The first cumulative event: how much of it is new depends on the value before the run.
    first: Option<ModelUsage>,
    /// What all other events add, by model.
    others: Vec<ModelUsage>,
    /// The last cumulative value.
    pub(super) reached: Option<TokenUsage>,
}

impl Counter {
    /// Adds an event; `model` is the model in use.
    pub(super) fn push(&mut self, usage: &Usage, model: Option<&String>) {
        let mut used = ModelUsage::of(usage, model);
        if usage.cumulative {
            match self.reached.replace(used.tokens) {
                Some(earlier) => used.tokens = used.tokens.since(&earlier),
                None => {
                    self.first = Some(used);
                    return;
                }
            }
        }
        add(&mut self.others, used);
    }

    /// Whether no event was added.
    pub(super) fn is_empty(&self) -> bool {
        self.first.is_none() && self.others.is_empty()
    }

    /// The usage since the counter had the value `base`, by model.
    pub(super) fn by_model(&self, base: &TokenUsage) -> Vec<ModelUsage> {
        let first = self.first.clone().map(|first| {
            let tokens = first.tokens.since(base);
            ModelUsage { tokens, ..first }
        });
        let mut models = Vec::new();
        first.into_iter().chain(self.others.iter().cloned()).for_each(|it| add(&mut models, it));
        models
    }
}

fn keep_common(value: &mut Option<String>, other: Option<&String>) {
    if value.as_ref() != other {
        *value = None;
    }
}

/// Adds usage to the entry of the same model.
pub(super) fn add(models: &mut Vec<ModelUsage>, usage: ModelUsage) {
    match models.iter_mut().find(|known| known.model == usage.model) {
        Some(known) => known.absorb(&usage),
        None => models.push(usage),
    }
}

/// The figures of all models.
pub(super) fn sum(models: &[ModelUsage]) -> TokenUsage {
    let mut sum = TokenUsage::default();
    models.iter().for_each(|usage| sum.add(&usage.tokens));
    sum
}

/// Merges all models into one entry; `None` without entries. A property that differs becomes unknown.
pub(super) fn merge(models: Vec<ModelUsage>) -> Option<ModelUsage> {
    models.into_iter().reduce(|mut sum, usage| {
        sum.absorb(&usage);
        sum
    })
}

/// The sum of all models as a usage event of the whole run.
pub(super) fn total(models: Vec<ModelUsage>) -> Option<Usage> {
    merge(models).map(ModelUsage::into_usage)
}

/// Splits a run's figures by model, when its turns name several models and do not exceed the run; the rest belongs to
/// the last model. A run with a cost for the whole only is not split, because the cost cannot be.
pub(super) fn split(run: Vec<ModelUsage>, turns: Vec<ModelUsage>) -> Vec<ModelUsage> {
    let (whole, parts) = (sum(&run), sum(&turns));
    let cost_fits = whole.cost_usd.is_none() || parts.cost_usd.is_some();
    if run.len() > 1 || turns.len() < 2 || !parts.fits_into(&whole) || !cost_fits {
        return run;
    }
    let rest = TokenUsage { cost_usd: None, ..whole.since(&parts) };
    let mut models = turns;
    if let Some(last) = models.last_mut() {
        let more =
            whole.cost_usd.zip(parts.cost_usd).map(|(whole, parts)| (whole - parts).max(0.0));
        let cost_usd = last.tokens.cost_usd.map(|cost| cost + more.unwrap_or(0.0));
        last.tokens.add(&rest);
        last.tokens.cost_usd = cost_usd;
    }
    models
}
