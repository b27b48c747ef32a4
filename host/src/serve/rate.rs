//! Limits the calls of one client per second. Event streams are not counted.

use std::net::IpAddr;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use governor::clock::{Clock, DefaultClock};
use governor::{DefaultDirectRateLimiter, DefaultKeyedRateLimiter, NotUntil, Quota};

/// Above this number of addresses, idle ones are dropped.
const MAX_TRACKED_ADDRESSES: usize = 1024;

/// Counts calls per address over HTTP and per connection over WebSocket.
#[derive(Debug)]
pub(super) struct RateLimits {
    quota: Option<Quota>,
    addresses: Option<DefaultKeyedRateLimiter<IpAddr>>,
}

/// The rate limit of one connection.
#[derive(Debug, Clone)]
pub(super) struct ClientRate(Option<Arc<DefaultDirectRateLimiter>>);

impl RateLimits {
    /// Allows this many calls per second, also as a burst; 0 means unlimited.
    pub(super) fn new(calls_per_second: u32) -> Self {
        let quota = NonZeroU32::new(calls_per_second).map(Quota::per_second);
        Self { quota, addresses: quota.map(DefaultKeyedRateLimiter::keyed) }
    }

    /// Counts a call of an address. The error is the time to wait.
    pub(super) fn check(&self, address: IpAddr) -> Result<(), Duration> {
        let Some(addresses) = &self.addresses else { return Ok(()) };
        if addresses.len() > MAX_TRACKED_ADDRESSES {
            addresses.retain_recent();
        }
        addresses.check_key(&address).map_err(|until| wait(&until))
    }

    /// The limit of a new connection.
    pub(super) fn connection(&self) -> ClientRate {
        ClientRate(self.quota.map(|quota| Arc::new(DefaultDirectRateLimiter::direct(quota))))
    }
}

impl ClientRate {
    /// No limit, for the one client on stdio.
    pub(super) fn unlimited() -> Self {
        Self(None)
    }

    /// Counts a call. The error is the time to wait.
    pub(super) fn check(&self) -> Result<(), Duration> {
        match &self.0 {
            Some(limiter) => limiter.check().map_err(|until| wait(&until)),
            None => Ok(()),
        }
    }
}

fn wait(until: &NotUntil<<DefaultClock as Clock>::Instant>) -> Duration {
    until.wait_time_from(DefaultClock::default().now())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_client_has_its_own_limit() {
        let rates = RateLimits::new(2);
        let (one, other) = (IpAddr::from([127, 0, 0, 1]), IpAddr::from([10, 0, 0, 1]));
        assert_eq!((rates.check(one), rates.check(one)), (Ok(()), Ok(())));
        assert!(rates.check(one).is_err_and(|wait| wait <= Duration::from_secs(1)));
        assert_eq!(rates.check(other), Ok(()));

        let (first, second) = (rates.connection(), rates.connection());
        assert_eq!((first.check(), first.clone().check()), (Ok(()), Ok(())));
        assert!(first.check().is_err());
        assert_eq!(second.check(), Ok(()));
    }

    #[test]
    fn zero_means_unlimited() {
        let rates = RateLimits::new(0);
        let connection = rates.connection();
        for _ in 0..10_000 {
            assert_eq!((rates.check(IpAddr::from([0; 4])), connection.check()), (Ok(()), Ok(())));
        }
    }
}
