//! The CLI asks again in silence: only stderr tells. `Attempt 1 failed with status 429. Retrying with
//! backoff…` or `Attempt 1 failed: …. Retrying after 5218ms...` (recordings `rate`, `rate-full`).
//! Each wait is five seconds to half a minute, ten times, so a run that is told to slow down ends at
//! the first sign unless it asked for patience.

use od_protocol::{Event, JsonObject, RateLimited, Retry};
use od_sdk::RunOutput;
use od_sdk::text::error_text;

use crate::failure;
use crate::options::Options;

/// How a line about a failed attempt starts.
const ATTEMPT: &str = "Attempt ";

/// What the lines of stderr say so far.
#[derive(Debug)]
pub struct Retries {
    /// How often the CLI may ask again after "slow down".
    allowed: u32,
    /// An attempt whose wait is told on the next line.
    pending: Option<(u32, String)>,
}

/// A failed attempt.
#[derive(Debug, PartialEq, Eq)]
struct Attempt {
    number: u32,
    reason: String,
    delay_ms: Option<u64>,
    is_limit: bool,
}

impl Retries {
    /// Before the first line.
    pub fn new(options: &Options) -> Self {
        Self { allowed: options.max_rate_limit_retries, pending: None }
    }

    /// A line of stderr.
    pub fn on_stderr_line(&mut self, line: &[u8], output: &mut RunOutput) {
        let line = String::from_utf8_lossy(line);
        if let Some(attempt) = self.read(&line) {
            self.on_attempt(attempt, output);
        }
    }

    /// The reason may take two lines; the wait is at the end of the second.
    fn read(&mut self, line: &str) -> Option<Attempt> {
        if let Some((number, reason)) = self.pending.take() {
            return attempt(number, &format!("{reason} {line}"));
        }
        let line = logged(line);
        let (number, rest) = line.strip_prefix(ATTEMPT)?.split_once(" failed")?;
        let number = number.parse().ok()?;
        let is_whole = rest.contains("Retrying") || rest.contains("Max attempts reached");
        if !is_whole {
            self.pending = Some((number, rest.to_owned()));
            return None;
        }
        attempt(number, rest)
    }

    fn on_attempt(&self, attempt: Attempt, output: &mut RunOutput) {
        let Attempt { number, reason, delay_ms, is_limit } = attempt;
        if is_limit {
            output.event(Event::RateLimited(RateLimited {
                retry_after_ms: delay_ms,
                resets_at: None,
                window: None,
                source: "provider".to_owned(),
            }));
        }
        if is_limit && number > self.allowed {
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

/// In a talk the same is said in the CLI's log: `[2026-11-16T05:30:23.289Z] [WARN] Attempt 1 …`.
fn logged(line: &str) -> &str {
    match line.split_once("] [WARN] ") {
        Some((time, rest)) if time.starts_with('[') => rest,
        _ => line,
    }
}

/// `None`: the CLI does not ask again.
fn attempt(number: u32, rest: &str) -> Option<Attempt> {
    let (reason, wait) = rest.split_once("Retrying")?;
    let reason = reason.trim_matches([':', ' ', '.']);
    let reason = reason.strip_prefix("with ").unwrap_or(reason).to_owned();
    let delay_ms = wait.trim_start().strip_prefix("after ").and_then(|wait| {
        let (millis, _) = wait.split_once("ms")?;
        millis.parse().ok()
    });
    let is_limit = ["status 429", "quota", "exhausted", "rate limit"]
        .iter()
        .any(|words| reason.contains(words));
    Some(Attempt { number, reason, delay_ms, is_limit })
}
