//! The report as JUnit XML: one test suite per chapter.

use quick_junit::{NonSuccessKind, TestCase, TestCaseStatus, TestSuite};

use super::Report;
use super::text::explain;
use crate::check::{CheckResult, Status};
use crate::outcome::Finding;

/// Converts a report to JUnit XML.
///
/// # Errors
/// When it cannot be written as XML.
pub fn to_junit(report: &Report) -> Result<String, String> {
    let mut junit = quick_junit::Report::new(format!("conformance of {}", report.adapter_id));
    junit.set_time(report.took);
    for chapter in report.chapters() {
        let mut suite = TestSuite::new(chapter);
        suite.set_time(
            report.results.iter().filter(|r| r.check.chapter() == chapter).map(|r| r.took).sum(),
        );
        for result in report.results.iter().filter(|r| r.check.chapter() == chapter) {
            suite.add_test_case(test_case(report, result));
        }
        junit.add_test_suite(suite);
    }
    if !report.stale_entries.is_empty() {
        junit.add_test_suite(stale_entries(report));
    }
    junit.to_string().map_err(|error| format!("the JUnit report cannot be written: {error}"))
}

/// Known failures that name no check.
fn stale_entries(report: &Report) -> TestSuite {
    let mut suite = TestSuite::new("known failures");
    for entry in &report.stale_entries {
        let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
        status.set_type(Status::Stale.as_str());
        suite.add_test_case(TestCase::new(entry.clone(), status));
    }
    suite
}

fn test_case(report: &Report, result: &CheckResult) -> TestCase {
    let status = match (result.status, &result.finding) {
        (Status::Pass, _) => TestCaseStatus::success(),
        (
            Status::Skip
            | Status::Warn
            | Status::Advice
            | Status::KnownFailure
            | Status::AddedLater,
            finding,
        ) => {
            let mut status = TestCaseStatus::skipped();
            let status_name = result.status.as_str();
            status.set_message(match (finding, &result.remark) {
                (Some(Finding::Skip(reason)), _) => reason.clone(),
                (_, Some(remark)) => format!("{status_name}: {remark}"),
                (_, None) => status_name.to_owned(),
            });
            if let Some(text) = explain(report, result) {
                status.set_description(anstream::adapter::strip_str(&text).to_string());
            }
            status
        }
        (kind, _) => {
            let kind = match kind {
                Status::SuiteError => NonSuccessKind::Error,
                _ => NonSuccessKind::Failure,
            };
            let mut status = TestCaseStatus::non_success(kind);
            status.set_type(result.status.as_str());
            let text = explain(report, result).unwrap_or_default();
            status.set_description(anstream::adapter::strip_str(&text).to_string());
            status
        }
    };
    let mut test_case =
        TestCase::new(format!("{} {}", result.check.id, result.check.requirement), status);
    test_case.set_classname(result.check.chapter());
    test_case.set_time(result.took);
    test_case
}
