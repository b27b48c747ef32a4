//! The report as TAP version 14, with a diagnostic block per check.

use std::fmt::Write;

use super::Report;
use crate::check::{CheckResult, Status};
use crate::outcome::Finding;

/// Converts a report to TAP.
pub fn to_tap(report: &Report) -> String {
    let count = report.results.len() + report.stale_entries.len();
    let mut text = format!("TAP version 14\n1..{count}\n");
    for (index, result) in report.results.iter().enumerate() {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{}", point(index + 1, result));
        text.push_str(&diagnostics(report, result));
    }
    for (index, entry) in report.stale_entries.iter().enumerate() {
        let number = report.results.len() + index + 1;
        let _ = writeln!(text, "not ok {number} - known failures: {}", described(entry));
    }
    let conformance = report.conclusion();
    let _ =
        writeln!(text, "# {} {conformance}, seed {}", one_line(&report.adapter_id), report.seed);
    text
}

/// Returns the line of one check. A status that must not fail a build carries a directive.
fn point(number: usize, result: &CheckResult) -> String {
    let check = &result.check;
    let (result_text, directive) = match result.status {
        Status::Pass => ("ok", String::new()),
        Status::Skip => ("ok", format!(" # SKIP {}", described(&reason(result)))),
        Status::AddedLater if result.finding.is_none() => ("ok", String::new()),
        Status::Warn | Status::Advice | Status::KnownFailure | Status::AddedLater => {
            let remark = result.remark.as_deref().unwrap_or_default();
            let directive = format!(" # TODO {} {}", result.status.as_str(), described(remark));
            ("not ok", directive.trim_end().to_owned())
        }
        _ => ("not ok", String::new()),
    };
    format!("{result_text} {number} - {} {}{directive}", check.id, described(check.requirement))
}

fn diagnostics(report: &Report, result: &CheckResult) -> String {
    let mut pairs: Vec<(&str, String)> = vec![
        ("status", result.status.as_str().to_owned()),
        ("level", result.check.level.as_str().to_owned()),
    ];
    if let Some(remark) = &result.remark {
        pairs.push(("remark", remark.clone()));
    }
    match &result.finding {
        None | Some(Finding::Skip(_)) => {}
        Some(Finding::Fail(failure)) => {
            pairs.push(("sent", failure.sent.clone()));
            pairs.push(("expected", failure.expected.clone()));
            pairs.push(("got", failure.got.clone()));
            pairs.extend(
                failure.location.as_ref().map(|location| ("transcript", location.to_string())),
            );
        }
        Some(_) => pairs.push(("reason", reason(result))),
    }
    if !matches!(result.status, Status::Pass | Status::Skip) {
        pairs.extend(result.check.basis().map(|basis| ("basis", basis)));
        pairs.push(("why", result.check.why.to_owned()));
        pairs.push(("rerun", report.rerun(result)));
    }
    let mut text = format!("  ---\n  duration_ms: {}\n", result.took.as_millis());
    for (name, value) in pairs.iter().filter(|(_, value)| !value.is_empty()) {
        let _ = writeln!(text, "  {name}: {}", quoted(value));
    }
    text.push_str("  ...\n");
    text
}

fn reason(result: &CheckResult) -> String {
    result.finding.as_ref().and_then(Finding::reason).unwrap_or_default().to_owned()
}

/// Escapes text as a description: on one line, without directives.
fn described(text: &str) -> String {
    one_line(text).replace('\\', "\\\\").replace('#', "\\#")
}

fn one_line(text: &str) -> String {
    text.chars().map(|c| if is_break(c) { ' ' } else { c }).collect()
}

fn is_break(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}' | '\u{2029}')
}

/// Escapes text as a YAML scalar in double quotes.
fn quoted(text: &str) -> String {
    let escape = |c: char| match c {
        '"' => "\\\"".to_owned(),
        '\\' => "\\\\".to_owned(),
        '\n' => "\\n".to_owned(),
        c if is_break(c) => format!("\\u{:04x}", u32::from(c)),
        c => c.to_string(),
    };
    format!("\"{}\"", text.chars().map(escape).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_text_cannot_add_lines_or_directives() {
        assert_eq!(described("a # SKIP b\nok 2\\"), r"a \# SKIP b ok 2\\");
        assert_eq!(
            quoted("a\"b\\\nnot ok 3\u{1b}[1m\u{85}"),
            r#""a\"b\\\nnot ok 3\u001b[1m\u0085""#
        );
    }
}
