//! What was used of one model, and how the ticks of a meter become that. Pure arithmetic.

use od_protocol::{Usage, UsageScope, UsageSource};

use super::spent::Spent;

/// What an attempt used of one model.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Share {
    /// `None` means that the events do not say.
    pub(super) model: Option<String>,
    service_tier: Option<String>,
    pub(super) source: UsageSource,
    pub(super) spent: Spent,
}

impl Share {
    /// The figures of one tick; `model` is the one in use.
    fn of(tick: &Usage, model: Option<&String>) -> Self {
        Self {
            model: tick.model.as_ref().or(model).cloned(),
            service_tier: tick.service_tier.clone(),
            source: tick.source,
            spent: Spent::of(tick),
        }
    }

    /// Takes up another one. What is said of both must be true of both; one that used nothing has no say.
    fn absorb(&mut self, other: &Self) {
        let is_idle = |share: &Self| share.spent.total_tokens == 0;
        if is_idle(self) {
            let spent = self.spent;
            *self = other.clone();
            self.spent = spent;
        } else if !is_idle(other) {
            self.model = self.model.take().filter(|model| other.model.as_ref() == Some(model));
            let tier = self.service_tier.take();
            self.service_tier = tier.filter(|tier| other.service_tier.as_ref() == Some(tier));
            if self.source != other.source {
                self.source = UsageSource::Estimated;
            }
        }
        self.spent.add(&other.spent);
    }

    /// The same as a tick of the whole run.
    fn into_usage(self) -> Usage {
        let Self { model, service_tier, source, spent } = self;
        Usage {
            scope: UsageScope::Run,
            cumulative: true,
            input_tokens: spent.input_tokens,
            output_tokens: spent.output_tokens,
            cache_read_tokens: spent.cache_read_tokens,
            cache_write_tokens: spent.cache_write_tokens,
            reasoning_tokens: spent.reasoning_tokens,
            total_tokens: spent.total_tokens,
            cost_usd: spent.cost_usd,
            model,
            service_tier,
            source,
        }
    }
}

/// The ticks of one scope. A cumulative one contains all before it, so it adds what it has grown by.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Counter {
    /// The first cumulative tick: how much of it is new depends on where the counter stood.
    first: Option<Share>,
    /// What all others add, by model.
    others: Vec<Share>,
    /// Where the counter stands.
    pub(super) reached: Option<Spent>,
}

impl Counter {
    /// Takes a tick; `model` is the one in use.
    pub(super) fn take(&mut self, tick: &Usage, model: Option<&String>) {
        let mut share = Share::of(tick, model);
        if tick.cumulative {
            match self.reached.replace(share.spent) {
                Some(stood) => share.spent = share.spent.since(&stood),
                None => {
                    self.first = Some(share);
                    return;
                }
            }
        }
        add(&mut self.others, share);
    }

    /// Nothing was told.
    pub(super) fn is_empty(&self) -> bool {
        self.first.is_none() && self.others.is_empty()
    }

    /// What was used since the counter stood at `base`, by model.
    pub(super) fn shares(&self, base: &Spent) -> Vec<Share> {
        let first = self.first.clone().map(|first| {
            let spent = first.spent.since(base);
            Share { spent, ..first }
        });
        let mut shares = Vec::new();
        first.into_iter().chain(self.others.iter().cloned()).for_each(|it| add(&mut shares, it));
        shares
    }
}

/// Adds a share to that of the same model.
pub(super) fn add(shares: &mut Vec<Share>, share: Share) {
    match shares.iter_mut().find(|known| known.model == share.model) {
        Some(known) => known.absorb(&share),
        None => shares.push(share),
    }
}

/// The figures of all.
pub(super) fn sum(shares: &[Share]) -> Spent {
    let mut sum = Spent::default();
    shares.iter().for_each(|share| sum.add(&share.spent));
    sum
}

/// All in one; `None` when there are none. What is not the same for all is left open.
pub(super) fn merged(shares: Vec<Share>) -> Option<Share> {
    shares.into_iter().reduce(|mut sum, share| {
        sum.absorb(&share);
        sum
    })
}

/// All in one, as a tick of the whole run.
pub(super) fn total(shares: Vec<Share>) -> Option<Usage> {
    merged(shares).map(Share::into_usage)
}

/// A run's figures, split by model where its turns name several and account for it; what they leave over is of
/// the last one. A cost that is stated for the whole only cannot be split, and neither is the run then.
pub(super) fn split(run: Vec<Share>, turns: Vec<Share>) -> Vec<Share> {
    let (whole, parts) = (sum(&run), sum(&turns));
    let cost_fits = whole.cost_usd.is_none() || parts.cost_usd.is_some();
    if run.len() > 1 || turns.len() < 2 || !parts.fits_into(&whole) || !cost_fits {
        return run;
    }
    let rest = Spent { cost_usd: None, ..whole.since(&parts) };
    let mut shares = turns;
    if let Some(last) = shares.last_mut() {
        let more =
            whole.cost_usd.zip(parts.cost_usd).map(|(whole, parts)| (whole - parts).max(0.0));
        let cost_usd = last.spent.cost_usd.map(|cost| cost + more.unwrap_or(0.0));
        last.spent.add(&rest);
        last.spent.cost_usd = cost_usd;
    }
    shares
}
