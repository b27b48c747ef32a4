//! How long an agent that tries again by itself may do so: a person is to be told soon, not after
//! minutes.

use std::time::Duration;

use od_protocol::{ErrorEvent, ErrorKind, Event, JsonObject, RateLimited, Retry};
use serde_json::{Value, json};

use crate::retries::{DEFAULT_MAX_RETRIES, DEFAULT_MAX_RETRY_WAIT_MS, RetryOptions};
use crate::{RunOutput, start_run};

/// The JSON Schema of an adapter's options: its own, and those about retries.
pub fn options_schema(own: Value) -> JsonObject {
    let mut properties = json!({
        "maxRetries": {
            "type": "integer", "minimum": 0, "default": DEFAULT_MAX_RETRIES,
            "description": "how often the model may ask OpenCode to slow down before the run fails",
        },
        "maxRetryWaitMs": {
            "type": "integer", "minimum": 0, "default": DEFAULT_MAX_RETRY_WAIT_MS,
            "description": "how long nothing may happen after that before the run fails; ten minutes when maxRetries is set",
        },
    });
    if let (Value::Object(properties), Value::Object(own)) = (&mut properties, own) {
        properties.extend(own);
    }
    start_run::schema(properties)
}

/// What is known about a failed attempt.
#[derive(Debug, Clone, PartialEq)]
pub struct Attempt {
    /// What the model answered.
    pub failure: ErrorEvent,
    /// Which attempt failed, from 1, where that is told.
    pub number: Option<u32>,
    /// When it is tried again, in milliseconds since 1970, where that is told.
    pub next_at: Option<u64>,
}

/// Counts failed attempts and ends a run whose model asks it to slow down for too long.
#[derive(Debug)]
pub struct Patience {
    max_retries: u32,
    max_wait: Duration,
    /// Failed attempts since the model last answered.
    failed: u32,
    /// The last of them, if it asked to slow down.
    limit: Option<ErrorEvent>,
}

impl Patience {
    /// Before the first attempt.
    pub fn new(options: RetryOptions) -> Self {
        Self {
            max_retries: options.max_retries(),
            max_wait: Duration::from_millis(options.max_wait_ms()),
            failed: 0,
            limit: None,
        }
    }

    /// An attempt failed. Where nobody numbers them, whether another one follows is not known: the
    /// second failure shows that it did.
    pub fn on_failed(&mut self, attempt: Attempt, output: &mut RunOutput) {
        let Attempt { mut failure, number, next_at } = attempt;
        self.failed = number.unwrap_or(self.failed + 1).max(self.failed);
        if let Some(next_at) = next_at {
            failure.data.get_or_insert_default().insert("resetsAt".to_owned(), next_at.into());
        }
        let is_limit = matches!(failure.kind, ErrorKind::RateLimited | ErrorKind::QuotaExhausted);
        if is_limit {
            output.event(Event::RateLimited(RateLimited {
                retry_after_ms: None,
                resets_at: next_at,
                window: None,
                source: "cli".to_owned(),
            }));
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

    /// Nothing happened for too long after that, or it was told too often.
    pub fn on_silence(&mut self, output: &mut RunOutput) {
        if let Some(failure) = self.limit.take() {
            output.fail(failure);
        }
    }

    /// The model answers: whatever failed before is over.
    pub fn on_answer(&mut self, output: &mut RunOutput) {
        self.failed = 0;
        if self.limit.take().is_some() {
            output.limit_silence(None);
        }
    }
}
