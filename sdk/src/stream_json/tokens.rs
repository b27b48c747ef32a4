//! Tokens by kind, as the protocol counts them.

use od_protocol::{Usage, UsageScope, UsageSource};

/// Tokens by kind.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Tokens {
    /// Input without cached tokens.
    pub input: u64,
    /// Output.
    pub output: u64,
    /// Read from the cache.
    pub cache_read: u64,
    /// Written to the cache.
    pub cache_write: u64,
}

impl Tokens {
    /// Both together.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        self.combine(other, u64::saturating_add)
    }

    /// The difference to an earlier count.
    #[must_use]
    pub fn since(self, earlier: Self) -> Self {
        self.combine(earlier, u64::saturating_sub)
    }

    /// All kinds.
    pub fn sum(self) -> u64 {
        [self.input, self.output, self.cache_read, self.cache_write]
            .into_iter()
            .fold(0, u64::saturating_add)
    }

    /// A usage report of the agent CLI; the caller adds model and cost.
    pub fn usage(self, scope: UsageScope, cumulative: bool) -> Usage {
        Usage {
            scope,
            cumulative,
            input_tokens: self.input,
            output_tokens: self.output,
            cache_read_tokens: self.cache_read,
            cache_write_tokens: self.cache_write,
            reasoning_tokens: None,
            total_tokens: self.sum(),
            cost_usd: None,
            model: None,
            provider: None,
            service_tier: None,
            source: UsageSource::Cli,
        }
    }

    fn combine(self, other: Self, operation: impl Fn(u64, u64) -> u64) -> Self {
        Self {
            input: operation(self.input, other.input),
            output: operation(self.output, other.output),
            cache_read: operation(self.cache_read, other.cache_read),
            cache_write: operation(self.cache_write, other.cache_write),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Tokens;

    #[test]
    fn difference_is_never_negative() {
        let one = Tokens { input: 1, output: 2, cache_read: 3, cache_write: 4 };
        assert_eq!(one.and(one).since(one), one);
        assert_eq!(Tokens::default().since(one), Tokens::default());
        assert_eq!(one.sum(), 10);
    }
}
