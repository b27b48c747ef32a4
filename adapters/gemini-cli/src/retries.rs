//! Retries of the CLI, reported on stderr only: `Attempt 1 failed with status 429. Retrying with
//! backoff…` or `Attempt 1 failed: …. Retrying after 5218ms...` (recordings `rate`, `rate-full`).
//! Each wait is five to thirty seconds, ten times, so a rate limit ends the run at the first retry
//! unless `maxRateLimitRetries` allows more.

use od_protocol::{Event, JsonObject, RateLimited, Retry};
use od_sdk::RunOutput;
use od_sdk::event::rate_limited;
use od_sdk::text::error_text;

use crate::failure;
use crate::options::Options;

/// Prefix of a line about a failed attempt.
const ATTEMPT_PREFIX: &str = "Attempt ";

/// The state of the parser of stderr lines.
#[derive(Debug)]
pub struct Retries {
    /// How often the CLI may retry after a rate limit.
    max_retries: u32,
    /// An attempt whose delay is on the next line.
    pending: Option<(u32, String)>,
}

/// A failed attempt.
#[derive(Debug, PartialEq, Eq)]
struct Attempt {
    number: u32,
    reason: String,
    delay_ms: Option<u64>,
    is_rate_limit: bool,
}

impl Retries {
    /// Creates the state before the first line.
    pub fn new(options: &Options) -> Self {
        Self { max_retries: options.max_rate_limit_retries, pending: None }
    }

    /// Handles a line of stderr.
    pub fn on_stderr_line(&mut self, line: &[u8], output: &mut RunOutput) {
        let line = String::from_utf8_lossy(line);
        if let Some(attempt) = self.read(&line) {
            self.on_attempt(attempt, output);
        }
    }

    /// The reason may span two lines; the delay is at the end of the second.
    fn read(&mut self, line: &str) -> Option<Attempt> {
        if let Some((number, reason)) = self.pending.take() {
            return attempt(number, &format!("{reason} {line}"));
        }
        let line = without_log_prefix(line);
        let (number, rest) = line.strip_prefix(ATTEMPT_PREFIX)?.split_once(" failed")?;
        let number = number.parse().ok()?;
        let is_complete = rest.contains("Retrying") || rest.contains("Max attempts reached");
        if !is_complete {
            self.pending = Some((number, rest.to_owned()));
            return None;
        }
        attempt(number, rest)
    }

    fn on_attempt(&self, attempt: Attempt, output: &mut RunOutput) {
        let Attempt { number, reason, delay_ms, is_rate_limit } = attempt;
        if is_rate_limit {
            let source = "provider".to_owned();
            output.event(Event::RateLimited(RateLimited { source, ..rate_limited(delay_ms) }));
        }
        if is_rate_limit && number > self.max_retries {
            let mut error = failure::classify(&reason, Some(429), None);
            if let Some(delay) = delay_ms {
                let data = error.data.get_or_insert_with(JsonObject::new);
                data.insert("retryAfterMs".to_owned(), delay.into());
            }
            return output.fail(error);
        }
        output.event(Event::Retry(Retry {
            attempt: number,
            max_attempts: None,
            delay_ms,
            reason: error_text(&reason, &[]),
        }));
    }
}

/// Over ACP the same line is in the CLI's log: `[2026-11-16T05:30:23.289Z] [WARN] Attempt 1 …`.
fn without_log_prefix(line: &str) -> &str {
    match line.split_once("] [WARN] ") {
        Some((time, rest)) if time.starts_with('[') => rest,
        _ => line,
    }
}

/// Parses the rest of the line; `None` when the CLI does not retry.
fn attempt(number: u32, rest: &str) -> Option<Attempt> {
    let (reason, wait) = rest.split_once("Retrying")?;
    let reason = reason.trim_matches([':', ' ', '.']);
    let reason = reason.strip_prefix("with ").unwrap_or(reason).to_owned();
    let delay_ms = wait.trim_start().strip_prefix("after ").and_then(|wait| {
        let (millis, _) = wait.split_once("ms")?;
        millis.parse().ok()
    });
    let is_rate_limit =
        ["status 429", "quota", "exhausted", "rate limit"].iter().any(|text| reason.contains(text));
    Some(Attempt { number, reason, delay_ms, is_rate_limit })
}
