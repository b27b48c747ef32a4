//! Asking a plugin something and waiting for the answer, never longer than the method allows.

use std::time::Duration;

use od_protocol::{Call, ErrorKind, ErrorObject, METHODS};
use serde_json::{Value, json};

use super::launch::Plugin;
use crate::verdict::{Failure, Finding, shorten};

/// What came back.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// A result.
    Result(Value),
    /// An error.
    Error(ErrorObject),
}

impl Answer {
    /// In a few words, for messages.
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

impl Plugin {
    /// Sends a request and gives its id, as JSON text. The answer is waited for with
    /// [`Plugin::answer`].
    pub fn ask(&mut self, method: &str, params: Value) -> String {
        let id = json!(self.next_id);
        self.next_id += 1;
        self.ask_with_id(id, method, params)
    }

    /// Sends a request under an id of the caller's choice.
    pub fn ask_with_id(&mut self, id: Value, method: &str, params: Value) -> String {
        let key = id.to_string();
        self.inbox.asked.insert(key.clone(), method.to_owned());
        let line = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        self.send_raw(format!("{line}\n").as_bytes());
        key
    }

    /// Sends a notification.
    pub fn notify(&mut self, method: &str, params: Value) {
        let line = json!({"jsonrpc": "2.0", "method": method, "params": params});
        self.send_raw(format!("{line}\n").as_bytes());
    }

    /// Waits for the answer to a request.
    ///
    /// # Errors
    /// A failure when none comes in time.
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
                .at(line.place.clone())
                .into()),
            };
        }
        Ok(Answer::Result(line.value.get("result").cloned().unwrap_or_default()))
    }

    /// Asks and waits, as long as the method allows.
    ///
    /// # Errors
    /// A failure when no answer comes in time.
    pub fn request(&mut self, method: &str, params: Value) -> Result<Answer, Finding> {
        let limit = METHODS
            .iter()
            .find(|known| known.name == method)
            .map_or(Duration::from_secs(5), |known| known.limit());
        let id = self.ask(method, params);
        self.answer(&id, limit)
    }

    /// Asks with typed parameters.
    ///
    /// # Errors
    /// A failure when no answer comes in time or when it is an error or of another shape.
    pub fn call<C: Call>(&mut self, params: &C) -> Result<C::Result, Finding> {
        let sent = serde_json::to_value(params).unwrap_or_default();
        let shown = format!("{} {}", C::METHOD.name, shorten(&sent.to_string(), 300));
        let answer = self.request(C::METHOD.name, sent)?;
        let place = self.place();
        let result = match &answer {
            Answer::Result(value) => serde_json::from_value(value.clone()).ok(),
            Answer::Error(_) => None,
        };
        result.ok_or_else(|| {
            Failure::new(format!("a {}", C::METHOD.result), answer.summary())
                .sent(shown)
                .at(place)
                .into()
        })
    }

    /// Asks something that must be refused with an error of this kind.
    ///
    /// # Errors
    /// A failure when it is not.
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

    /// Looks at an answer that must be an error of this kind, its code included.
    ///
    /// # Errors
    /// A failure when it is not.
    pub fn expect_error(
        &self,
        answer: Answer,
        kind: &ErrorKind,
        sent: &str,
    ) -> Result<ErrorObject, Finding> {
        match answer {
            Answer::Error(error) if error.kind() == *kind && error.code == kind.code() => Ok(error),
            other => Err(Failure::new(
                format!("the error {} with data.kind {kind}", kind.code()),
                other.summary(),
            )
            .sent(sent)
            .at(self.place())
            .into()),
        }
    }

    fn no_answer(&mut self, id: &str, limit: Duration) -> Finding {
        let method = self.inbox.asked.get(id).cloned().unwrap_or_default();
        let state = match (self.is_running(), self.inbox.ended) {
            (false, _) => "the plugin has exited",
            (true, true) => "the plugin closed its stdout",
            (true, false) => "nothing came and the plugin is still running",
        };
        let expected = format!("an answer to {method} (id {id}) within {limit:.1?}");
        Failure::new(expected, state).at(self.place()).into()
    }
}
