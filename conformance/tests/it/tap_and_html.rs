//! TAP and HTML reports.

use crate::support::{Reference, conformance};

#[test]
fn tap_has_every_check_and_failure() {
    let reference = Reference::with_fault(Some("silent_unknown"));
    let run = ["run", &reference.path(), "--only", "HS", "--report"];
    let outcome = conformance(&[&run[..], &["tap"]].concat());
    outcome.exits_with(1);
    let text = &outcome.text;
    assert!(text.starts_with("TAP version 14\n1.."), "{text}");
    let points: Vec<&str> = text
        .lines()
        .filter(|line| line.starts_with("ok ") || line.starts_with("not ok "))
        .collect();
    assert!(text.contains(&format!("\n1..{}\n", points.len())), "{text}");
    let failed: Vec<&&str> = points.iter().filter(|line| line.starts_with("not ok")).collect();
    assert_eq!(failed.len(), 1, "{text}");
    assert!(failed[0].contains(" - HS-07 "), "{text}");
    outcome.prints(&["  status: \"fail\"\n", "  expected: \"", "  rerun: \"conformance run "]);
    let strays = text.lines().filter(|line| {
        let starts = ["TAP ", "1..", "ok ", "not ok ", "  ", "# "];
        !starts.iter().any(|start| line.starts_with(start))
    });
    assert_eq!(strays.collect::<Vec<_>>(), Vec::<&str>::new());
}

#[test]
fn page_has_result_failure_and_transcript() {
    let reference = Reference::with_fault(Some("silent_unknown"));
    let (page, tap) = (reference.beside("report.html"), reference.beside("report.tap"));
    let (page_target, tap_target) = (format!("html={page}"), format!("tap={tap}"));
    let path = reference.path();
    let targets = ["--report", &page_target, "--report", &tap_target];
    conformance(&[&["run", &path, "--only", "HS"][..], &targets].concat())
        .exits_with(1)
        .prints(&["does not conform"]);
    let page = std::fs::read_to_string(page).expect("a page");
    assert!(page.contains("<strong>does not conform</strong>"));
    assert!(page.contains("<details id=\"HS-07\" data-status=\"fail\" data-chapter=\"HS\" open>"));
    assert_eq!(page.matches("class=\"transcript\"").count(), 1);
    assert!(page.contains("-&gt; {&quot;"), "the transcript shows what was sent");
    assert!(std::fs::read_to_string(tap).expect("a report").starts_with("TAP version 14"));
}
