//! Reads `settings.toml`: checks that only the user could have written it, and reports the line and key of a mistake.

use std::ops::Range;
use std::path::Path;

use super::Settings;
use crate::error::HostError;
use crate::files::trust::check_private;

/// Reads the file; an absent one gives the defaults. The file names programs to execute, so no other user may be able to
/// write it.
pub(super) fn read(path: &Path) -> Result<Settings, HostError> {
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Ok(Settings::default());
        }
        Err(error) => return Err(HostError::file("read", path, &error)),
    };
    check_private(path).map_err(|problem| {
        HostError::usage(format!("cannot use {}: {}", path.display(), problem.reason))
            .with_hint(format!("check its content, then: {}", problem.fix))
    })?;
    parse(&text).map_err(|Mistake { line, text }| {
        let path = path.display();
        HostError::usage(format!("cannot use {path}: line {line}: {text}"))
            .with_hint(format!("correct line {line} of {path}, or remove it to use the default"))
    })
}

/// A value or key that is not valid.
#[derive(Debug, PartialEq, Eq)]
struct Mistake {
    /// From 1.
    line: usize,
    text: String,
}

fn parse(text: &str) -> Result<Settings, Mistake> {
    toml::from_str(text).map_err(|error| {
        let Range { start, .. } = error.span().unwrap_or_default();
        let before = text.get(..start).unwrap_or_default();
        let message = without_rust_types(error.message());
        let text = match key(text, start) {
            Some(key) => format!("{key}: {message}"),
            None => message,
        };
        Mistake { line: before.matches('\n').count() + 1, text }
    })
}

/// The key at a position, with the name of its table.
fn key(text: &str, place: usize) -> Option<String> {
    let end = text.get(place..)?.find('\n').map_or(text.len(), |length| place + length);
    let mut lines = text.get(..end)?.lines().map(str::trim).rev();
    let here = lines.next()?;
    if here.starts_with('[') {
        return Some(table_name(here));
    }
    let key = here.split_once('=').map(|(key, _)| key.trim())?;
    Some(match lines.find(|line| line.starts_with('[')) {
        Some(table) => format!("{}.{key}", table_name(table)),
        None => key.to_owned(),
    })
}

fn table_name(line: &str) -> String {
    line.trim_start_matches('[').split(']').next().unwrap_or_default().trim().to_owned()
}

/// Replaces the names of Rust types in a message of the parser.
fn without_rust_types(message: &str) -> String {
    let message = match message.split_once("expected struct ") {
        Some((before, _)) => format!("{before}expected a table"),
        None => message.to_owned(),
    };
    let number = "expected a whole number";
    let above_zero = format!("{number} above 0");
    ["a nonzero u32", "u32", "u64", "usize"].iter().fold(message, |message, name| {
        let expected = if name.contains("nonzero") { above_zero.as_str() } else { number };
        message.replace(&format!("expected {name}"), expected)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mistake(text: &str) -> (usize, String) {
        let mistake = parse(text).expect_err("a mistake");
        (mistake.line, mistake.text)
    }

    #[test]
    fn mistake_has_line_and_key() {
        let (line, text) = mistake("# mine\n[serve]\nallowHosts = []\nbind = 5\n");
        assert_eq!(line, 4);
        assert!(text.starts_with("serve.bind: ") && text.contains("a string"), "{text}");
        let (line, text) = mistake("[retention]\ndays = \"long\"");
        assert_eq!(line, 2);
        assert!(text.starts_with("retention.days: "), "{text}");
        assert!(text.ends_with("expected a whole number"), "{text}");
        let (line, text) = mistake("serve = 5\n");
        assert_eq!(line, 1);
        assert!(text.starts_with("serve: ") && text.ends_with("expected a table"), "{text}");
    }

    #[test]
    fn unknown_key_lists_known_keys() {
        let (line, text) = mistake("[serve]\n\nmaxConection = 5\n");
        assert_eq!(line, 3);
        for word in ["serve.maxConection", "`maxConnections`", "`allowOrigins`"] {
            assert!(text.contains(word), "no {word} in {text}");
        }
        let (line, text) = mistake("[limits]\nmaxRuns = 2\n\n[serv]\nbind = \"x\"\n");
        assert_eq!(line, 4);
        assert!(text.starts_with("serv: ") && text.contains("`serve`"), "{text}");
    }

    #[test]
    fn zero_limits_are_rejected() {
        for text in [
            "[serve]\nmaxConnections = 0",
            "[serve]\nmaxRequestBytes = 0",
            "[serve]\nmaxSubscriptions = 0",
            "[limits]\nmaxRuns = 0",
        ] {
            let (line, message) = mistake(text);
            assert_eq!(line, 2, "{message}");
            assert!(message.ends_with("expected a whole number above 0"), "{message}");
        }
        assert!(parse("[serve]\nmaxCallsPerSecond = 0\n[limits]\nmaxQueued = 0").is_ok());
    }

    #[test]
    fn invalid_toml_has_its_line() {
        assert_eq!(mistake("[serve]\nbind = \"open\n").0, 2);
    }
}
