//! Parses lines of OpenCode's log (`key=value key="quoted value"`). Retries are reported only there.

/// One line of the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogLine {
    fields: Vec<(String, String)>,
}

impl LogLine {
    /// Parses a line; `None` if it is not a line of the log.
    pub fn parse(line: &str) -> Option<Self> {
        let mut fields = Vec::new();
        let mut rest = line.trim();
        while let Some((key, after)) = rest.split_once('=') {
            let (value, after) = value(after);
            fields.push((key.trim().to_owned(), value));
            rest = after.trim_start();
        }
        let is_log = fields.first().is_some_and(|(key, _)| key == "timestamp");
        is_log.then_some(Self { fields })
    }

    /// A field's value.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.fields.iter().find(|(name, _)| name == key).map(|(_, value)| value.as_str())
    }

    /// The provider's error for a request of the conversation (not of its title). The log does not
    /// state whether OpenCode retries.
    pub fn stream_error(&self) -> Option<&str> {
        let is_conversation =
            self.get("small") != Some("true") && self.get("agent") != Some("title");
        let error = self.get("error.error").filter(|_| self.get("message") == Some("stream error"));
        error.filter(|_| is_conversation)
    }

    /// The error of the line with this reference.
    pub fn failure(&self, reference: &str) -> Option<&str> {
        self.get("error").filter(|_| self.get("ref") == Some(reference))
    }
}

/// Parses a value; returns it and the rest. In quotes, a backslash escapes the next character.
fn value(text: &str) -> (String, &str) {
    let Some(quoted) = text.strip_prefix('"') else {
        let end = text.find(' ').unwrap_or(text.len());
        return (text[..end].to_owned(), &text[end..]);
    };
    let mut value = String::new();
    let mut characters = quoted.char_indices();
    while let Some((index, character)) = characters.next() {
        match character {
            '"' => return (value, &quoted[index + 1..]),
            '\\' => match characters.next() {
                Some((_, 'n')) => value.push('\n'),
                Some((_, other)) => value.push(other),
                None => break,
            },
            other => value.push(other),
        }
    }
    (value, "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoted_value_is_parsed_whole() {
        let line = r#"timestamp=2026-11-16T04:45:06.897Z level=ERROR run=b6 message="stream error" small=false agent=build error.error="AI_APICallError: said \"no\" = no.""#;
        let log_line = LogLine::parse(line).expect("a line of the log");
        assert_eq!(log_line.get("level"), Some("ERROR"));
        assert_eq!(log_line.stream_error(), Some("AI_APICallError: said \"no\" = no."));
    }

    #[test]
    fn title_request_is_not_stream_error() {
        for line in [
            r#"timestamp=1 message="stream error" small=true agent=title error.error="x""#,
            r#"timestamp=1 message=process error="x""#,
            "stream error",
            "",
            r#"timestamp=1 message="never closed"#,
        ] {
            let error = LogLine::parse(line).and_then(|log| log.stream_error().map(str::to_owned));
            assert_eq!(error, None, "{line}");
        }
    }
}
