//! `--report`: parses the targets and writes the reports.

use std::path::PathBuf;
use std::str::FromStr;

use super::CommandError;
use crate::console::say;
use crate::report::{Report, to_badge, to_html, to_json, to_junit, to_tap};

/// One report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ReportTarget {
    /// The text report, which is always printed.
    Text,
    /// JSON in a file.
    Json(PathBuf),
    /// JUnit in a file.
    Junit(PathBuf),
    /// TAP in a file, or on stdout instead of the text.
    Tap(Option<PathBuf>),
    /// One HTML page.
    Html(PathBuf),
    /// A badge as an SVG image.
    Badge(PathBuf),
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
            Some(("badge", file)) if !file.is_empty() => Ok(Self::Badge(file.into())),
            _ => {
                Err("expected text, tap, json=FILE, junit=FILE, tap=FILE, html=FILE or badge=FILE"
                    .to_owned())
            }
        }
    }
}

/// Writes every requested report.
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
            ReportTarget::Badge(file) => (file, to_badge(report)),
        };
        std::fs::write(file, text).map_err(|error| {
            CommandError::suite(format!("could not write {}: {error}", file.display()))
        })?;
    }
    Ok(())
}
