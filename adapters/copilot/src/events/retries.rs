//! Retries of the CLI: reported as events; the run fails when a rate limit exceeds `maxRetries`.

use od_protocol::{ErrorEvent, Event, Retry};
use od_sdk::{RunOutput, event};

use crate::failure;
use crate::native::CliError;
use crate::options::Options;

/// The CLI's own limit on retries (recording `r429`).
const CLI_MAX_RETRIES: u32 = 5;

/// The retries of the current request.
#[derive(Debug)]
pub(super) struct Retries {
    max_retries: u32,
    count: u32,
    last_failure: CliError,
}

impl Retries {
    pub(super) fn new(options: &Options) -> Self {
        Self { max_retries: options.max_retries(), count: 0, last_failure: CliError::default() }
    }

    /// Records a failed request; the next line states whether the CLI retries.
    pub(super) fn on_failure(&mut self, cli_error: CliError) {
        if cli_error.retry_attempt == 0 {
            self.count = 0;
        }
        self.last_failure = cli_error;
    }

    /// Reports a retry. Returns an error when the run exceeds its limit.
    pub(super) fn on_retry(
        &mut self,
        cli_error: &CliError,
        output: &mut RunOutput,
    ) -> Option<ErrorEvent> {
        self.count += 1;
        let status = self.last_failure.status_code;
        let is_rate_limit = cli_error.reason == "rate_limit" || status == Some(429);
        if is_rate_limit {
            output.event(Event::RateLimited(event::rate_limited(None)));
        }
        output.event(Event::Retry(Retry {
            attempt: self.count,
            max_attempts: Some(CLI_MAX_RETRIES),
            delay_ms: None,
            reason: cli_error.reason.clone(),
        }));
        (is_rate_limit && self.count > self.max_retries)
            .then(|| failure::retries_exceeded(self.count, status.unwrap_or(429)))
    }
}
