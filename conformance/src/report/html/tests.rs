//! The page is complete, escapes foreign text and loads nothing from outside.

use std::path::PathBuf;
use std::time::Duration;

use super::*;
use crate::check::Tier;
use crate::outcome::{Failure, Finding};
use crate::report::Coverage;
use crate::transcript::Location;

const HOSTILE: &str = "</pre></style><script>alert(1)</script><img src=x onerror=alert(2)>\
                       \" onload=\"alert(3) {{x}} \u{202e}";

fn report(folder: &std::path::Path) -> Report {
    let file = folder.join("transcript.log");
    std::fs::write(&file, format!("    0.001 -> hello\n    0.002 <- {HOSTILE}\n"))
        .expect("a transcript");
    let statuses = Status::ALL.iter().copied().cycle();
    let result = |(check, status): (crate::check::Check, Status)| {
        let failure = Failure::new(HOSTILE, HOSTILE).sent(HOSTILE);
        let finding = Finding::from(failure.at(Location { file: file.clone(), line: 2 }));
        CheckResult {
            check,
            status,
            finding: (status != Status::Pass).then_some(finding),
            took: Duration::from_millis(12),
            remark: (status == Status::Stale).then(|| HOSTILE.to_owned()),
        }
    };
    Report {
        adapter: PathBuf::from(HOSTILE),
        agent: None,
        adapter_id: HOSTILE.to_owned(),
        adapter_version: HOSTILE.to_owned(),
        pack: Some(PathBuf::from(HOSTILE)),
        tier: Tier::Fast,
        requirements: "1.0".to_owned(),
        baseline: None,
        seed: 7,
        real: None,
        coverage: Coverage {
            is_partial: false,
            not_declared: vec![HOSTILE.to_owned()],
            not_evaluated: vec![HOSTILE.to_owned()],
        },
        results: crate::checks::all().into_iter().zip(statuses).map(result).collect(),
        stale_entries: vec![HOSTILE.to_owned()],
        took: Duration::from_secs(3),
    }
}

fn page() -> (Report, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let report = report(folder.path());
    let page = to_html(&report);
    (report, page)
}

#[test]
fn page_contains_every_check_with_details() {
    let (report, page) = page();
    assert!(page.contains("does not conform") || page.contains("cannot be evaluated"));
    for result in &report.results {
        let id = format!("<details id=\"{}\" data-status=", result.check.id);
        assert_eq!(page.matches(&id).count(), 1, "{id}");
    }
    let failed = report.results.iter().filter(|result| result.finding.is_some()).count();
    for part in ["<dt>Sent</dt>", "<dt>Expected</dt>", "<dt>Got</dt>", "class=\"transcript\""] {
        assert_eq!(page.matches(part).count(), failed, "{part}");
    }
    assert_eq!(page.matches("<dt>Repeat</dt>").count(), report.results.len());
    for result in report.results.iter().filter(|result| result.status.is_failure()) {
        assert!(page.contains(&format!("href=\"#{}\"", result.check.id)));
    }
    for chapter in report.chapters() {
        assert!(page.contains(&format!("<section data-chapter=\"{chapter}\">")));
        assert!(page.contains(&format!("<option value=\"{chapter}\">")));
    }
}

#[test]
fn every_element_is_closed() {
    let (_, page) = page();
    for tag in ["details", "summary", "section", "dl", "dd", "pre", "span", "button", "script"] {
        let opened =
            page.matches(&format!("<{tag}>")).count() + page.matches(&format!("<{tag} ")).count();
        assert_eq!(opened, page.matches(&format!("</{tag}>")).count(), "{tag}");
    }
}

#[test]
fn foreign_text_is_never_markup() {
    let (_, page) = page();
    assert!(page.contains("&lt;script&gt;alert(1)"));
    assert!(!page.contains("<script>alert"));
    assert!(!page.contains("<img"));
    assert!(!page.contains("\" onload=\""));
    assert!(!page.contains('\u{202e}'));
    assert_eq!(page.matches("<script").count(), 1);
}

#[test]
fn page_loads_nothing_from_outside() {
    let (_, page) = page();
    for pattern in
        ["http://", "https://", "url(", "@import", "src=\"", "<link", "<iframe", "fetch("]
    {
        assert!(!page.contains(pattern), "{pattern}");
    }
    assert!(page.contains("default-src 'none'"));
    assert!(!page.contains("unsafe-inline"));
}
