//! One request as data.

use crate::fake_cli::route::Pairs;

/// A request. Its body is text; invalid UTF-8 is replaced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::fake_cli) struct Request {
    /// Such as `POST`.
    pub(in crate::fake_cli) method: String,
    /// Path and query, not decoded.
    pub(in crate::fake_cli) target: String,
    pub(in crate::fake_cli) headers: Pairs,
    pub(in crate::fake_cli) body: String,
}

impl Request {
    /// The segments of the path, decoded.
    pub(in crate::fake_cli) fn segments(&self) -> Vec<String> {
        let path = self.target.split('?').next().unwrap_or_default();
        path.trim_start_matches('/').split('/').map(decoded).collect()
    }

    /// The members of the query, decoded.
    pub(in crate::fake_cli) fn query(&self) -> Pairs {
        let query = self.target.split_once('?').map_or("", |(_, query)| query);
        let pairs = query.split('&').filter(|pair| !pair.is_empty());
        pairs
            .map(|pair| pair.split_once('=').unwrap_or((pair, "")))
            .map(|(name, value)| (decoded(name), decoded(&value.replace('+', " "))))
            .collect()
    }

    pub(in crate::fake_cli) fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }
}

/// Decodes `%41` to `A`; other text is unchanged.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let code = (*first == b'%')
            .then(|| after.get(..2))
            .flatten()
            .and_then(|digits| std::str::from_utf8(digits).ok())
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match code {
            Some(code) => {
                bytes.push(code);
                rest = &after[2..];
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percent_codes_are_decoded_others_stay() {
        assert_eq!(decoded("a%20b%C3%BC%2"), "a bü%2");
        assert_eq!(decoded("100%zz"), "100%zz");
    }
}
