//! `run --real` with scripted agent CLIs.

use std::path::{Path, PathBuf};

use crate::support::{CommandOutput, Reference, conformance, pack_copy, script_plugin};

/// A pack with a `[real]` table.
fn pack_with(folder: &Path, table: &str) -> PathBuf {
    let pack = folder.join("pack");
    pack_copy(&pack);
    let file = pack.join("conformance.toml");
    let text = std::fs::read_to_string(&file).expect("the settings");
    std::fs::write(&file, format!("{text}\n{table}\n")).expect("new settings");
    pack
}

/// Runs one scenario with an agent CLI, with network access where it cannot be isolated.
fn run_scenario(
    scenario: &str,
    adapter: &Reference,
    pack: &str,
    cli: &str,
    more: &[&str],
) -> CommandOutput {
    let adapter = adapter.path();
    let run = ["run", &adapter, "--pack", pack, "--real", "--cli", cli, "--allow-network"];
    conformance(&[&run[..], &["--only", scenario], more].concat())
}

fn text_of(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

#[test]
fn failing_cli_sees_only_loopback() {
    let folder = tempfile::tempdir().expect("a folder");
    let pack = text_of(&pack_with(folder.path(), "[real]"));
    let names = "tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d ' ' | tr '\\n' ','; echo version";
    let cli = script_plugin(folder.path(), names);
    let adapter = Reference::with_fault(None);
    let [json, page, tap, junit] = ["json", "html", "tap", "junit"]
        .map(|form| text_of(&folder.path().join(format!("report.{form}"))));
    let reports = [("json", &json), ("html", &page), ("tap", &tap), ("junit", &junit)]
        .map(|(form, file)| format!("--report={form}={file}"));
    let kept = text_of(&folder.path().join("kept"));
    let more = ["--keep", &kept, &reports[0], &reports[1], &reports[2], &reports[3]];
    let outcome = run_scenario("plain", &adapter, &pack, &cli, &more);
    outcome.exits_with(1).prints(&["fail", "plain", "  expected ", "  transcript ", "  repeat "]);
    outcome.prints(&["--real --cli ", "--only plain --seed "]);
    if outcome.text.contains("loopback only") {
        outcome.prints(&["lo,version at "]);
    }
    let value: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(json).expect("a report")).expect("JSON");
    assert_eq!(value["counts"]["fail"], 1, "{value:#}");
    assert_eq!((&value["claim"], &value["results"][0]["id"]), (&"real".into(), &"plain".into()));
    let found = &value["real"]["drift"]["version"]["found"];
    assert!(found.as_str().is_some_and(|found| found.ends_with("version")), "{value:#}");
    let page = std::fs::read_to_string(page).expect("a page");
    assert!(
        page.contains("<details id=\"plain\" data-status=\"fail\" data-chapter=\"REAL\" open>")
    );
    assert!(page.contains("Whole transcript") && page.contains("Checked with the real agent"));
    let tap = std::fs::read_to_string(tap).expect("a report");
    assert!(tap.contains("not ok 1 - plain ") && tap.contains("\nok 2 - "), "{tap}");
    let junit = std::fs::read_to_string(junit).expect("a report");
    assert!(
        junit.contains("<testsuite name=\"REAL\"") && junit.contains("failures=\"1\""),
        "{junit}"
    );
}

#[test]
fn impossible_real_runs_are_usage_errors() {
    let folder = tempfile::tempdir().expect("a folder");
    let adapter = Reference::with_fault(None);
    let start = ["run", &adapter.path(), "--real", "--allow-network"];
    let with = |more: &[&str]| conformance(&[&start[..], more].concat());
    with(&["--only", "HS-01"]).exits_with(2).prints(&["unknown scenario HS-01", "plain, think"]);
    let without = folder.path().join("without");
    pack_copy(&without);
    with(&["--pack", &text_of(&without)]).exits_with(2).prints(&["[real] table"]);
    let pack = text_of(&pack_with(folder.path(), "[real]"));
    with(&["--pack", &pack, "--cli", "/nowhere/cli"])
        .exits_with(2)
        .prints(&["/nowhere/cli", "--cli"]);
    conformance(&["run", &adapter.path(), "--cli", "x"]).exits_with(2).prints(&["--real"]);
}

#[test]
fn inapplicable_scenarios_are_skipped_with_reason() {
    let folder = tempfile::tempdir().expect("a folder");
    let table = "[real.not_applicable]\nfork = \"it keeps no sessions\"";
    let pack = text_of(&pack_with(folder.path(), table));
    let cli = script_plugin(folder.path(), "echo 1.0");
    let adapter = Reference::with_fault(None);
    run_scenario("fork", &adapter, &pack, &cli, &[]).exits_with(0).prints(&[
        "skip",
        "it keeps no sessions",
        ": conforms (real, requirement set latest); ",
    ]);
}

#[test]
fn lint_reports_wrong_real_table() {
    let folder = tempfile::tempdir().expect("a folder");
    let pack = text_of(&pack_with(folder.path(), "[real]\nenv = { A = \"{{url}}\" }"));
    conformance(&["fixtures", "lint", &pack]).exits_with(0);
    let folder = tempfile::tempdir().expect("a folder");
    let pack = pack_with(folder.path(), "[real.scenario.plian]");
    let file = pack.join("conformance.toml");
    let text = std::fs::read_to_string(&file).expect("the settings");
    let models = "[scenario.models]";
    assert!(text.contains(models), "{text}");
    let text = text.replace(models, &format!("{models}\nprompt = \"{{{{url}}}}\""));
    std::fs::write(&file, text).expect("new settings");
    let pack = text_of(&pack);
    conformance(&["fixtures", "lint", &pack]).exits_with(2).prints(&["plian", "\"url\""]);
}
