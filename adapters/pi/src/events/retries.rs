//! Reports retries, and ends a run that retries for longer than it allows.

use std::time::Duration;

use od_protocol::{Event, Retry};

use super::failure::CliError;
use crate::Dialect;
use crate::native::RetryLine;
use crate::options::Options;
use od_sdk::{RunOutput, event, failure};

/// The retries of the current request.
#[derive(Debug)]
pub(super) struct Retries {
    max_retries: u32,
    max_wait_ms: u64,
    retries: u32,
    wait_ms: u64,
    /// The last rate limit, until output follows it.
    pending_limit: Option<CliError>,
}

/// The silence before a retry may be this much longer than announced.
const RETRY_MARGIN_MS: u64 = 500;

impl Retries {
    pub(super) fn new(options: &Options) -> Self {
        Self {
            max_retries: options.retries().max_retries(),
            max_wait_ms: options.retries().max_wait_ms(),
            retries: 0,
            wait_ms: 0,
            pending_limit: None,
        }
    }

    /// The model answered: resets the retries.
    pub(super) fn on_answer(&mut self) {
        self.retries = 0;
        self.wait_ms = 0;
    }

    /// The model starts to answer: removes the limit on silence.
    pub(super) fn on_piece(&mut self, output: &mut RunOutput) {
        if self.pending_limit.take().is_some() {
            output.limit_silence(None);
        }
    }

    /// The silence after a rate limit lasted too long: returns the error that ends the run.
    pub(super) fn on_silence(&mut self) -> Option<CliError> {
        let mut cli_error = self.pending_limit.take()?;
        cli_error.text = format!("no output after a rate limit: {}", cli_error.text);
        Some(cli_error)
    }

    /// Handles `auto_retry_start`; returns the error that ends the run if the budget is exceeded.
    pub(super) fn on_retry(
        &mut self,
        line: &RetryLine,
        dialect: &Dialect,
        output: &mut RunOutput,
    ) -> Option<CliError> {
        let delay_ms = line.delay_ms.map(|delay| delay.max(0.0) as u64);
        let mut cli_error = CliError::new(&line.error_message, None);
        self.retries += 1;
        self.wait_ms = self.wait_ms.saturating_add(delay_ms.unwrap_or_default());
        let kind = cli_error.kind(dialect);
        if failure::is_limit(&kind) {
            cli_error.retry_after_ms = cli_error.retry_after_ms.or(delay_ms);
            emit_limit(&cli_error, output);
            if dialect.hides_retries {
                let announced = delay_ms.unwrap_or_default().saturating_add(RETRY_MARGIN_MS);
                let limit = Duration::from_millis(self.max_wait_ms.max(announced));
                output.limit_silence(Some(limit));
                self.pending_limit = Some(cli_error.clone());
            }
        }
        let attempt = line.attempt.max(self.retries);
        output.event(Event::Retry(Retry {
            attempt,
            max_attempts: line.max_attempts,
            delay_ms,
            reason: kind.as_str().to_owned(),
        }));
        let is_allowed = attempt <= self.max_retries && self.wait_ms <= self.max_wait_ms;
        (!is_allowed).then(|| {
            let wait = delay_ms.unwrap_or_default();
            cli_error.text =
                format!("stopped at retry {attempt} (in {wait} ms) after: {}", cli_error.text);
            cli_error
        })
    }
}

/// Emits `rate_limited`.
pub(super) fn emit_limit(cli_error: &CliError, output: &mut RunOutput) {
    output.event(Event::RateLimited(event::rate_limited(cli_error.retry_after_ms)));
}
