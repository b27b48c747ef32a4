//! Checks every line of one adapter process.

use std::collections::HashMap;
use std::sync::Arc;

use od_protocol::ErrorObject;
use serde_json::Value;

use super::responses::Responses;
use super::stream::Stream;
use super::{Label, Violations};
use crate::outcome::{Failure, shorten};
use crate::schema::Schema;
use crate::transcript::Location;

/// One JSON object in valid UTF-8 per line.
const LINES: &str = "ENC-05";
/// Every message matches the schema.
const SCHEMA: &str = "SCH-01";
/// One `done`, and no event after it.
const DONE: &str = "ORD-01";
/// No event for a run that was not started.
const UNKNOWN_RUN: &str = "ORD-03";
/// One response per request.
const RESPONSES: &str = "WIR-01";
/// Only values that the tables contain.
const WRITTEN_VALUES: &str = "WIR-02";
/// The code of an error is that of its kind.
const ERROR_CODES: &str = "ERR-10";
/// No secret on stdout.
const SECRETS: &str = "SEC-01";
/// No secret on stderr.
const STDERR_SECRETS: &str = "SEC-02";

/// Checks every line of one adapter process.
pub struct InvariantChecker {
    /// The violations of all processes.
    pub violations: Violations,
    schema: Arc<Schema>,
    /// The violations of this process only.
    own: Violations,
    label: Label,
    runs: HashMap<String, Stream>,
    responses: Responses,
    secrets: Vec<String>,
}

impl InvariantChecker {
    /// Creates a checker.
    pub fn new(schema: Arc<Schema>, violations: Violations, label: Label) -> Self {
        Self {
            schema,
            violations,
            own: Violations::default(),
            label,
            runs: HashMap::new(),
            responses: Responses::default(),
            secrets: Vec::new(),
        }
    }

    /// Adds values that must not occur in any output of the adapter.
    pub fn add_secrets(&mut self, secrets: &[String]) {
        self.secrets.extend(secrets.iter().filter(|secret| !secret.is_empty()).cloned());
    }

    /// Registers a line that the suite sends.
    pub fn sent(&mut self, line: &[u8]) {
        self.responses.sent(line);
    }

    /// Returns a checker of the lines on stderr.
    pub fn stderr_checker(&self) -> impl Fn(&[u8], &Location) + Send + 'static {
        let (secrets, label) = (self.secrets.clone(), self.label.clone());
        let lists = [self.own.clone(), self.violations.clone()];
        move |line, location| {
            if let Some(secret) = secrets.iter().find(|secret| contains(line, secret)) {
                let expected = "no value of a credential on stderr";
                let got = format!("a line with the secret {secret:?}");
                let failure = Failure::new(expected, got).at(location.clone());
                let failure = Failure { during: Some(label.get()), ..failure };
                lists.iter().for_each(|list| list.add(STDERR_SECRETS, failure.clone()));
            }
        }
    }

    /// Returns the rules that this process has violated, each with its first violation.
    pub fn broken_rules(&self) -> Vec<(&'static str, Failure)> {
        self.own.all()
    }

    /// Registers a run that is being started.
    pub fn open_run(&mut self, run_id: &str) {
        self.runs.entry(run_id.to_owned()).or_default();
    }

    /// Records that a run was refused: no event may arrive for it.
    pub fn refuse_run(&mut self, run_id: &str) {
        self.runs.remove(run_id);
    }

    /// Reports that the agent CLI of a run has ended without a `done`.
    pub fn missing_done(&self, summary: &str, location: &Location) {
        self.violations.record_missing_done();
        let expected = "exactly one `done` as the last event of the run";
        self.broken(DONE, expected, format!("no `done`; the events were: {summary}"), location);
    }

    /// Parses a line; `None` if it is not a JSON object.
    pub fn line(&self, bytes: &[u8], location: &Location) -> Option<Value> {
        if let Some(secret) = self.secrets.iter().find(|secret| contains(bytes, secret)) {
            let got = format!("a line with the secret {secret:?}");
            self.broken(SECRETS, "no value of a credential in a message", got, location);
        }
        let expected = "one JSON object in valid UTF-8 per line";
        let text = match std::str::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => {
                self.broken(LINES, expected, format!("invalid UTF-8: {error}"), location);
                return None;
            }
        };
        match serde_json::from_str::<Value>(text) {
            Ok(value) if value.is_object() => Some(value),
            Ok(_) => {
                self.broken(
                    LINES,
                    expected,
                    format!("JSON that is not an object: {}", shorten(text, 200)),
                    location,
                );
                None
            }
            Err(error) => {
                let got = format!("a line that is not JSON ({error}): {}", shorten(text, 200));
                self.broken(LINES, expected, got, location);
                None
            }
        }
    }

    /// Reports a line beyond the limit of the protocol.
    pub fn oversized(&self, bytes: usize, location: &Location) {
        let expected =
            "lines of at most 16 MiB, larger payloads truncated and marked with `truncated`";
        self.broken(LINES, expected, format!("a line of {bytes} bytes"), location);
    }

    /// Reports output that ends inside a line, which only a killed process may do.
    pub fn unterminated(&self, bytes: &[u8], location: &Location) {
        let text = String::from_utf8_lossy(bytes);
        let got = format!("output that ends inside a line: {}", shorten(&text, 200));
        self.broken(LINES, "every line ends with a line feed", got, location);
    }

    /// Checks a response to a request of the suite.
    pub fn answer(&mut self, method: &str, message: &Value, location: &Location) {
        self.response(message, location);
        if let Some(got) = self.schema.illegal_in_answer(method, message) {
            self.broken(WRITTEN_VALUES, ONLY_TABLE_VALUES, got, location);
        }
        if let Err(reason) = self.schema.check_answer(method, message) {
            let expected = format!("a response to {method} that matches the schema");
            self.broken(SCHEMA, expected, reason, location);
        }
    }

    /// Checks a message that is neither an event nor a response.
    pub fn other(&mut self, message: &Value, location: &Location) {
        if message.get("method").is_none() {
            self.response(message, location);
        }
        if let Err(reason) = self.schema.check_other(message) {
            self.broken(SCHEMA, "a message of the protocol", reason, location);
        }
    }

    fn response(&mut self, message: &Value, location: &Location) {
        if let Err(got) = self.responses.received(message) {
            self.broken(RESPONSES, "exactly one response per request, with its id", got, location);
        }
        let error = message.get("error");
        let error = error.and_then(|it| serde_json::from_value::<ErrorObject>(it.clone()).ok());
        if let Some(error) = error
            && let Err(got) = right_code(&error)
        {
            let expected = "the code that the table defines for the kind; 2000 to 2999 for vendors";
            self.broken(ERROR_CODES, expected, got, location);
        }
    }

    /// Checks the parameters of a `run/event`.
    pub fn event(&mut self, params: &Value, location: &Location) {
        self.violations.record_event();
        if type_of(params) == "done" {
            self.violations.record_done();
        }
        if let Err(reason) = self.schema.check_event(params) {
            self.broken(SCHEMA, "an event that matches the schema", reason, location);
        }
        if let Some(got) = self.schema.illegal_in_event(params) {
            self.broken(WRITTEN_VALUES, ONLY_TABLE_VALUES, got, location);
        }
        let run_id = params["runId"].as_str().unwrap_or_default();
        let Some(stream) = self.runs.get_mut(run_id) else {
            let got = format!("a `{}` event of run {run_id:?}", type_of(params));
            self.broken(UNKNOWN_RUN, "events only of runs that were started", got, location);
            return;
        };
        for violation in stream.event(params) {
            self.broken(violation.rule, violation.expected, violation.got, location);
        }
    }

    fn broken(
        &self,
        rule: &'static str,
        expected: impl Into<String>,
        got: impl Into<String>,
        location: &Location,
    ) {
        let failure = Failure::new(expected, got).at(location.clone());
        let failure = Failure { during: Some(self.label.get()), ..failure };
        self.own.add(rule, failure.clone());
        self.violations.add(rule, failure);
    }
}

/// What a writer must not do.
const ONLY_TABLE_VALUES: &str = "integers without fraction or exponent, and only enumerated values \
                                 of the specification";

fn contains(line: &[u8], text: &str) -> bool {
    memchr::memmem::find(line, text.as_bytes()).is_some()
}

/// Checks that the code of an error is that of its kind.
fn right_code(error: &ErrorObject) -> Result<(), String> {
    let kind = error.kind();
    let is_right = match kind.as_str().starts_with('_') {
        true => (2000..3000).contains(&error.code),
        false => error.code == kind.code(),
    };
    if is_right { Ok(()) } else { Err(format!("code {} with the kind {kind}", error.code)) }
}

fn type_of(params: &Value) -> &str {
    params["event"]["type"].as_str().unwrap_or("?")
}
