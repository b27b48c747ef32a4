//! One check on the page: a summary line that expands to all details.

use std::fmt::Write;

use super::escape::{escaped, escaped_markdown};
use crate::check::{CheckResult, Status};
use crate::outcome::Finding;
use crate::real::ScenarioRecord;
use crate::report::Report;
use crate::report::excerpt::{ExcerptLine, excerpt, whole};
use crate::transcript::Location;

/// Returns the CSS class of a status.
pub(super) fn class(status: Status) -> String {
    status.as_str().replace(' ', "-")
}

pub(super) fn details(report: &Report, result: &CheckResult, is_open: bool) -> String {
    let check = &result.check;
    let class = class(result.status);
    let open = if is_open { " open" } else { "" };
    let mut text = format!(
        "<details id=\"{id}\" data-status=\"{class}\" data-chapter=\"{chapter}\"{open}>\n<summary>\
         <span class=\"status {class}\">{word}</span><span class=\"id\">{id}</span>\
         <span class=\"sentence\">{requirement}</span><span class=\"took\">{took}</span></summary>\n\
         <div class=\"body\">\n<dl>\n",
        id = check.id,
        chapter = check.chapter(),
        word = result.status.as_str(),
        requirement = escaped_markdown(check.requirement),
        took = took(result),
    );
    for (name, value, is_quoted) in rows(result) {
        let class = if is_quoted { " class=\"mono\"" } else { "" };
        let _ = writeln!(text, "<dt>{name}</dt><dd{class}>{}</dd>", escaped(&value));
    }
    let _ = writeln!(
        text,
        "<dt>Repeat</dt><dd class=\"rerun\"><code>{}</code><button type=\"button\">Copy</button></dd>\n</dl>",
        escaped(&report.rerun(result))
    );
    if let Some(Finding::Fail(failure)) = &result.finding {
        text.push_str(&failure.location.as_ref().map(transcript).unwrap_or_default());
    }
    let performance = report.real.as_ref().and_then(|real| real.scenario_records.get(check.id));
    text.push_str(&performance.map(render_performance).unwrap_or_default());
    text.push_str("</div>\n</details>\n");
    text
}

fn took(result: &CheckResult) -> String {
    match result.took.as_millis() {
        // Invariants have no duration of their own.
        0 => String::new(),
        milliseconds @ 1..1000 => format!("{milliseconds} ms"),
        _ => format!("{:.1} s", result.took.as_secs_f64()),
    }
}

/// Returns name, text, and whether the text is quoted from the wire.
fn rows(result: &CheckResult) -> Vec<(&'static str, String, bool)> {
    let mut rows = Vec::new();
    if let Some(remark) = &result.remark {
        rows.push(("Remark", remark.clone(), false));
    }
    match &result.finding {
        None => {}
        Some(Finding::Fail(failure)) => {
            rows.push(("Sent", failure.sent.clone(), true));
            rows.push(("Expected", failure.expected.clone(), true));
            rows.push(("Got", failure.got.clone(), true));
            rows.push(("During", failure.during.clone().unwrap_or_default(), true));
        }
        Some(other) => {
            rows.push(("Reason", other.reason().unwrap_or_default().to_owned(), false));
        }
    }
    rows.push(("Basis", result.check.basis().unwrap_or_default(), false));
    rows.push(("Why", result.check.why.to_owned(), false));
    rows.push(("Level", result.check.level.as_str().to_owned(), false));
    rows.retain(|(_, value, _)| !value.is_empty());
    rows
}

fn transcript(location: &Location) -> String {
    let lines = excerpt(location);
    if lines.is_empty() {
        return String::new();
    }
    let lines: String = lines.iter().map(transcript_line).collect();
    format!(
        "<p class=\"caption\">Transcript around {}</p>\n\
         <pre class=\"transcript\" tabindex=\"0\" aria-label=\"Transcript\">{lines}</pre>\n",
        escaped(&location.to_string())
    )
}

/// Renders the events of the real agent CLI and its expandable transcript.
fn render_performance(performance: &ScenarioRecord) -> String {
    let mut text = "<dl>\n".to_owned();
    for events in &performance.events {
        let _ = writeln!(text, "<dt>Events</dt><dd class=\"mono\">{}</dd>", escaped(events));
    }
    let _ = writeln!(text, "<dt>Requests</dt><dd>{} to the model</dd>", performance.model_requests);
    text.push_str("</dl>\n");
    let lines: String = whole(&performance.transcript).iter().map(transcript_line).collect();
    if !lines.is_empty() {
        let _ = writeln!(
            text,
            "<details class=\"whole\"><summary>Whole transcript</summary>\n\
             <pre class=\"transcript\" tabindex=\"0\" aria-label=\"Whole transcript\">{lines}</pre>\n\
             </details>"
        );
    }
    text
}

fn transcript_line(line: &ExcerptLine) -> String {
    let origin = match line.mark() {
        "->" => "sent",
        "2>" => "stderr",
        "##" => "remark",
        _ => "received",
    };
    let here = if line.is_location { " here" } else { "" };
    format!("<span class=\"{origin}{here}\">{:>5} {}</span>", line.number, escaped(&line.text))
}
