//! Windows of the subscription and retries: told as they come, and ended when they would not end by
//! themselves.

use od_protocol::{Credential, Event, Quota, QuotaWindow, RateLimited, Retry};
use od_sdk::RunOutput;

use super::failure::Failure;
use crate::native::{RateLimitSnapshot, RateLimitWindow, RateLimits, TurnError};
use crate::options::Options;

/// How the CLI announces that it connects anew: `Reconnecting... 1/5`.
const RECONNECTING: &str = "Reconnecting... ";

/// What is known about limits.
#[derive(Debug)]
pub(crate) struct Limits {
    max_retries: u32,
    max_rate_limit_retries: u32,
    retries: u32,
    quota: Option<Quota>,
    /// Who pays: the hint of a refused login depends on it.
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

    /// The model has answered: whatever failed before is over.
    pub(crate) fn on_response(&mut self) {
        self.retries = 0;
    }

    /// When the windows that ran out start anew, in milliseconds since 1970.
    pub(crate) fn resets_at(&self) -> Option<u64> {
        self.quota.as_ref()?.earliest_reset_at
    }

    pub(crate) fn on_rate_limits(&mut self, limits: &RateLimits, output: &mut RunOutput) {
        let Some(quota) = windows(&limits.rate_limits) else { return };
        if self.quota.as_ref() != Some(&quota) {
            output.event(Event::Quota(quota.clone()));
            self.quota = Some(quota);
        }
    }

    /// The CLI connects anew. A rate limit it waits out in silence, for an hour if it is told so
    /// (recording `r429long`): what goes beyond the allowance ends the run.
    pub(crate) fn on_retry(
        &mut self,
        error: &TurnError,
        output: &mut RunOutput,
    ) -> Option<Failure> {
        self.retries += 1;
        let (announced, max_attempts) = attempts(&error.message);
        let attempt = announced.unwrap_or(self.retries);
        let reason = error.additional_details.clone().unwrap_or_else(|| error.message.clone());
        let cause = TurnError { message: reason.clone(), ..error.clone() };
        let failure = Failure::of_turn(&cause, self);
        let allowed = match failure.is_rate_limit() {
            true => self.max_rate_limit_retries,
            false => self.max_retries,
        };
        if failure.is_rate_limit() {
            self.emit_rate_limit(output);
        }
        output.event(Event::Retry(Retry { attempt, max_attempts, delay_ms: None, reason }));
        (attempt.max(self.retries) > allowed).then_some(failure)
    }

    /// The provider asks to slow down, or nothing is left.
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

/// The windows of a subscription; `None` without one.
pub(crate) fn windows(snapshot: &RateLimitSnapshot) -> Option<Quota> {
    let named = [("primary", &snapshot.primary), ("secondary", &snapshot.secondary)];
    let windows: Vec<QuotaWindow> = named
        .into_iter()
        .filter_map(|(name, window)| Some(quota(name, window.as_ref()?)))
        .collect();
    if windows.is_empty() {
        return None;
    }
    let exhausted = windows.iter().filter(|window| window.exhausted);
    let earliest_reset_at = exhausted.clone().filter_map(|window| window.resets_at).min();
    let rate_limited = exhausted.count() > 0 || !snapshot.rate_limit_reached_type.is_null();
    Some(Quota { windows, rate_limited, earliest_reset_at })
}

fn quota(name: &str, window: &RateLimitWindow) -> QuotaWindow {
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

/// Which attempt, of how many.
fn attempts(message: &str) -> (Option<u32>, Option<u32>) {
    let Some(rest) = message.strip_prefix(RECONNECTING) else { return (None, None) };
    let figures = rest.split_whitespace().next().unwrap_or_default();
    match figures.split_once('/') {
        Some((attempt, most)) => (attempt.parse().ok(), most.parse().ok()),
        None => (figures.parse().ok(), None),
    }
}
