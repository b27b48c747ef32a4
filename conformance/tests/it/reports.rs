//! JSON and JUnit reports, `list` and `explain`.

use serde_json::Value;

use crate::support::{Reference, conformance};

#[test]
fn json_and_junit_match_the_text() {
    let reference = Reference::with_fault(Some("silent_unknown"));
    let (json, junit) = (reference.beside("report.json"), reference.beside("report.xml"));
    let (json_target, junit_target) = (format!("json={json}"), format!("junit={junit}"));
    let arguments = [
        "run",
        &reference.path(),
        "--only",
        "HS",
        "--report",
        &json_target,
        "--report",
        &junit_target,
    ];
    conformance(&arguments).exits_with(1);
    let report: Value =
        serde_json::from_slice(&std::fs::read(json).expect("a report")).expect("JSON");
    assert_eq!(report["conformant"], false);
    assert_eq!(report["claim"], "protocol-only");
    assert_eq!(report["counts"]["fail"], 1);
    let results = report["results"].as_array().expect("a list");
    let failed: Vec<&Value> = results.iter().filter(|result| result["status"] == "fail").collect();
    assert_eq!(failed[0]["id"], "HS-07");
    assert!(failed[0]["rerun"].as_str().is_some_and(|text| text.contains("--seed")));
    let xml = std::fs::read_to_string(junit).expect("a report");
    assert!(xml.contains("failures=\"1\""), "{xml}");
    assert!(xml.contains("HS-07"), "{xml}");
}

#[test]
fn every_listed_check_is_explained() {
    let list = conformance(&["list", "--json"]);
    let checks: Value = serde_json::from_str(&list.exits_with(0).text).expect("JSON");
    let ids: Vec<&str> = checks
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|check| check["id"].as_str())
        .collect();
    let mut unique = ids.clone();
    unique.sort_unstable();
    unique.dedup();
    assert_eq!(unique.len(), ids.len(), "an id is used twice");
    for chapter in
        ["MAN", "HS", "SHU", "DET", "PRM", "ENV", "RUN", "ORD", "ENC", "ROB", "CAN", "ERR"]
    {
        assert!(ids.iter().any(|id| id.starts_with(chapter)), "{chapter} has no check");
    }
    conformance(&["explain", "det-02"]).exits_with(0).prints(&["DET-02", "Why:", "Proven by"]);
    conformance(&["explain", "XYZ-99"]).exits_with(2).prints(&["hint:"]);
}

#[test]
fn usage_errors_have_exit_code_2() {
    let reference = Reference::with_fault(None);
    conformance(&["run", &reference.path(), "--only", "NO-01"])
        .exits_with(2)
        .prints(&["NO-01", "hint:"]);
    conformance(&["run", &reference.path(), "--report", "yaml=x"])
        .exits_with(2)
        .prints(&["junit=FILE"]);
    conformance(&["run", "/no/such/od-adapter-x"])
        .exits_with(3)
        .prints(&["cannot be started", "hint:"]);
}
