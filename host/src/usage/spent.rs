//! Figures of tokens and money, added and taken apart. Pure arithmetic.

use od_protocol::Usage;
use serde::{Deserialize, Serialize};

/// What was used. The default is nothing at all, which changes no sum.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Spent {
    pub(crate) input_tokens: u64,
    pub(crate) output_tokens: u64,
    #[serde(default)]
    pub(crate) cache_read_tokens: u64,
    #[serde(default)]
    pub(crate) cache_write_tokens: u64,
    /// The part of the output that was reasoning; `None` means not stated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) reasoning_tokens: Option<u64>,
    pub(crate) total_tokens: u64,
    /// US dollars; `None` means not stated, which is not zero.
    pub(crate) cost_usd: Option<f64>,
}

impl Spent {
    /// The figures of one tick of the meter.
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

    /// Adds figures. The cost of a sum is stated only when the cost of each part is.
    pub(crate) fn add(&mut self, other: &Self) {
        let cost_usd = match (self.is_nothing(), other.is_nothing()) {
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

    /// What was used since a counter stood at `earlier`. A counter that went back began anew.
    pub(crate) fn since(&self, earlier: &Self) -> Self {
        if !earlier.fits_into(self) {
            return *self;
        }
        let cost_usd = match (self.cost_usd, earlier.cost_usd) {
            (Some(cost), Some(before)) => Some((cost - before).max(0.0)),
            (cost, None) if earlier.is_nothing() => cost,
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

    /// Nothing was used, and nobody says what it cost.
    pub(crate) fn is_nothing(&self) -> bool {
        self.total_tokens == 0 && self.cost_usd.is_none() && self.fits_into(&Self::default())
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// So many tokens sent and received, at a price.
    pub(crate) fn spent(input_tokens: u64, output_tokens: u64, cost_usd: Option<f64>) -> Spent {
        Spent {
            input_tokens,
            output_tokens,
            total_tokens: input_tokens + output_tokens,
            cost_usd,
            ..Spent::default()
        }
    }

    #[test]
    fn a_cost_is_stated_only_when_all_parts_state_it() {
        let mut sum = Spent::default();
        sum.add(&spent(1, 2, Some(0.5)));
        sum.add(&Spent::default());
        assert_eq!(sum, spent(1, 2, Some(0.5)));
        sum.add(&spent(1, 0, Some(0.25)));
        assert_eq!(sum, spent(2, 2, Some(0.75)));
        sum.add(&spent(1, 0, None));
        assert_eq!(sum, spent(3, 2, None));
    }

    #[test]
    fn a_counter_that_went_back_began_anew() {
        assert_eq!(spent(5, 9, None).since(&spent(2, 3, None)), spent(3, 6, None));
        assert_eq!(spent(1, 9, None).since(&spent(2, 3, None)), spent(1, 9, None));
    }

    #[test]
    fn the_cost_of_a_difference_needs_both_ends() {
        let cost = |end: Option<f64>, start: Spent| spent(5, 5, end).since(&start).cost_usd;
        assert_eq!(cost(Some(0.75), spent(1, 1, Some(0.5))), Some(0.25));
        assert_eq!(cost(Some(0.75), spent(1, 1, None)), None);
        assert_eq!(cost(Some(0.75), Spent::default()), Some(0.75));
        assert_eq!(cost(None, spent(1, 1, Some(0.5))), None);
    }
}
