//! Where reports go besides the text: what was typed after `--report`, and writing it.

use std::path::PathBuf;
use std::str::FromStr;

use super::CommandError;
use crate::console::say;
use crate::report::{Report, to_html, to_json, to_junit, to_tap};

/// One report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ReportTarget {
    /// The text, which is there anyway.
    Text,
    /// JSON in a file.
    Json(PathBuf),
    /// JUnit in a file.
    Junit(PathBuf),
    /// TAP in a file, or on stdout in place of the text.
    Tap(Option<PathBuf>),
    /// A page.
    Html(PathBuf),
}

impl FromStr for ReportTarget {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.split_once('=') {
            None if text == "text" => Ok(Self::Text),
            None if text == "tap" => Ok(Self::Tap(None)),
            Some(("json", file)) if !file.is_empty() => Ok(Self::Json(file.into())),
            Some(("junit", file)) if !file.is_empty() => Ok(Self::Junit(file.into())),
            Some(("tap", file)) if !file.is_empty() => Ok(Self::Tap(Some(file.into()))),
            Some(("html", file)) if !file.is_empty() => Ok(Self::Html(file.into())),
            _ => {
                Err("there is text, tap, json=FILE, junit=FILE, tap=FILE and html=FILE".to_owned())
            }
        }
    }
}

/// Writes every report that was asked for.
pub(super) fn write_reports(report: &Report, targets: &[ReportTarget]) -> Result<(), CommandError> {
    for target in targets {
        let (file, text) = match target {
            // It was printed while the checks ran.
            ReportTarget::Text => continue,
            ReportTarget::Tap(None) => {
                say!("{}", to_tap(report).trim_end());
                continue;
            }
            ReportTarget::Json(file) => (file, format!("{:#}\n", to_json(report))),
            ReportTarget::Junit(file) => (file, to_junit(report).map_err(CommandError::suite)?),
            ReportTarget::Tap(Some(file)) => (file, to_tap(report)),
            ReportTarget::Html(file) => (file, to_html(report)),
        };
        std::fs::write(file, text).map_err(|error| {
            CommandError::suite(format!("{} cannot be written: {error}", file.display()))
        })?;
    }
    Ok(())
}
