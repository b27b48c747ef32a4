//! OpenCode tries again in silence: for a minute and a half there is nothing on stdout (recording
//! `rate`). Only its log on stderr says what the model answered, so the log is read.

use od_protocol::{Credential, StartRunParams};
use od_sdk::parts::{self, Attempt, LogLine, Patience};
use od_sdk::start_run::AdapterOptions;
use od_sdk::{Install, RunOutput};

use crate::options::Options;

/// What the log has said so far.
#[derive(Debug)]
pub struct Retries {
    credential: Option<Credential>,
    patience: Patience,
}

impl Retries {
    /// Before the first line.
    pub fn new(start_run_params: &StartRunParams, install: &Install) -> Self {
        let options = Options::lenient(start_run_params);
        let credential = install.credential.clone();
        Self { credential, patience: Patience::new(options.retries()) }
    }

    /// A line of stderr; `true` when the model's answer broke off.
    pub fn on_stderr_line(&mut self, line: &[u8], output: &mut RunOutput) -> bool {
        let Some(log_line) = LogLine::parse(&String::from_utf8_lossy(line)) else { return false };
        let Some(text) = log_line.stream_error() else { return false };
        let failure = parts::judge_text(text, self.credential.as_ref());
        self.patience.on_failed(Attempt { failure, number: None, next_at: None }, output);
        true
    }

    /// It was silent for too long.
    pub fn on_silence(&mut self, output: &mut RunOutput) {
        self.patience.on_silence(output);
    }

    /// The model answers: whatever failed before is over.
    pub fn on_answer(&mut self, output: &mut RunOutput) {
        self.patience.on_answer(output);
    }
}
