//! The routes of the server. Addresses are matched by their ends, so that any base path works.

use super::reply::Style;
use super::wire::Wire;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Route {
    Answer(AnswerRoute),
    /// Anything else.
    Other(OtherRoute),
}

/// Routes without an answer of the model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum OtherRoute {
    CountTokens(Wire),
    Models(Wire),
    Model(String),
    /// The requests so far.
    Requests,
    Health,
    Head,
    /// A WebSocket, which the fake model does not support.
    WebSocket,
    /// A known address with another method.
    WrongMethod(Wire),
    Unknown(Wire),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct AnswerRoute {
    pub(super) wire: Wire,
    /// The streaming style, if the address decides it.
    pub(super) stream: Option<Style>,
    /// The model, if the address names it.
    pub(super) model: Option<String>,
}

/// Parses an address.
pub(super) fn route(method: &str, path: &str, query: &str, upgrade: bool) -> Route {
    let path = path.trim_end_matches('/');
    let other = match method {
        "HEAD" => OtherRoute::Head,
        "GET" if upgrade => OtherRoute::WebSocket,
        "GET" => get(path),
        "POST" => return post(path, query).unwrap_or(Route::Other(unknown(path))),
        _ => refused_method(path),
    };
    Route::Other(other)
}

fn get(path: &str) -> OtherRoute {
    if path.ends_with("/requests") {
        return OtherRoute::Requests;
    }
    if path.is_empty() || path.ends_with("/healthz") {
        return OtherRoute::Health;
    }
    if path.ends_with("/models") {
        return OtherRoute::Models(wire_of(path));
    }
    match path.rsplit_once("/models/") {
        Some((_, name)) if !name.contains(':') => OtherRoute::Model(name.to_owned()),
        _ => refused_method(path),
    }
}

fn refused_method(path: &str) -> OtherRoute {
    match post(path, "") {
        Some(_) => OtherRoute::WrongMethod(wire_of(path)),
        None => unknown(path),
    }
}

fn unknown(path: &str) -> OtherRoute {
    OtherRoute::Unknown(wire_of(path))
}

fn post(path: &str, query: &str) -> Option<Route> {
    let answer = |wire| Some(Route::Answer(AnswerRoute { wire, stream: None, model: None }));
    if path.ends_with("/messages/count_tokens") {
        return Some(Route::Other(OtherRoute::CountTokens(Wire::Anthropic)));
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
    match last.split_once(':')? {
        (_, "countTokens") => Some(Route::Other(OtherRoute::CountTokens(Wire::Gemini))),
        (model, "generateContent") => Some(gemini(model, None)),
        (model, "streamGenerateContent") => {
            let events = query.split('&').any(|part| part == "alt=sse");
            let style = if events { Style::Events } else { Style::JsonList };
            Some(gemini(model, Some(style)))
        }
        _ => None,
    }
}

fn gemini(model: &str, stream: Option<Style>) -> Route {
    Route::Answer(AnswerRoute { wire: Wire::Gemini, stream, model: Some(model.to_owned()) })
}

/// The wire format of refusals of an unknown address.
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

    #[track_caller]
    fn is_other(method: &str, path: &str, upgrade: bool, expected: OtherRoute) {
        assert_eq!(route(method, path, "", upgrade), Route::Other(expected), "{method} {path}");
    }

    #[test]
    fn other_methods_and_addresses_are_refused() {
        is_other("GET", "/v1/messages", false, OtherRoute::WrongMethod(Wire::Anthropic));
        is_other("GET", "/v1/responses", true, OtherRoute::WebSocket);
        is_other("DELETE", "/v1/x", false, OtherRoute::Unknown(Wire::Chat));
        is_other("POST", "/v1/embeddings", false, OtherRoute::Unknown(Wire::Chat));
        is_other("GET", "/v1/models/a", false, OtherRoute::Model("a".to_owned()));
        is_other("HEAD", "/", false, OtherRoute::Head);
    }
}
