//! Logs on stderr: text for people, or one JSON object per line for log collectors.
//!
//! A log never contains a prompt, the value of a variable, a token or a header. The host's own log statements name
//! runs, agents, methods and error kinds only. Other crates may log whole messages at lower levels, so only their
//! warnings and errors are shown.

use std::io::IsTerminal;

use tracing::level_filters::LevelFilter;
use tracing::{Level, Metadata};
use tracing_subscriber::filter::{Targets, filter_fn};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{Layer, fmt};

use crate::error::HostError;

/// The variable that selects the log format.
pub const FORMAT_VARIABLE: &str = "OD_LOG_FORMAT";
const FILTER_VARIABLE: &str = "RUST_LOG";

/// The format of the log.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum LogFormat {
    /// One line of text per entry.
    #[default]
    Text,
    /// One JSON object per line.
    Json,
}

impl std::str::FromStr for LogFormat {
    type Err = HostError;

    fn from_str(name: &str) -> Result<Self, HostError> {
        match name {
            "text" => Ok(Self::Text),
            "json" => Ok(Self::Json),
            _ => Err(HostError::usage(format!("{name:?} is not one of text, json"))
                .with_hint(format!("use --log-format text or json, or set {FORMAT_VARIABLE}"))),
        }
    }
}

/// Starts logging to stderr. `RUST_LOG`, a list such as `info,od_host::run=debug`, overrides the level.
pub fn start(level: LevelFilter, format: LogFormat) {
    let variable = std::env::var(FILTER_VARIABLE).ok().filter(|filter| !filter.is_empty());
    let filter = variable.and_then(|filter| filter.parse::<Targets>().ok());
    let filter = filter.unwrap_or_else(|| Targets::new().with_default(level));
    let lines = fmt::layer().with_writer(std::io::stderr);
    let lines = match format {
        LogFormat::Text => lines.with_ansi(has_colors()).with_target(false).boxed(),
        LogFormat::Json => lines.json().flatten_event(true).with_current_span(false).boxed(),
    };
    let lines = lines.with_filter(filter_fn(is_shown));
    // A program that embeds the library may have its own subscriber.
    if tracing_subscriber::registry().with(filter).with(lines).try_init().is_err() {
        tracing::debug!("logging has already been started");
    }
}

/// Whether a log statement may be shown at the requested level.
fn is_shown(statement: &Metadata<'_>) -> bool {
    let is_own = statement.target().starts_with("od_");
    is_own || *statement.level() <= Level::WARN
}

fn has_colors() -> bool {
    let is_forced = std::env::var_os("CLICOLOR_FORCE").is_some_and(|value| value != "0");
    let is_disabled = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    !is_disabled && (is_forced || std::io::stderr().is_terminal())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn log_format_parses_text_and_json() {
        assert_eq!("json".parse::<LogFormat>().expect("a format"), LogFormat::Json);
        assert_eq!("text".parse::<LogFormat>().expect("a format"), LogFormat::Text);
        let error = "yaml".parse::<LogFormat>().expect_err("no format");
        assert!(error.hint.is_some_and(|hint| hint.contains(FORMAT_VARIABLE)));
    }
}
