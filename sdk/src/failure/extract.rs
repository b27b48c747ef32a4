//! Finds the HTTP status and the provider's own error inside a text.

use serde::Deserialize;
use serde_json::Value;

/// A provider's error, as its API returns it: `{"error": {"message": …, "code": …}}`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ProviderError {
    /// The text for people.
    pub message: String,
    /// Its code, where that is a text.
    pub code: Option<String>,
    /// Its code, where that is an HTTP status.
    pub status: Option<u16>,
}

/// The provider's error inside a text; CLIs put their own text before it.
pub fn provider_error(text: &str) -> Option<ProviderError> {
    let from_brace = &text[text.find('{')?..];
    let mut values = serde_json::Deserializer::from_str(from_brace).into_iter::<Value>();
    let reply = values.next()?.ok()?;
    let error = reply.get("error").filter(|error| error.is_object()).unwrap_or(&reply);
    let message = error.get("message")?.as_str().filter(|message| !message.is_empty())?;
    let code = error.get("code");
    Some(ProviderError {
        message: message.to_owned(),
        code: code.and_then(Value::as_str).map(str::to_owned),
        status: code.and_then(|code| u16::deserialize(code).ok()),
    })
}

/// The HTTP status that follows one of these marks; an empty mark is the start of the text.
pub fn status_after(text: &str, marks: &[&str]) -> Option<u16> {
    marks.iter().find_map(|mark| {
        let rest = match mark.is_empty() {
            true => text,
            false => text.split_once(mark)?.1,
        };
        let end = rest.find(|character: char| !character.is_ascii_digit()).unwrap_or(rest.len());
        rest[..end].parse().ok().filter(|status| (100..600).contains(status))
    })
}
