//! Tokens by kind, as the protocol counts them, and the usage built from them.

use od_protocol::{Usage, UsageScope, UsageSource};

/// Tokens by kind.
///
/// ```
/// use od_protocol::UsageScope;
/// use od_sdk::usage::Tokens;
///
/// let turn = Tokens { input: 10, output: 2, cache_read: 5, ..Tokens::default() };
/// let usage = turn.usage(UsageScope::Turn);
/// assert_eq!((usage.total_tokens, usage.cumulative), (17, false));
/// ```
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Tokens {
    /// Input without cached tokens.
    pub input: u64,
    /// Output with thinking.
    pub output: u64,
    /// Read from a cache.
    pub cache_read: u64,
    /// Written to a cache.
    pub cache_write: u64,
    /// Thinking; `None` if not reported.
    pub reasoning: Option<u64>,
}

impl Tokens {
    /// Returns the sum of both.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        self.combine(other, u64::saturating_add)
    }

    /// Returns the difference to an earlier count; never negative.
    #[must_use]
    pub fn since(self, earlier: Self) -> Self {
        self.combine(earlier, u64::saturating_sub)
    }

    /// Returns the number of all tokens.
    pub fn sum(self) -> u64 {
        let Self { input, output, cache_read, cache_write, .. } = self;
        [output, cache_read, cache_write].into_iter().fold(input, u64::saturating_add)
    }

    /// Returns the usage as the agent CLI reports it, without cost, model and provider. A turn counts
    /// its own tokens; larger scopes are cumulative.
    pub fn usage(self, scope: UsageScope) -> Usage {
        Usage {
            scope,
            cumulative: scope != UsageScope::Turn,
            input_tokens: self.input,
            output_tokens: self.output,
            cache_read_tokens: self.cache_read,
            cache_write_tokens: self.cache_write,
            reasoning_tokens: self.reasoning,
            total_tokens: self.sum(),
            cost_usd: None,
            model: None,
            provider: None,
            service_tier: None,
            source: UsageSource::Cli,
        }
    }

    fn combine(self, other: Self, operation: fn(u64, u64) -> u64) -> Self {
        Self {
            input: operation(self.input, other.input),
            output: operation(self.output, other.output),
            cache_read: operation(self.cache_read, other.cache_read),
            cache_write: operation(self.cache_write, other.cache_write),
            reasoning: combine_known(self.reasoning, other.reasoning, operation),
        }
    }
}

/// Adds usage to a total. A sum with an unknown cost is unknown; a sum over several models or
/// providers has none.
pub fn add(total: Usage, more: &Usage) -> Usage {
    let sum = u64::saturating_add;
    Usage {
        input_tokens: sum(total.input_tokens, more.input_tokens),
        output_tokens: sum(total.output_tokens, more.output_tokens),
        cache_read_tokens: sum(total.cache_read_tokens, more.cache_read_tokens),
        cache_write_tokens: sum(total.cache_write_tokens, more.cache_write_tokens),
        reasoning_tokens: combine_known(total.reasoning_tokens, more.reasoning_tokens, sum),
        total_tokens: sum(total.total_tokens, more.total_tokens),
        cost_usd: total.cost_usd.zip(more.cost_usd).map(|(total, more)| total + more),
        model: total.model.filter(|model| more.model.as_ref() == Some(model)),
        provider: total.provider.filter(|provider| more.provider.as_ref() == Some(provider)),
        ..total
    }
}

/// Combines two counts; an unknown one does not change the other.
fn combine_known(
    one: Option<u64>,
    other: Option<u64>,
    operation: fn(u64, u64) -> u64,
) -> Option<u64> {
    match (one, other) {
        (Some(one), Some(other)) => Some(operation(one, other)),
        (one, other) => one.or(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn difference_is_never_negative() {
        let one =
            Tokens { input: 1, output: 2, cache_read: 3, cache_write: 4, ..Tokens::default() };
        assert_eq!(one.and(one).since(one), one);
        assert_eq!(Tokens::default().since(one), Tokens::default());
        assert_eq!(one.sum(), 10);
    }

    #[test]
    fn sum_of_two_models_has_no_model() {
        let usage = |model: &str, cost_usd| {
            let tokens = Tokens { input: 1, reasoning: Some(2), ..Tokens::default() };
            Usage { model: Some(model.to_owned()), cost_usd, ..tokens.usage(UsageScope::Turn) }
        };
        let same = add(usage("a", Some(0.5)), &usage("a", Some(0.5)));
        assert_eq!((same.model.as_deref(), same.cost_usd), (Some("a"), Some(1.0)));
        assert_eq!((same.input_tokens, same.reasoning_tokens), (2, Some(4)));
        let different = add(usage("a", Some(0.5)), &usage("b", None));
        assert_eq!((different.model, different.cost_usd), (None, None));
    }
}
