//! The report as one self-contained HTML page. All text from an adapter is escaped, and the page
//! allows no script but its own.

mod check;
mod escape;

use std::fmt::Write;

use escape::{escaped, escaped_markdown};

use super::Report;
use super::chapters;
use crate::check::{CheckResult, Status};
use crate::real::RealFacts;

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");

/// How many failures are expanded when the page opens.
const MAX_EXPANDED: usize = 5;

/// Converts a report to an HTML page.
pub fn to_html(report: &Report) -> String {
    // Text from an adapter cannot contain this random value.
    let nonce = format!("{:032x}", rand::random::<u128>());
    let title = format!("{} {}", report.adapter_id, overall_result(report).1);
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
         style-src 'nonce-{nonce}'; script-src 'nonce-{nonce}'; base-uri 'none'; form-action 'none'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"referrer\" content=\"no-referrer\">\n\
         <title>{}</title>\n<style nonce=\"{nonce}\">\n{STYLE}</style>\n</head>\n<body>\n\
         <a class=\"skip-link\" href=\"#checks\">Skip to the checks</a>\n",
        escaped(&title)
    );
    page.push_str(&header(report));
    page.push_str(&tools(report));
    page.push_str("<main id=\"checks\">\n");
    page.push_str(&sections(report));
    let _ = write!(
        page,
        "</main>\n<footer>conformance {} · created {} UTC · press / to search, Tab and Enter to open a check</footer>\n\
         <script nonce=\"{nonce}\">\n{SCRIPT}</script>\n</body>\n</html>\n",
        env!("CARGO_PKG_VERSION"),
        jiff::Timestamp::now().strftime("%Y-%m-%d %H:%M"),
    );
    page
}

/// Returns the CSS class and the text of the overall result.
fn overall_result(report: &Report) -> (&'static str, &'static str) {
    match (report.has_suite_error(), report.is_conformant()) {
        (true, _) => ("bad", "cannot be evaluated: the suite failed"),
        (false, true) => ("good", "conforms"),
        (false, false) => ("bad", "does not conform"),
    }
}

fn header(report: &Report) -> String {
    let (class, summary) = overall_result(report);
    let claim = match report.claim() {
        "full" if report.agent.is_some() => "An ACP agent with the fake model.",
        "protocol-only" if report.agent.is_some() => {
            "Protocol only: no option defines how the ACP agent reaches the fake model."
        }
        "real" => "Checked with the real agent CLI and the fake model.",
        "full" => "Level full: every check that applies was evaluated with the fake CLI.",
        "core" => "Level core: checked with the fake CLI; not everything was evaluated.",
        "selected checks" => "Only selected checks were run.",
        _ => "Protocol only: no fixture pack was found, so the fake CLI was not used.",
    };
    let mut text = format!(
        "<header class=\"card overall {class}\">\n<h1>{} {} <strong>{summary}</strong></h1>\n\
         <p>{claim}</p>\n{}",
        escaped(&report.adapter_id),
        escaped(&report.adapter_version),
        bar(report)
    );
    let pack = report.pack.as_ref().map_or("none".to_owned(), |pack| pack.display().to_string());
    let mut facts = match &report.agent {
        Some(agent) => {
            vec![("Agent", agent.command.join(" ")), ("Options", agent.switches.join(" "))]
        }
        None => vec![("Adapter", report.adapter.display().to_string()), ("Fixture pack", pack)],
    };
    facts.extend(match &report.real {
        Some(real) => real_facts(real),
        None => vec![
            ("Requirements", report.requirements.clone()),
            ("Tier", report.tier.as_str().to_owned()),
        ],
    });
    let lists = [
        ("Not evaluated", &report.coverage.not_evaluated),
        ("Not declared", &report.coverage.not_declared),
    ];
    let lists = lists.into_iter().filter(|(_, names)| !names.is_empty());
    facts.extend(lists.map(|(name, names)| (name, names.join(", "))));
    facts.push(("Seed", report.seed.to_string()));
    facts.push(("Duration", format!("{:.1} s", report.took.as_secs_f64())));
    text.push_str("<dl class=\"facts\">\n");
    for (name, value) in facts {
        let _ = writeln!(text, "<dt>{name}</dt><dd class=\"mono\">{}</dd>", escaped(&value));
    }
    text.push_str("</dl>\n");
    text.push_str(&to_fix(report));
    text.push_str("</header>\n");
    text
}

fn real_facts(real: &RealFacts) -> Vec<(&'static str, String)> {
    let version = &real.drift.version;
    let tested = version.tested.as_deref().unwrap_or("none");
    let shown = match version.is_tested() {
        Some(true) => format!("{}, as tested", version.found),
        _ => format!("{} (tested: {tested})", version.found),
    };
    vec![
        ("Agent CLI", real.cli.display().to_string()),
        ("CLI version", shown),
        ("Network", real.confinement.as_str().to_owned()),
    ]
}

/// Returns the statuses that occur, with their counts.
fn counts(report: &Report) -> Vec<(Status, usize)> {
    let all = Status::ALL.iter().map(|status| (*status, report.count(*status)));
    all.filter(|(_, count)| *count > 0).collect()
}

fn bar(report: &Report) -> String {
    let total = report.results.len().max(1);
    let summary: Vec<String> = counts(report)
        .iter()
        .map(|(status, count)| format!("{count} {}", status.as_str()))
        .collect();
    let summary = summary.join(", ");
    let mut text = format!(
        "<svg class=\"bar\" viewBox=\"0 0 {total} 1\" preserveAspectRatio=\"none\" role=\"img\" \
         aria-label=\"{summary}\">"
    );
    let mut start = 0;
    for (status, count) in counts(report) {
        let class = check::class(status);
        let _ =
            write!(text, "<rect class=\"{class}\" x=\"{start}\" width=\"{count}\" height=\"1\"/>");
        start += count;
    }
    let _ = writeln!(text, "</svg>\n<p>{summary}</p>");
    text
}

/// Lists the checks that prevent conformance, with links.
fn to_fix(report: &Report) -> String {
    let links = report.results.iter().filter(|result| needs_attention(result)).map(|result| {
        let (id, requirement) = (result.check.id, escaped_markdown(result.check.requirement));
        let (class, status) = (check::class(result.status), result.status.as_str());
        format!(
            "<li><a class=\"id\" href=\"#{id}\">{id}</a> <span class=\"status {class}\">{status}</span> \
             {requirement}</li>\n"
        )
    });
    let entries = report.stale_entries.iter().map(|entry| {
        format!("<li><span class=\"status stale\">stale</span> {}</li>\n", escaped(entry))
    });
    let items: String = links.chain(entries).collect();
    if items.is_empty() {
        return items;
    }
    format!("<nav class=\"to-fix\" aria-label=\"To fix\">To fix:\n<ul>\n{items}</ul></nav>\n")
}

fn needs_attention(result: &CheckResult) -> bool {
    result.status.is_failure() || result.status == Status::SuiteError
}

fn tools(report: &Report) -> String {
    let mut text = "<div class=\"tools\" role=\"group\" aria-label=\"Filter checks\">\n".to_owned();
    for (status, count) in counts(report) {
        let _ = writeln!(
            text,
            "<button type=\"button\" data-status=\"{0}\" aria-pressed=\"true\">\
             <span class=\"dot {0}\"></span>{1} {count}</button>",
            check::class(status),
            status.as_str()
        );
    }
    text.push_str(
        "<select id=\"chapter\" aria-label=\"Chapter\"><option value=\"\">all chapters</option>\n",
    );
    for chapter in report.chapters() {
        let title = chapters::title(chapter);
        let _ = writeln!(text, "<option value=\"{chapter}\">{chapter} {title}</option>");
    }
    text.push_str(
        "</select>\n<input id=\"search\" type=\"search\" placeholder=\"Search ( / )\" \
         aria-label=\"Search\" autocomplete=\"off\">\n\
         <button type=\"button\" id=\"unfold\">Expand all</button>\n\
         <span id=\"shown\" role=\"status\"></span>\n</div>\n",
    );
    text
}

fn sections(report: &Report) -> String {
    let mut text = String::new();
    let mut expanded = 0;
    for chapter in report.chapters() {
        let results: Vec<_> =
            report.results.iter().filter(|result| result.check.chapter() == chapter).collect();
        let passed = results.iter().filter(|result| result.status == Status::Pass).count();
        let _ = writeln!(
            text,
            "<section data-chapter=\"{chapter}\">\n<h2>{} <span class=\"id\">{chapter}</span>\
             <small>{passed} of {} passed</small></h2>\n<div class=\"card\">",
            chapters::title(chapter),
            results.len()
        );
        for result in results {
            let is_open = needs_attention(result) && expanded < MAX_EXPANDED;
            expanded += usize::from(is_open);
            text.push_str(&check::details(report, result, is_open));
        }
        text.push_str("</div>\n</section>\n");
    }
    text
}

#[cfg(test)]
mod tests;
