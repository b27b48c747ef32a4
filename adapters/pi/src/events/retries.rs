//! Retries: told as they come, and ended when they would go on for longer than the run allows.

use std::time::Duration;

use od_protocol::{ErrorKind, Event, RateLimited, Retry};

use super::failure::CliError;
use crate::Dialect;
use crate::native::RetryLine;
use crate::options::Options;
use od_sdk::RunOutput;

/// The retries of the request that is being made.
#[derive(Debug)]
pub(super) struct Retries {
    max_retries: u32,
    max_wait_ms: u64,
    retries: u32,
    wait_ms: u64,
    /// The limit that was told last, while nothing has followed it yet.
    silent: Option<CliError>,
}

/// How much longer than the announced wait the silence before a retry may be.
const RETRY_MARGIN_MS: u64 = 500;

impl Retries {
    pub(super) fn new(options: &Options) -> Self {
        Self {
            max_retries: options.retries().max_retries(),
            max_wait_ms: options.retries().max_wait_ms(),
            retries: 0,
            wait_ms: 0,
            silent: None,
        }
    }

    /// The model answers: whatever failed before is over.
    pub(super) fn on_answer(&mut self) {
        self.retries = 0;
        self.wait_ms = 0;
    }

    /// The model begins to answer: it may take its time again.
    pub(super) fn on_piece(&mut self, output: &mut RunOutput) {
        if self.silent.take().is_some() {
            output.limit_silence(None);
        }
    }

    /// Nothing followed a rate limit for too long: the reason to give up.
    pub(super) fn on_silence(&mut self) -> Option<CliError> {
        let mut cli_error = self.silent.take()?;
        cli_error.text = format!("stopped in the silence after: {}", cli_error.text);
        Some(cli_error)
    }

    /// `auto_retry_start`. The reason to give up, when this goes beyond the allowance.
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
        if matches!(kind, ErrorKind::RateLimited | ErrorKind::QuotaExhausted) {
            cli_error.retry_after_ms = cli_error.retry_after_ms.or(delay_ms);
            tell_limit(&cli_error, output);
            if dialect.hides_retries {
                let announced = delay_ms.unwrap_or_default().saturating_add(RETRY_MARGIN_MS);
                let limit = Duration::from_millis(self.max_wait_ms.max(announced));
                output.limit_silence(Some(limit));
                self.silent = Some(cli_error.clone());
            }
        }
        let attempt = line.attempt.max(self.retries);
        output.event(Event::Retry(Retry {
            attempt,
            max_attempts: line.max_attempts,
            delay_ms,
            reason: kind.as_str().to_owned(),
        }));
        let goes_on = attempt <= self.max_retries && self.wait_ms <= self.max_wait_ms;
        (!goes_on).then(|| {
            let wait = delay_ms.unwrap_or_default();
            cli_error.text =
                format!("stopped at retry {attempt} (in {wait} ms) after: {}", cli_error.text);
            cli_error
        })
    }
}

/// The provider asks to slow down.
pub(super) fn tell_limit(cli_error: &CliError, output: &mut RunOutput) {
    output.event(Event::RateLimited(RateLimited {
        retry_after_ms: cli_error.retry_after_ms,
        resets_at: None,
        window: None,
        source: "cli".to_owned(),
    }));
}
