//! Rate limits and retries: reported as events, and limited in number and total wait.

use od_protocol::{
    Credential, DoneEvidence, Event, Quota, QuotaWindow, RateLimited, Retry, StopReason,
};
use od_sdk::RunOutput;
use od_sdk::stream_json::control;

use super::failure::{CliError, Failure};
use super::outcome;
use crate::native::{RateLimitInfo, SystemLine};
use crate::options::Options;

/// The retries since the last answer, and the state of the subscription.
#[derive(Debug)]
pub(super) struct Limits {
    max_retries: u32,
    max_wait_ms: u64,
    retries: u32,
    wait_ms: u64,
    last_delay_ms: Option<u64>,
    /// When the exhausted window resets, in milliseconds since 1970.
    pub(super) resets_at: Option<u64>,
    /// A window of the subscription is exhausted.
    pub(super) is_window_exhausted: bool,
    /// The credential of the run; the hint of a refused login depends on it.
    pub(super) credential: Option<Credential>,
}

impl Limits {
    pub(super) fn new(options: &Options, credential: Option<Credential>) -> Self {
        Self {
            max_retries: options.retries().max_retries(),
            max_wait_ms: options.retries().max_wait_ms(),
            retries: 0,
            wait_ms: 0,
            last_delay_ms: None,
            resets_at: None,
            is_window_exhausted: false,
            credential,
        }
    }

    /// The wait of the last retry, if the CLI reported it.
    pub(super) fn retry_after_ms(&self) -> Option<u64> {
        self.last_delay_ms
    }

    /// The model answered: the retries before do not count any more.
    pub(super) fn reset(&mut self) {
        self.retries = 0;
        self.wait_ms = 0;
        self.last_delay_ms = None;
    }

    /// `system/api_retry`. The CLI retries for minutes (recording `r429_default_retries`), so the run
    /// fails when a limit is exceeded.
    pub(super) fn on_retry(&mut self, system: &SystemLine, output: &mut RunOutput) {
        let reason = system.error.clone().unwrap_or_else(|| "unknown".to_owned());
        let delay_ms = system.retry_delay_ms.map(|delay| delay.max(0.0) as u64);
        self.retries += 1;
        self.wait_ms = self.wait_ms.saturating_add(delay_ms.unwrap_or_default());
        self.last_delay_ms = delay_ms;
        if reason == "rate_limit" || system.error_status == Some(429) {
            output.event(Event::RateLimited(RateLimited {
                retry_after_ms: delay_ms,
                resets_at: self.resets_at,
                window: None,
                source: "cli".to_owned(),
            }));
        }
        output.event(Event::Retry(Retry {
            attempt: system.attempt.max(self.retries),
            max_attempts: system.max_retries,
            delay_ms,
            reason: reason.clone(),
        }));
        let attempt = system.attempt.max(self.retries);
        if attempt > self.max_retries || self.wait_ms > self.max_wait_ms {
            self.give_up(&reason, attempt, system.error_status, output);
        }
    }

    fn give_up(&self, reason: &str, attempt: u32, status: Option<u16>, output: &mut RunOutput) {
        let wait = self.last_delay_ms.unwrap_or_default();
        let cli_error = CliError {
            code: reason.to_owned(),
            text: format!("stopped at retry {attempt} (in {wait} ms) after {reason}"),
            status,
            ..CliError::default()
        };
        let failure = Failure::classify(&cli_error, self);
        output.event(Event::Error(failure.into_event(true)));
        output.write_json(&control::interrupt());
        output.finish(outcome::failed(StopReason::Error, DoneEvidence::Watchdog));
    }

    /// `rate_limit_event`: the state of a window of the subscription.
    pub(super) fn on_window(&mut self, info: &RateLimitInfo, output: &mut RunOutput) {
        let is_rejected = info.status == "rejected";
        let resets_at = info.resets_at.map(|seconds| seconds.saturating_mul(1_000));
        if is_rejected {
            self.resets_at = resets_at;
            self.is_window_exhausted = info.rate_limit_type.is_some();
        }
        let windows = info.rate_limit_type.iter().map(|kind| QuotaWindow {
            kind: kind.clone(),
            used_percent: info.utilization.map(|share| share * 100.0),
            resets_at,
            exhausted: is_rejected,
        });
        let windows: Vec<QuotaWindow> = windows.collect();
        if !windows.is_empty() {
            output.event(Event::Quota(Quota {
                windows,
                rate_limited: is_rejected,
                earliest_reset_at: resets_at.filter(|_| is_rejected),
            }));
        }
        if is_rejected {
            output.event(Event::RateLimited(RateLimited {
                retry_after_ms: None,
                resets_at,
                window: info.rate_limit_type.clone(),
                source: "provider".to_owned(),
            }));
        }
    }
}
