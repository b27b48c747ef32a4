//! What an address asks for. Addresses are told by their ends, so that any base path works.

use super::reply::Style;
use super::wire::Wire;

/// What is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Route {
    /// An answer.
    Answer(AnswerRoute),
    /// How many tokens a request has.
    CountTokens(Wire),
    /// Which models there are.
    Models(Wire),
    /// Whether there is one model.
    Model(String),
    /// What was asked so far.
    Requests,
    /// Whether the server lives.
    Health,
    /// Whether there is a server at all.
    Head,
    /// A WebSocket, which the fake model does not speak.
    WebSocket,
    /// A known address, by another method.
    WrongMethod(Wire),
    /// No known address.
    Unknown(Wire),
}

/// An address that answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct AnswerRoute {
    /// The format.
    pub(super) wire: Wire,
    /// How the answer is streamed where the address says so and not the body.
    pub(super) stream: Option<Style>,
    /// The model where the address says so.
    pub(super) model: Option<String>,
}

/// Reads an address.
pub(super) fn route(method: &str, path: &str, query: &str, upgrade: bool) -> Route {
    let path = path.trim_end_matches('/');
    match method {
        "HEAD" => Route::Head,
        "GET" if upgrade => Route::WebSocket,
        "GET" => get(path),
        "POST" => post(path, query),
        _ => match post(path, query) {
            Route::Unknown(wire) => Route::Unknown(wire),
            _ => Route::WrongMethod(wire_of(path)),
        },
    }
}

fn get(path: &str) -> Route {
    if path.ends_with("/requests") {
        return Route::Requests;
    }
    if path.is_empty() || path.ends_with("/healthz") {
        return Route::Health;
    }
    if path.ends_with("/models") {
        return Route::Models(wire_of(path));
    }
    match (post(path, ""), path.rsplit_once("/models/")) {
        (Route::Unknown(_), Some((_, name))) => Route::Model(name.to_owned()),
        (Route::Unknown(wire), None) => Route::Unknown(wire),
        _ => Route::WrongMethod(wire_of(path)),
    }
}

fn post(path: &str, query: &str) -> Route {
    let answer = |wire| Route::Answer(AnswerRoute { wire, stream: None, model: None });
    if path.ends_with("/messages/count_tokens") {
        return Route::CountTokens(Wire::Anthropic);
    }
    if path.ends_with("/messages") {
        return answer(Wire::Anthropic);
    }
    if path.ends_with("/responses") {
        return answer(Wire::Responses);
    }
    if path.ends_with("/chat/completions") {
        return answer(Wire::Chat);
    }
    let last = path.rsplit('/').next().unwrap_or_default();
    match last.split_once(':') {
        Some((_, "countTokens")) => Route::CountTokens(Wire::Gemini),
        Some((model, "generateContent")) => gemini(model, None),
        Some((model, "streamGenerateContent")) => {
            let events = query.split('&').any(|part| part == "alt=sse");
            gemini(model, Some(if events { Style::Events } else { Style::JsonList }))
        }
        _ => Route::Unknown(wire_of(path)),
    }
}

fn gemini(model: &str, stream: Option<Style>) -> Route {
    Route::Answer(AnswerRoute { wire: Wire::Gemini, stream, model: Some(model.to_owned()) })
}

/// Whose words an address that answers nothing is refused in.
fn wire_of(path: &str) -> Wire {
    if path.contains("/v1beta") || path.contains("/v1alpha") || path.contains(':') {
        Wire::Gemini
    } else if path.contains("/messages") || path.contains("/anthropic") {
        Wire::Anthropic
    } else if path.contains("/responses") {
        Wire::Responses
    } else {
        Wire::Chat
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn answers(path: &str, query: &str, wire: Wire, stream: Option<Style>) {
        match route("POST", path, query, false) {
            Route::Answer(answer) => {
                assert_eq!((answer.wire, answer.stream), (wire, stream), "{path}");
            }
            other => panic!("{path} is {other:?}"),
        }
    }

    #[test]
    fn any_base_path_works() {
        answers("/v1/messages", "beta=true", Wire::Anthropic, None);
        answers("/anthropic/v1/messages/", "", Wire::Anthropic, None);
        answers("/responses", "", Wire::Responses, None);
        answers("/a/b/chat/completions", "", Wire::Chat, None);
        let gemini = "/v1beta/models/gemini-x:streamGenerateContent";
        answers(gemini, "alt=sse", Wire::Gemini, Some(Style::Events));
        answers(gemini, "", Wire::Gemini, Some(Style::JsonList));
        answers("/x/models/g:generateContent", "", Wire::Gemini, None);
    }

    #[test]
    fn other_methods_and_addresses_are_refused() {
        assert_eq!(route("GET", "/v1/messages", "", false), Route::WrongMethod(Wire::Anthropic));
        assert_eq!(route("GET", "/v1/responses", "", true), Route::WebSocket);
        assert_eq!(route("DELETE", "/v1/x", "", false), Route::Unknown(Wire::Chat));
        assert_eq!(route("POST", "/v1/embeddings", "", false), Route::Unknown(Wire::Chat));
        assert_eq!(route("GET", "/v1/models/a", "", false), Route::Model("a".to_owned()));
        assert_eq!(route("HEAD", "/", "", false), Route::Head);
    }
}
