//! The steps of an agent CLI that is a server: the arguments of `listen`, `expect-request`, `on
//! request`, `reply`, `stream` and `sse`. Placeholders are not filled.

use serde_json::Value;

use crate::fake_cli::pattern::bound_names;
use crate::fake_cli::{Access, Outlet, Pairs, Route};

/// The names that a server binds.
pub(super) const SERVER_NAMES: [&str; 2] = ["port", "url"];

const METHODS: [&str; 7] = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ReplyText {
    pub(super) status: u16,
    pub(super) headers: Pairs,
    pub(super) body: String,
}

/// `basic USER $VARIABLE`, `bearer $VARIABLE`, or nothing.
pub(super) fn access(text: &str) -> Result<Option<Access>, String> {
    let parts: Vec<&str> = text.split_whitespace().collect();
    let variable =
        |part: &str| part.strip_prefix('$').filter(|it| !it.is_empty()).map(str::to_owned);
    let access = match parts.as_slice() {
        [] => return Ok(None),
        ["basic", user, part] => {
            variable(part).map(|variable| Access::Basic { user: (*user).to_owned(), variable })
        }
        ["bearer", part] => variable(part).map(|variable| Access::Bearer { variable }),
        _ => None,
    };
    let usage = "expected `listen`, `listen basic USER $VARIABLE` or `listen bearer $VARIABLE`";
    access.map(Some).ok_or_else(|| usage.to_owned())
}

/// `METHOD /path?query header:NAME=VALUE … PATTERN`.
pub(super) fn route(text: &str) -> Result<Route, String> {
    let (method, rest) = text.trim().split_once(' ').unwrap_or((text.trim(), ""));
    if !METHODS.contains(&method) {
        return Err(format!("expected a method and a path such as POST /session, not {method:?}"));
    }
    let (target, rest) = rest.trim_start().split_once(' ').unwrap_or((rest.trim(), ""));
    let (path, query) = split_target(target).unwrap_or((target, ""));
    let Some(path) = path.strip_prefix('/') else {
        return Err(format!("expected a path such as /session, not {target:?}"));
    };
    let (headers, rest) = headers(rest)?;
    let body = match rest {
        "" => None,
        pattern => Some(
            serde_json::from_str(pattern)
                .map_err(|error| format!("the pattern is not JSON: {error}"))?,
        ),
    };
    let pair = |pair: &str| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, "{{*}}"));
        (name.to_owned(), value.to_owned())
    };
    let route = Route {
        method: method.to_owned(),
        segments: path.split('/').map(str::to_owned).collect(),
        query: query.split('&').filter(|it| !it.is_empty()).map(pair).collect(),
        headers,
        body,
    };
    if let Some(text) = texts(&route).find(|text| is_mixed(text)) {
        return Err(format!("{{{{?…}}}} must be a complete path segment, not {text:?}"));
    }
    Ok(route)
}

/// Splits at the first question mark that is not part of a placeholder.
fn split_target(target: &str) -> Option<(&str, &str)> {
    let mut marks = target.match_indices('?').map(|(index, _)| index);
    let index = marks.find(|index| !target[..*index].ends_with("{{"))?;
    Some((&target[..index], &target[index + 1..]))
}

/// Whether a wildcard placeholder is only a part of the text, which is not allowed.
fn is_mixed(text: &str) -> bool {
    let is_whole = text.starts_with("{{") && text.find("}}") == Some(text.len() - 2);
    (text.contains("{{?") || text.contains("{{*")) && !is_whole
}

fn texts(route: &Route) -> impl Iterator<Item = &String> {
    let pairs = route.query.iter().chain(&route.headers).map(|(_, value)| value);
    route.segments.iter().chain(pairs)
}

/// Collects the names that a route binds.
pub(super) fn route_names(route: &Route, names: &mut Vec<String>) {
    for text in texts(route) {
        bound_names(&Value::from(text.as_str()), names);
    }
    if let Some(body) = &route.body {
        bound_names(body, names);
    }
}

/// `STATUS header:NAME=VALUE … BODY`.
pub(super) fn reply(text: &str) -> Result<ReplyText, String> {
    let (status, rest) = text.trim().split_once(' ').unwrap_or((text.trim(), ""));
    let status = status
        .parse()
        .ok()
        .filter(|status| (200..600).contains(status))
        .ok_or_else(|| format!("expected a status such as 200, not {status:?}"))?;
    let (headers, body) = headers(rest)?;
    if status == 204 && !body.is_empty() {
        return Err("a reply with status 204 has no body".to_owned());
    }
    Ok(ReplyText { status, headers, body: body.to_owned() })
}

/// `header:NAME=VALUE …` and nothing else.
pub(super) fn stream(text: &str) -> Result<Pairs, String> {
    match headers(text)? {
        (headers, "") => Ok(headers),
        (_, rest) => Err(format!("`stream` accepts only header:NAME=VALUE, not {rest:?}")),
    }
}

/// `event:NAME TEXT` or `TEXT`: the outlet and the text.
pub(super) fn event(text: &str) -> (Outlet, &str) {
    match text.strip_prefix("event:") {
        Some(named) => {
            let (name, text) = named.split_once(' ').unwrap_or((named, ""));
            (Outlet::Events { name: Some(name.to_owned()) }, text)
        }
        None => (Outlet::Events { name: None }, text),
    }
}

/// Parses the headers at the start of a text and returns the rest.
fn headers(text: &str) -> Result<(Pairs, &str), String> {
    let mut headers = Vec::new();
    let mut rest = text.trim();
    while let Some(after) = rest.strip_prefix("header:") {
        let (part, next) = after.split_once(' ').unwrap_or((after, ""));
        let (name, value) = part
            .split_once('=')
            .filter(|(name, _)| !name.is_empty())
            .ok_or_else(|| format!("header:NAME=VALUE needs both, not {part:?}"))?;
        headers.push((name.to_owned(), value.to_owned()));
        rest = next.trim_start();
    }
    Ok((headers, rest))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn route_is_parsed_completely() {
        let text =
            r#"POST /session/{{?id}}/message?dir={{cwd}}&x header:accept={{*}} {"a":"{{?b}}"}"#;
        let read = route(text).expect("it can be parsed");
        assert_eq!(read.segments, ["session", "{{?id}}", "message"]);
        assert_eq!(read.query, [("dir", "{{cwd}}"), ("x", "{{*}}")].map(owned));
        assert_eq!(read.headers, [("accept", "{{*}}")].map(owned));
        assert_eq!(read.body, Some(json!({"a": "{{?b}}"})));
        let mut names = Vec::new();
        route_names(&read, &mut names);
        assert_eq!(names, ["id", "b"]);
    }

    fn owned((name, value): (&str, &str)) -> (String, String) {
        (name.to_owned(), value.to_owned())
    }

    #[test]
    fn invalid_lines_are_reported() {
        let wrong = [
            ("fetch /x", "expected a method"),
            ("GET session", "expected a path"),
            ("GET /x {a}", "the pattern is not JSON"),
            ("GET /x/a{{?b}}", "must be a complete path segment"),
            ("GET /x header:accept", "needs both"),
        ];
        for (text, message) in wrong {
            assert!(route(text).is_err_and(|error| error.contains(message)), "{text}");
        }
        assert!(reply("ok").is_err_and(|error| error.contains("expected a status such as 200")));
        assert!(reply("204 {}").is_err_and(|error| error.contains("no body")));
        assert!(access("basic me PASSWORD").is_err());
        assert!(stream("header:a=b text").is_err());
    }

    #[test]
    fn replies_and_events_keep_their_text() {
        let read = reply(r#"200 header:x-y={{url}} {"a": 1}"#).expect("it can be parsed");
        assert_eq!((read.status, read.body.as_str()), (200, r#"{"a": 1}"#));
        assert_eq!(read.headers, [("x-y", "{{url}}")].map(owned));
        assert_eq!(event("event:done {}").1, "{}");
        assert_eq!(event("{}"), (Outlet::Events { name: None }, "{}"));
    }
}
