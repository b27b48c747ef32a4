//! Sends requests and waits for the responses, never longer than the method allows.

use std::time::Duration;

use od_protocol::adapter::{INITIALIZE, METHODS};
use od_protocol::{Call, ErrorKind, ErrorObject};
use serde_json::Value;

use super::launch::AdapterClient;
use crate::outcome::{Failure, Finding, shorten};

/// The response to a request.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// A result.
    Result(Value),
    /// An error.
    Error(ErrorObject),
}

impl Answer {
    /// Summarizes the response for messages.
    pub fn summary(&self) -> String {
        match self {
            Self::Result(value) => format!("the result {}", shorten(&value.to_string(), 300)),
            Self::Error(error) => {
                format!(
                    "the error {} ({}): {}",
                    error.code,
                    error.kind(),
                    shorten(&error.message, 300)
                )
            }
        }
    }
}

impl AdapterClient {
    /// Waits for the response to a request.
    pub fn answer(&mut self, id: &str, limit: Duration) -> Result<Answer, Finding> {
        let limit = self.limit(limit);
        if !self.pump(limit, |inbox| inbox.answers.contains_key(id)) {
            return Err(self.no_answer(id, limit));
        }
        let line = &self.inbox.answers[id];
        if let Some(error) = line.value.get("error") {
            return match serde_json::from_value(error.clone()) {
                Ok(error) => Ok(Answer::Error(error)),
                Err(reason) => Err(Failure::new(
                    "an error object {code, message, data{kind}}",
                    format!("{error} ({reason})"),
                )
                .at(line.location.clone())
                .into()),
            };
        }
        Ok(Answer::Result(line.value.get("result").cloned().unwrap_or_default()))
    }

    /// Sends a request and waits as long as the method allows.
    pub fn request(&mut self, method: &str, params: Value) -> Result<Answer, Finding> {
        let limit = METHODS
            .iter()
            .find(|known| known.name == method)
            .map_or(Duration::from_secs(5), |known| known.limit());
        // The limits do not include the start of the process.
        let limit = if self.inbox.has_answered { limit } else { limit.max(INITIALIZE.limit()) };
        let id = self.ask(method, params);
        self.answer(&id, limit)
    }

    /// Sends a request with typed parameters.
    ///
    /// # Errors
    /// A failure if no response arrives in time, or if it is an error or has another shape.
    pub fn call<C: Call>(&mut self, params: &C) -> Result<C::Result, Finding> {
        let sent = serde_json::to_value(params).unwrap_or_default();
        let shown = format!("{} {}", C::METHOD.name, shorten(&sent.to_string(), 300));
        let answer = self.request(C::METHOD.name, sent)?;
        let result = match &answer {
            Answer::Result(value) => serde_json::from_value(value.clone()).ok(),
            Answer::Error(_) => None,
        };
        result
            .ok_or_else(|| self.failure(format!("a {}", C::METHOD.result), answer.summary(), shown))
    }

    /// Sends a request that must fail with this kind.
    pub fn refused(
        &mut self,
        method: &str,
        params: Value,
        kind: &ErrorKind,
    ) -> Result<ErrorObject, Finding> {
        let shown = format!("{method} {}", shorten(&params.to_string(), 300));
        let answer = self.request(method, params)?;
        self.expect_error(answer, kind, &shown)
    }

    /// Checks that a response is an error of this kind with the matching code.
    pub fn expect_error(
        &self,
        answer: Answer,
        kind: &ErrorKind,
        sent: &str,
    ) -> Result<ErrorObject, Finding> {
        match answer {
            Answer::Error(error) if error.kind() == *kind && error.code == kind.code() => Ok(error),
            other => {
                let expected = format!("the error {} with data.kind {kind}", kind.code());
                Err(self.failure(expected, other.summary(), sent))
            }
        }
    }

    fn no_answer(&mut self, id: &str, limit: Duration) -> Finding {
        let method = self.inbox.asked.get(id).cloned().unwrap_or_default();
        let expected = format!("a response to {method} (id {id}) within {limit:.1?}");
        Failure::new(expected, self.describe_silence()).at(self.location()).into()
    }
}
