//! Ends a run whose provider limits requests for too long. OpenCode retries for minutes by itself.

use std::time::Duration;

use od_protocol::{ErrorEvent, Event, JsonObject, RateLimited, Retry};
use serde_json::{Value, json};

use od_sdk::event::rate_limited;
use od_sdk::retries::{DEFAULT_MAX_RETRIES, DEFAULT_MAX_RETRY_WAIT_MS, RetryOptions};
use od_sdk::{RunOutput, start_run};

/// The JSON Schema of an adapter's options: its own, and those of retries.
pub fn options_schema(own: Value) -> JsonObject {
    let mut properties = json!({
        "maxRetries": {
            "type": "integer", "minimum": 0, "default": DEFAULT_MAX_RETRIES,
            "description": "number of rate limits after which the run fails",
        },
        "maxRetryWaitMs": {
            "type": "integer", "minimum": 0, "default": DEFAULT_MAX_RETRY_WAIT_MS,
            "description": "silence after a rate limit after which the run fails; ten minutes if maxRetries is set",
        },
    });
    if let (Value::Object(properties), Value::Object(own)) = (&mut properties, own) {
        properties.extend(own);
    }
    start_run::schema(properties)
}

/// A failed request to the model.
#[derive(Debug, Clone, PartialEq)]
pub struct FailedAttempt {
    /// The error.
    pub failure: ErrorEvent,
    /// Number of the attempt, from 1, if OpenCode reports it.
    pub number: Option<u32>,
    /// Time of the next attempt in milliseconds since 1970, if OpenCode reports it.
    pub next_at: Option<u64>,
}

/// Counts failed attempts and ends the run when a rate limit exceeds the budget.
#[derive(Debug)]
pub struct RetryBudget {
    max_retries: u32,
    max_wait: Duration,
    /// Failed attempts since the model answered last.
    failed: u32,
    /// The last of them, if it was a limit.
    limit: Option<ErrorEvent>,
}

impl RetryBudget {
    /// A new budget.
    pub fn new(options: RetryOptions) -> Self {
        Self {
            max_retries: options.max_retries(),
            max_wait: Duration::from_millis(options.max_wait_ms()),
            failed: 0,
            limit: None,
        }
    }

    /// An attempt failed. Without numbers it is unknown whether OpenCode retries; the second failure
    /// shows that it did.
    pub fn on_failed(&mut self, attempt: FailedAttempt, output: &mut RunOutput) {
        let FailedAttempt { mut failure, number, next_at } = attempt;
        self.failed = number.unwrap_or(self.failed + 1).max(self.failed);
        if let Some(next_at) = next_at {
            failure.data.get_or_insert_default().insert("resetsAt".to_owned(), next_at.into());
        }
        let is_limit = od_sdk::failure::is_limit(&failure.kind);
        if is_limit {
            let resets_at = next_at;
            output.event(Event::RateLimited(RateLimited { resets_at, ..rate_limited(None) }));
        }
        let retry = number.or(Some(self.failed - 1)).filter(|retry| *retry > 0);
        if let Some(attempt) = retry {
            output.event(Event::Retry(Retry {
                attempt,
                max_attempts: None,
                delay_ms: None,
                reason: failure.message.clone(),
            }));
        }
        if is_limit {
            self.limit = Some(failure);
            match self.failed > self.max_retries {
                true => self.on_silence(output),
                false => output.limit_silence(Some(self.max_wait)),
            }
        }
    }

    /// Fails the run: the silence after a limit lasted too long, or there were too many limits.
    pub fn on_silence(&mut self, output: &mut RunOutput) {
        if let Some(failure) = self.limit.take() {
            output.fail(failure);
        }
    }

    /// The model answers: resets the budget.
    pub fn on_answer(&mut self, output: &mut RunOutput) {
        self.failed = 0;
        if self.limit.take().is_some() {
            output.limit_silence(None);
        }
    }
}
