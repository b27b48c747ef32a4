//! The report for the terminal: a line per check while it runs, failures in full at the end.

use std::fmt::Write;

use anstyle::{AnsiColor, Style};

use super::Report;
use crate::check::{CheckResult, REAL_CHAPTER, Status};
use crate::console::say;
use crate::outcome::{Failure, Finding};

/// The width of the id column: for checks, and for names of scenarios.
const SHORT_ID_WIDTH: usize = 7;
const LONG_ID_WIDTH: usize = 14;

const fn style(status: Status) -> Style {
    let color = match status {
        Status::Pass => AnsiColor::Green,
        Status::Warn | Status::Advice | Status::KnownFailure => AnsiColor::Yellow,
        Status::Skip | Status::AddedLater => AnsiColor::BrightBlack,
        _ => AnsiColor::Red,
    };
    Style::new().fg_color(Some(anstyle::Color::Ansi(color)))
}

/// Prints one line about one check.
pub fn print_result(result: &CheckResult) {
    let style = style(result.status);
    let status = result.status.as_str();
    let (id, requirement) = (result.check.id, result.check.requirement);
    let remark = match &result.finding {
        Some(Finding::Skip(reason)) => format!("  ({reason})"),
        _ if result.status == Status::AddedLater => {
            format!("  ({})", result.remark.as_deref().unwrap_or_default())
        }
        _ if result.took.as_millis() >= 1000 => format!("  ({:.1} s)", result.took.as_secs_f64()),
        _ => String::new(),
    };
    let chapter = result.check.chapter();
    let is_long = chapter == REAL_CHAPTER || chapter.starts_with("ACP-");
    let width = if is_long { LONG_ID_WIDTH } else { SHORT_ID_WIDTH };
    say!("{style}{status:>13}{style:#}  {id:width$} {requirement}{remark}");
}

/// Prints the failures in full, then the summary.
pub fn print_summary(report: &Report) {
    for result in &report.results {
        if let Some(text) = explain(report, result) {
            say!("\n{text}");
        }
    }
    for entry in &report.stale_entries {
        say!("\nstale {entry}");
    }
    let counts: Vec<String> = Status::ALL
        .iter()
        .filter(|status| report.count(**status) > 0)
        .map(|status| format!("{} {}", report.count(*status), status.as_str()))
        .collect();
    let conclusion = report.conclusion();
    let with = report.real.as_ref().map_or_else(String::new, |real| {
        format!(" with {} ({})", real.drift.version.found, real.confinement.as_str())
    });
    let seconds = report.took.as_secs_f64();
    say!("");
    for line in report.coverage.lines() {
        say!("{line}");
    }
    say!(
        "{} {}{with}: {conclusion}; {} in {seconds:.1} s, seed {}",
        report.adapter_id,
        report.adapter_version,
        counts.join(", "),
        report.seed
    );
}

/// Describes a check that did not pass; `None` if there is nothing to explain.
pub(super) fn explain(report: &Report, result: &CheckResult) -> Option<String> {
    let mut text = String::new();
    let style = style(result.status);
    let status = result.status.as_str();
    let check = &result.check;
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{style}{status}{style:#} {}: {}", check.id, check.requirement);
    match (&result.finding, result.status) {
        (_, Status::Pass | Status::Skip) | (None, Status::AddedLater) => return None,
        (None, _) => {}
        (Some(Finding::Fail(failure)), _) => text.push_str(&failure_text(failure)),
        (Some(other), _) => {
            let _ = writeln!(text, "  reason      {}", other.reason().unwrap_or_default());
        }
    }
    if let Some(remark) = &result.remark {
        let _ = writeln!(text, "  remark      {remark}");
    }
    if let Some(basis) = check.basis() {
        let _ = writeln!(text, "  basis       {basis}");
    }
    let _ = writeln!(text, "  why         {}", check.why);
    let _ = write!(text, "  repeat      {}", report.rerun(result));
    Some(text)
}

fn failure_text(failure: &Failure) -> String {
    let mut text = String::new();
    if !failure.sent.is_empty() {
        let _ = writeln!(text, "  sent        {}", failure.sent);
    }
    let _ = writeln!(text, "  expected    {}", failure.expected);
    let _ = writeln!(text, "  got         {}", failure.got);
    if let Some(location) = &failure.location {
        let _ = writeln!(text, "  transcript  {location}");
    }
    text
}
