//! Token counts and cost: sums and differences. Pure arithmetic.

use od_protocol::Usage;
use serde::{Deserialize, Serialize};

/// Token counts and cost. The default has zero tokens and no cost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TokenUsage {
    pub(crate) input_tokens: u64,
    pub(crate) output_tokens: u64,
    #[serde(default)]
    pub(crate) cache_read_tokens: u64,
    #[serde(default)]
    pub(crate) cache_write_tokens: u64,
    /// The part of the output that is reasoning; `None` means not reported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) reasoning_tokens: Option<u64>,
    pub(crate) total_tokens: u64,
    /// US dollars; `None` means not reported, which is not zero.
    pub(crate) cost_usd: Option<f64>,
}

impl TokenUsage {
    /// The figures of one usage event.
    pub(crate) fn of(usage: &Usage) -> Self {
        Self {
            input_tokens: usage.input_tokens,
            output_tokens: usage.output_tokens,
            cache_read_tokens: usage.cache_read_tokens,
            cache_write_tokens: usage.cache_write_tokens,
            reasoning_tokens: usage.reasoning_tokens,
            total_tokens: usage.total_tokens,
            cost_usd: usage.cost_usd,
        }
    }

    /// Adds figures. A sum has a cost only when each part has one.
    pub(crate) fn add(&mut self, other: &Self) {
        let cost_usd = match (self.is_empty(), other.is_empty()) {
            (true, _) => other.cost_usd,
            (_, true) => self.cost_usd,
            _ => self.cost_usd.zip(other.cost_usd).map(|(left, right)| left + right),
        };
        let reasoning = [self.reasoning_tokens, other.reasoning_tokens];
        *self = Self {
            input_tokens: self.input_tokens.saturating_add(other.input_tokens),
            output_tokens: self.output_tokens.saturating_add(other.output_tokens),
            cache_read_tokens: self.cache_read_tokens.saturating_add(other.cache_read_tokens),
            cache_write_tokens: self.cache_write_tokens.saturating_add(other.cache_write_tokens),
            reasoning_tokens: reasoning.into_iter().flatten().reduce(u64::saturating_add),
            total_tokens: self.total_tokens.saturating_add(other.total_tokens),
            cost_usd,
        };
    }

    /// The usage since a counter had the value `earlier`. A counter that decreased was reset to zero.
    pub(crate) fn since(&self, earlier: &Self) -> Self {
        if !earlier.fits_into(self) {
            return *self;
        }
        let cost_usd = match (self.cost_usd, earlier.cost_usd) {
            (Some(cost), Some(before)) => Some((cost - before).max(0.0)),
            (cost, None) if earlier.is_empty() => cost,
            _ => None,
        };
        Self {
            input_tokens: self.input_tokens - earlier.input_tokens,
            output_tokens: self.output_tokens - earlier.output_tokens,
            cache_read_tokens: self.cache_read_tokens - earlier.cache_read_tokens,
            cache_write_tokens: self.cache_write_tokens - earlier.cache_write_tokens,
            reasoning_tokens: self
                .reasoning_tokens
                .map(|tokens| tokens.saturating_sub(earlier.reasoning_tokens.unwrap_or(0))),
            total_tokens: self.total_tokens.saturating_sub(earlier.total_tokens),
            cost_usd,
        }
    }

    /// Whether these figures can be a part of the whole.
    pub(crate) fn fits_into(&self, whole: &Self) -> bool {
        self.input_tokens <= whole.input_tokens
            && self.output_tokens <= whole.output_tokens
            && self.cache_read_tokens <= whole.cache_read_tokens
            && self.cache_write_tokens <= whole.cache_write_tokens
    }

    /// Whether it has neither tokens nor a cost.
    pub(crate) fn is_empty(&self) -> bool {
        self.total_tokens == 0 && self.cost_usd.is_none() && self.fits_into(&Self::default())
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Input tokens, output tokens and cost.
    pub(crate) fn tokens(
        input_tokens: u64,
        output_tokens: u64,
        cost_usd: Option<f64>,
    ) -> TokenUsage {
        TokenUsage {
            input_tokens,
            output_tokens,
            total_tokens: input_tokens + output_tokens,
            cost_usd,
            ..TokenUsage::default()
        }
    }

    #[test]
    fn sum_has_cost_when_every_part_has() {
        let mut sum = TokenUsage::default();
        sum.add(&tokens(1, 2, Some(0.5)));
        sum.add(&TokenUsage::default());
        assert_eq!(sum, tokens(1, 2, Some(0.5)));
        sum.add(&tokens(1, 0, Some(0.25)));
        assert_eq!(sum, tokens(2, 2, Some(0.75)));
        sum.add(&tokens(1, 0, None));
        assert_eq!(sum, tokens(3, 2, None));
    }

    #[test]
    fn decreased_counter_counts_from_zero() {
        assert_eq!(tokens(5, 9, None).since(&tokens(2, 3, None)), tokens(3, 6, None));
        assert_eq!(tokens(1, 9, None).since(&tokens(2, 3, None)), tokens(1, 9, None));
    }

    #[test]
    fn difference_has_cost_when_both_values_have() {
        let cost = |end: Option<f64>, start: TokenUsage| tokens(5, 5, end).since(&start).cost_usd;
        assert_eq!(cost(Some(0.75), tokens(1, 1, Some(0.5))), Some(0.25));
        assert_eq!(cost(Some(0.75), tokens(1, 1, None)), None);
        assert_eq!(cost(Some(0.75), TokenUsage::default()), Some(0.75));
        assert_eq!(cost(None, tokens(1, 1, Some(0.5))), None);
    }
}
