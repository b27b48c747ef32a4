//! OpenCode retries without any output on stdout, for a minute and a half (recording `rate`). Only its
//! log on stderr has the provider's errors, so this module reads the log.

use crate::{FailedAttempt, LogLine, RetryBudget};
use od_protocol::Credential;
use od_protocol::adapter::StartRunParams;
use od_sdk::start_run::AdapterOptions;
use od_sdk::{Install, RunOutput};

use crate::opencode::options::Options;

/// The retries of a run.
#[derive(Debug)]
pub struct Retries {
    credential: Option<Credential>,
    retry_budget: RetryBudget,
}

impl Retries {
    /// The state before the first line.
    pub fn new(start_run_params: &StartRunParams, install: &Install) -> Self {
        let options = Options::lenient(start_run_params);
        let credential = install.credential.clone();
        Self { credential, retry_budget: RetryBudget::new(options.retries()) }
    }

    /// Handles a line of stderr; returns `true` if it reports an interrupted answer.
    pub fn on_stderr_line(&mut self, line: &[u8], output: &mut RunOutput) -> bool {
        let Some(log_line) = LogLine::parse(&String::from_utf8_lossy(line)) else { return false };
        let Some(text) = log_line.stream_error() else { return false };
        let failure = crate::failure::classify_text(text, self.credential.as_ref());
        self.retry_budget.on_failed(FailedAttempt { failure, number: None, next_at: None }, output);
        true
    }

    /// The CLI was silent for too long.
    pub fn on_silence(&mut self, output: &mut RunOutput) {
        self.retry_budget.on_silence(output);
    }

    /// The model answers: resets the retries.
    pub fn on_answer(&mut self, output: &mut RunOutput) {
        self.retry_budget.on_answer(output);
    }
}
