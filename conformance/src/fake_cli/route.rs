//! Requests that a script waits for: which ones match, what they bind, who is authorized.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::http::Request;
use super::pattern::{Bindings, fill, fill_value, fit_line, fit_text, loosen};

/// Names and values, such as headers.
pub type Pairs = Vec<(String, String)>;

/// A pattern of requests. Its texts may be `{{?name}}` (matches anything and binds it) or `{{*}}`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Route {
    /// Such as `POST`.
    pub method: String,
    /// The segments of the path.
    pub segments: Vec<String>,
    /// Required members of the query; others are allowed.
    pub query: Pairs,
    /// Required headers; others are allowed.
    pub headers: Pairs,
    /// The pattern of the body (see `pattern.rs`).
    pub body: Option<Value>,
}

impl Route {
    /// The same with placeholders filled.
    pub fn filled(&self, bindings: &Bindings) -> Self {
        let mut route = self.clone();
        route.texts_mut().for_each(|text| *text = fill(text, bindings));
        if let Some(body) = &mut route.body {
            fill_value(body, bindings);
        }
        route
    }

    /// The same, with values that are not known yet matching anything.
    pub(super) fn loosened(&self, bindings: &Bindings) -> Self {
        let mut route = self.filled(bindings);
        route.texts_mut().for_each(|text| {
            let mut value = Value::String(std::mem::take(text));
            loosen(&mut value);
            *text = value.as_str().unwrap_or_default().to_owned();
        });
        route.body.iter_mut().for_each(loosen);
        route
    }

    /// Matches a request; returns what it binds.
    pub(super) fn fit(&self, request: &Request) -> Option<Bindings> {
        let mut bindings = Bindings::new();
        let segments = request.segments();
        let fits = self.method == request.method
            && self.segments.len() == segments.len()
            && self
                .segments
                .iter()
                .zip(&segments)
                .all(|(wanted, there)| fit_text(wanted, there, &mut bindings))
            && all_match(&self.query, &request.query(), &mut bindings)
            && all_match(&self.headers, &request.headers, &mut bindings);
        if !fits {
            return None;
        }
        if let Some(body) = &self.body {
            bindings.extend(fit_line(body, &request.body)?);
        }
        Some(bindings)
    }

    fn texts_mut(&mut self) -> impl Iterator<Item = &mut String> {
        let pairs = self.query.iter_mut().chain(&mut self.headers).map(|(_, value)| value);
        self.segments.iter_mut().chain(pairs)
    }
}

impl std::fmt::Display for Route {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{} /{}", self.method, self.segments.join("/"))?;
        for (index, (name, value)) in self.query.iter().enumerate() {
            write!(formatter, "{}{name}={value}", if index == 0 { '?' } else { '&' })?;
        }
        for (name, value) in &self.headers {
            write!(formatter, " header:{name}={value}")?;
        }
        match &self.body {
            Some(body) => write!(formatter, " {body}"),
            None => Ok(()),
        }
    }
}

/// Whether each wanted pair matches a present one.
fn all_match(
    wanted: &[(String, String)],
    there: &[(String, String)],
    bindings: &mut Bindings,
) -> bool {
    wanted.iter().all(|(name, value)| {
        let mut named = there.iter().filter(|(other, _)| other.eq_ignore_ascii_case(name));
        named.any(|(_, found)| fit_text(value, found, bindings))
    })
}

/// Who is authorized. The secret is in a variable, because the adapter generates it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Access {
    /// `Authorization: Basic`.
    Basic {
        /// The name.
        user: String,
        /// The variable with the password.
        variable: String,
    },
    /// `Authorization: Bearer`.
    Bearer {
        /// The variable with the token.
        variable: String,
    },
}

impl Access {
    /// The value of the header that every request must have.
    ///
    /// # Errors
    /// When the variable is not set.
    pub(super) fn header(&self) -> Result<String, String> {
        let (Self::Basic { variable, .. } | Self::Bearer { variable }) = self;
        let secret = std::env::var(variable).ok().filter(|secret| !secret.is_empty());
        let secret = secret.ok_or_else(|| format!("the variable {variable} is not set"))?;
        Ok(match self {
            Self::Basic { user, .. } => {
                format!("Basic {}", STANDARD.encode(format!("{user}:{secret}")))
            }
            Self::Bearer { .. } => format!("Bearer {secret}"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn request(target: &str, body: &str) -> Request {
        Request {
            method: "POST".to_owned(),
            target: target.to_owned(),
            headers: vec![("Accept".to_owned(), "text/plain".to_owned())],
            body: body.to_owned(),
        }
    }

    fn route() -> Route {
        Route {
            method: "POST".to_owned(),
            segments: ["session", "{{?id}}", "message"].map(str::to_owned).to_vec(),
            query: vec![("directory".to_owned(), "{{cwd}}".to_owned())],
            headers: vec![("accept".to_owned(), "text/plain".to_owned())],
            body: Some(json!({"parts": [{"text": "{{?prompt}}"}]})),
        }
    }

    #[test]
    fn every_part_must_match_and_binds() {
        let cwd = Bindings::from([("cwd".to_owned(), json!("/a b"))]);
        let body = r#"{"parts":[{"text":"hello","type":"text"}],"model":"m"}"#;
        let fitting = request("/session/s%201/message?x=1&directory=%2Fa+b", body);
        let bound = route().filled(&cwd).fit(&fitting).expect("it fits");
        assert_eq!(bound["id"], json!("s 1"));
        assert_eq!(bound["prompt"], json!("hello"));
        let others = [
            request("/session/s/message", body),
            request("/session/message?directory=%2Fa+b", body),
            request("/session/s/message?directory=%2Fa+b", "{}"),
        ];
        assert!(others.iter().all(|other| route().filled(&cwd).fit(other).is_none()));
    }

    #[test]
    fn unknown_values_match_loosely() {
        let early =
            request("/session/s/message?directory=%2Fsomewhere", r#"{"parts":[{"text":""}]}"#);
        assert!(route().fit(&early).is_none());
        assert!(route().loosened(&Bindings::new()).fit(&early).is_some());
    }
}
