//! Quota windows of a subscription, and the limit on retries.

use od_protocol::{Credential, Event, Quota, QuotaWindow, RateLimited, Retry};
use od_sdk::RunOutput;

use super::failure::Failure;
use crate::native::{RateLimitSnapshot, RateLimitWindow, RateLimits, TurnError};
use crate::options::Options;

/// Prefix of the message that reports a retry: `Reconnecting... 1/5`.
const RETRY_PREFIX: &str = "Reconnecting... ";

/// The quota and the retries of a run.
#[derive(Debug)]
pub(crate) struct Limits {
    max_retries: u32,
    max_rate_limit_retries: u32,
    retries: u32,
    quota: Option<Quota>,
    /// The credential in use; the hint of an authentication error depends on it.
    pub(crate) credential: Option<Credential>,
}

impl Limits {
    pub(crate) fn new(options: &Options, credential: Option<Credential>) -> Self {
        Self {
            max_retries: options.max_retries(),
            max_rate_limit_retries: options.max_rate_limit_retries(),
            retries: 0,
            quota: None,
            credential,
        }
    }

    /// The model responded, so earlier retries no longer count.
    pub(crate) fn on_response(&mut self) {
        self.retries = 0;
    }

    /// The earliest reset of an exhausted window, in milliseconds since 1970.
    pub(crate) fn resets_at(&self) -> Option<u64> {
        self.quota.as_ref()?.earliest_reset_at
    }

    pub(crate) fn on_rate_limits(&mut self, limits: &RateLimits, output: &mut RunOutput) {
        let Some(quota) = quota_of(&limits.rate_limits) else { return };
        if self.quota.as_ref() != Some(&quota) {
            output.event(Event::Quota(quota.clone()));
            self.quota = Some(quota);
        }
    }

    /// Emits a retry of the CLI. Returns the failure that ends the run when there are too many retries:
    /// after a rate limit the CLI waits without output, up to an hour (recording `r429long`).
    pub(crate) fn on_retry(
        &mut self,
        error: &TurnError,
        output: &mut RunOutput,
    ) -> Option<Failure> {
        self.retries += 1;
        let (reported_attempt, max_attempts) = attempts(&error.message);
        let attempt = reported_attempt.unwrap_or(self.retries);
        let reason = error.additional_details.clone().unwrap_or_else(|| error.message.clone());
        let cause = TurnError { message: reason.clone(), ..error.clone() };
        let failure = Failure::of_turn(&cause, self);
        let max_retries = match failure.is_rate_limit() {
            true => self.max_rate_limit_retries,
            false => self.max_retries,
        };
        if failure.is_rate_limit() {
            self.emit_rate_limit(output);
        }
        output.event(Event::Retry(Retry { attempt, max_attempts, delay_ms: None, reason }));
        (attempt.max(self.retries) > max_retries).then_some(failure)
    }

    /// Emits `rate_limited`, with the reset of the exhausted window if it is known.
    pub(crate) fn emit_rate_limit(&self, output: &mut RunOutput) {
        let windows = self.quota.iter().flat_map(|quota| &quota.windows);
        let window = windows.filter(|window| window.exhausted).min_by_key(|it| it.resets_at);
        output.event(Event::RateLimited(RateLimited {
            retry_after_ms: None,
            resets_at: self.resets_at(),
            window: window.map(|window| window.kind.clone()),
            source: "provider".to_owned(),
        }));
    }
}

/// Returns the quota windows of a subscription; `None` without one.
pub(crate) fn quota_of(snapshot: &RateLimitSnapshot) -> Option<Quota> {
    let named = [("primary", &snapshot.primary), ("secondary", &snapshot.secondary)];
    let windows: Vec<QuotaWindow> = named
        .into_iter()
        .filter_map(|(name, window)| Some(quota_window(name, window.as_ref()?)))
        .collect();
    if windows.is_empty() {
        return None;
    }
    let exhausted = windows.iter().filter(|window| window.exhausted);
    let earliest_reset_at = exhausted.clone().filter_map(|window| window.resets_at).min();
    let rate_limited = exhausted.count() > 0 || !snapshot.rate_limit_reached_type.is_null();
    Some(Quota { windows, rate_limited, earliest_reset_at })
}

fn quota_window(name: &str, window: &RateLimitWindow) -> QuotaWindow {
    let kind = match window.window_duration_mins {
        Some(300) => "five_hour",
        Some(10_080) => "seven_day",
        _ => name,
    };
    QuotaWindow {
        kind: kind.to_owned(),
        used_percent: Some(window.used_percent),
        resets_at: window.resets_at.map(|seconds| seconds.saturating_mul(1_000)),
        exhausted: window.used_percent >= 100.0,
    }
}

/// Returns the number of the attempt and the maximum.
fn attempts(message: &str) -> (Option<u32>, Option<u32>) {
    let Some(rest) = message.strip_prefix(RETRY_PREFIX) else { return (None, None) };
    let numbers = rest.split_whitespace().next().unwrap_or_default();
    match numbers.split_once('/') {
        Some((attempt, max)) => (attempt.parse().ok(), max.parse().ok()),
        None => (numbers.parse().ok(), None),
    }
}
