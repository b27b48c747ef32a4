//! How often one client may call. Streams of events are not counted.

use std::net::IpAddr;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use governor::clock::{Clock, DefaultClock};
use governor::{DefaultDirectRateLimiter, DefaultKeyedRateLimiter, NotUntil, Quota};

/// Addresses that are remembered before those that have been quiet are forgotten.
const REMEMBERED: usize = 1024;

/// Who is counted together: an address over HTTP, a connection over WebSocket.
#[derive(Debug)]
pub(super) struct Rates {
    quota: Option<Quota>,
    addresses: Option<DefaultKeyedRateLimiter<IpAddr>>,
}

/// The count of one WebSocket connection.
#[derive(Debug, Clone)]
pub(super) struct Rate(Option<Arc<DefaultDirectRateLimiter>>);

impl Rates {
    /// So many calls in a second, that many at once; 0 means any number.
    pub(super) fn new(calls_per_second: u32) -> Self {
        let quota = NonZeroU32::new(calls_per_second).map(Quota::per_second);
        Self { quota, addresses: quota.map(DefaultKeyedRateLimiter::keyed) }
    }

    /// Counts a call of an address; an error says how long to wait.
    pub(super) fn check(&self, address: IpAddr) -> Result<(), Duration> {
        let Some(addresses) = &self.addresses else { return Ok(()) };
        if addresses.len() > REMEMBERED {
            addresses.retain_recent();
        }
        addresses.check_key(&address).map_err(|until| wait(&until))
    }

    /// A count for a new connection.
    pub(super) fn connection(&self) -> Rate {
        Rate(self.quota.map(|quota| Arc::new(DefaultDirectRateLimiter::direct(quota))))
    }
}

impl Rate {
    /// Counts a call; an error says how long to wait.
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
    fn each_client_has_its_own_count_and_is_told_how_long_to_wait() {
        let rates = Rates::new(2);
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
    fn zero_means_any_number() {
        let rates = Rates::new(0);
        let connection = rates.connection();
        for _ in 0..10_000 {
            assert_eq!((rates.check(IpAddr::from([0; 4])), connection.check()), (Ok(()), Ok(())));
        }
    }
}
