//! Requests that are made again: told as they come, and ended when a rate limit goes on for longer
//! than the run wants to wait.

use od_protocol::{ErrorEvent, Event, RateLimited, Retry};
use od_sdk::RunOutput;

use crate::failure;
use crate::native::Trouble;
use crate::options::Options;

/// How often the CLI tries again by itself (recording `r429`).
const OWN_RETRIES: u32 = 5;

/// What is known about retries.
#[derive(Debug)]
pub(super) struct Retries {
    max_retries: u32,
    count: u32,
    last_failure: Trouble,
}

impl Retries {
    pub(super) fn new(options: &Options) -> Self {
        Self { max_retries: options.max_retries(), count: 0, last_failure: Trouble::default() }
    }

    /// A request failed; whether it is made again is told next.
    pub(super) fn on_failure(&mut self, trouble: Trouble) {
        if trouble.retry_attempt == 0 {
            self.count = 0;
        }
        self.last_failure = trouble;
    }

    /// It is made again. Gives back the error of a run that does not want to wait.
    pub(super) fn on_retry(
        &mut self,
        trouble: &Trouble,
        output: &mut RunOutput,
    ) -> Option<ErrorEvent> {
        self.count += 1;
        let status = self.last_failure.status_code;
        let is_limit = trouble.reason == "rate_limit" || status == Some(429);
        if is_limit {
            output.event(Event::RateLimited(RateLimited {
                retry_after_ms: None,
                resets_at: None,
                window: None,
                source: "cli".to_owned(),
            }));
        }
        output.event(Event::Retry(Retry {
            attempt: self.count,
            max_attempts: Some(OWN_RETRIES),
            delay_ms: None,
            reason: trouble.reason.clone(),
        }));
        (is_limit && self.count > self.max_retries)
            .then(|| failure::gave_up(self.count, status.unwrap_or(429)))
    }
}
