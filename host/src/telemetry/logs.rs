//! Logs on stderr: for people, or one JSON object a line for programs that gather them.
//!
//! A log never holds a prompt, the value of a variable, a token or a header. Our own statements name runs, agents,
//! methods and kinds of errors only; other crates may print whole messages when they are asked for details, so of them
//! only warnings are let through.

use std::io::IsTerminal;

use tracing::level_filters::LevelFilter;
use tracing::{Level, Metadata};
use tracing_subscriber::filter::{EnvFilter, filter_fn};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{Layer, fmt};

use crate::error::HostError;

/// The variable that says which form logs have.
pub const FORMAT_VARIABLE: &str = "OD_LOG_FORMAT";

/// How logs look.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum LogFormat {
    /// One line for a person.
    #[default]
    Text,
    /// One JSON object a line.
    Json,
}

impl std::str::FromStr for LogFormat {
    type Err = HostError;

    fn from_str(word: &str) -> Result<Self, HostError> {
        match word {
            "text" => Ok(Self::Text),
            "json" => Ok(Self::Json),
            _ => Err(HostError::usage(format!("there is no log format {word:?}"))
                .with_hint(format!("use --log-format text or json, or set {FORMAT_VARIABLE}"))),
        }
    }
}

/// Starts logging to stderr. `RUST_LOG` says more exactly what the level says roughly.
pub fn start(level: LevelFilter, format: LogFormat) {
    let filter = EnvFilter::try_from_default_env()
        .unwrap_or_else(|_| EnvFilter::new(level.to_string().to_lowercase()));
    let lines = fmt::layer().with_writer(std::io::stderr);
    let lines = match format {
        LogFormat::Text => lines.with_ansi(is_colourful()).with_target(false).boxed(),
        LogFormat::Json => lines.json().flatten_event(true).with_current_span(false).boxed(),
    };
    let lines = lines.with_filter(filter_fn(may_be_shown));
    // A program that embeds the library may log in its own way already.
    if tracing_subscriber::registry().with(filter).with(lines).try_init().is_err() {
        tracing::debug!("logging was started already");
    }
}

/// Whether a statement may be shown whatever level was asked for.
fn may_be_shown(statement: &Metadata<'_>) -> bool {
    let ours = statement.target().starts_with("od_");
    ours || *statement.level() <= Level::WARN
}

fn is_colourful() -> bool {
    let wanted = std::env::var_os("CLICOLOR_FORCE").is_some_and(|value| value != "0");
    let unwanted = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    !unwanted && (wanted || std::io::stderr().is_terminal())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_format_is_one_of_two_words() {
        assert_eq!("json".parse::<LogFormat>().expect("a format"), LogFormat::Json);
        assert_eq!("text".parse::<LogFormat>().expect("a format"), LogFormat::Text);
        let error = "yaml".parse::<LogFormat>().expect_err("no format");
        assert!(error.hint.is_some_and(|hint| hint.contains(FORMAT_VARIABLE)));
    }
}
