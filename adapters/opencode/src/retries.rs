//! OpenCode tries again in silence: for a minute and a half on stdout there is nothing (recording
//! `rate`). Only its log on stderr says what the model answered, so the log is read.

use std::time::Duration;

use od_protocol::{Credential, ErrorEvent, ErrorKind, Event, RateLimited, Retry, StartRunParams};
use od_sdk::parts::{self, LogLine};
use od_sdk::{Install, RunOutput};

use crate::options::Options;

/// What the log has said so far.
#[derive(Debug)]
pub struct Retries {
    max_retries: u32,
    max_wait: Duration,
    credential: Option<Credential>,
    /// Errors of the model since it last answered.
    errors: u32,
    /// The last one, if it asked to slow down.
    limit: Option<ErrorEvent>,
}

impl Retries {
    /// Before the first line.
    pub fn new(start_run_params: &StartRunParams, install: &Install) -> Self {
        let options = Options::lenient(&start_run_params.adapter_options);
        Self {
            max_retries: options.max_retries(),
            max_wait: Duration::from_millis(options.max_retry_wait_ms()),
            credential: install.credential.clone(),
            errors: 0,
            limit: None,
        }
    }

    /// A line of stderr; `true` when the model's answer broke off and is asked for once more.
    pub fn on_stderr_line(&mut self, line: &[u8], output: &mut RunOutput) -> bool {
        let Some(log_line) = LogLine::parse(&String::from_utf8_lossy(line)) else { return false };
        let Some(text) = log_line.stream_error() else { return false };
        let failure = parts::judge_text(text, self.credential.as_ref());
        self.errors += 1;
        // Whether it is asked again is not said; a second error shows that it was.
        if self.errors > 1 {
            output.event(Event::Retry(Retry {
                attempt: self.errors - 1,
                max_attempts: None,
                delay_ms: None,
                reason: failure.message.clone(),
            }));
        }
        if matches!(failure.kind, ErrorKind::RateLimited | ErrorKind::QuotaExhausted) {
            self.on_limit(failure, output);
        }
        true
    }

    /// The model asks to slow down. OpenCode does for minutes, and waits longer each time.
    fn on_limit(&mut self, failure: ErrorEvent, output: &mut RunOutput) {
        output.event(Event::RateLimited(RateLimited {
            retry_after_ms: None,
            resets_at: None,
            window: None,
            source: "cli".to_owned(),
        }));
        self.limit = Some(failure);
        match self.errors > self.max_retries {
            true => self.on_silence(output),
            false => output.limit_silence(Some(self.max_wait)),
        }
    }

    /// It was silent for too long after that, or was told too often.
    pub fn on_silence(&mut self, output: &mut RunOutput) {
        if let Some(failure) = self.limit.take() {
            output.fail(failure);
        }
    }

    /// The model answers: whatever failed before is over.
    pub fn on_answer(&mut self, output: &mut RunOutput) {
        self.errors = 0;
        if self.limit.take().is_some() {
            output.limit_silence(None);
        }
    }
}
