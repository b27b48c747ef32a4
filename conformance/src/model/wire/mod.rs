//! The wire formats of the model providers, one file each: parse a request, write an answer as a
//! document or a stream, write a refusal.

mod anthropic;
mod chat;
mod gemini;
mod open_ai;
mod responses;

use serde_json::Value;

use super::answer::{Answer, Fault};
use super::failure::{Failure, Refusal};
use super::reply::{Reply, Script, Style};
use super::request::Conversation;

/// A wire format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wire {
    /// Anthropic Messages.
    Anthropic,
    /// OpenAI Responses.
    Responses,
    /// OpenAI chat completions.
    Chat,
    /// Gemini generateContent.
    Gemini,
}

impl Wire {
    /// Its name in logs.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Anthropic => "anthropic",
            Self::Responses => "responses",
            Self::Chat => "chat",
            Self::Gemini => "gemini",
        }
    }

    /// Reads a request.
    ///
    /// # Errors
    /// What is wrong in it.
    pub(super) fn read(self, body: &Value) -> Result<Conversation, String> {
        if !body.is_object() {
            return Err("the request must be a JSON object".to_owned());
        }
        match self {
            Self::Anthropic => anthropic::read(body),
            Self::Responses => responses::read(body),
            Self::Chat => chat::read(body),
            Self::Gemini => gemini::read(body),
        }
    }

    pub(super) fn to_document(self, answer: &Answer) -> Reply {
        let body = match self {
            Self::Anthropic => anthropic::to_document(answer),
            Self::Responses => responses::to_document(answer),
            Self::Chat => chat::to_document(answer),
            Self::Gemini => gemini::to_document(answer),
        };
        Reply::to_document(answer, &body).with(self.limit_headers(answer))
    }

    pub(super) fn stream(self, answer: &Answer, style: Style) -> Reply {
        let script = if answer.fault == Fault::Hang {
            Script::silent(style)
        } else {
            let mut script = Script::new(style);
            match self {
                Self::Anthropic => anthropic::stream(answer, &mut script),
                Self::Responses => responses::stream(answer, &mut script),
                Self::Chat => chat::stream(answer, &mut script),
                Self::Gemini => gemini::stream(answer, &mut script),
            }
            script
        };
        Reply::stream(script).with(self.limit_headers(answer))
    }

    /// A refusal in this format.
    pub(super) fn refuse(self, failure: &Failure) -> Refusal {
        match self {
            Self::Anthropic => anthropic::refuse(failure),
            Self::Responses | Self::Chat => open_ai::refuse(failure),
            Self::Gemini => gemini::refuse(failure),
        }
    }

    fn limit_headers(self, answer: &Answer) -> Vec<(&'static str, String)> {
        if !answer.limit_headers {
            return Vec::new();
        }
        match self {
            Self::Anthropic => anthropic::limit_headers(answer.created),
            Self::Responses => responses::limit_headers(answer.created),
            Self::Chat => open_ai::limit_headers(),
            Self::Gemini => Vec::new(),
        }
    }
}
