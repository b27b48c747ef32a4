//! `run --real` with agent CLIs that are made up: what is typed, what is confined, what is told.

use std::path::{Path, PathBuf};

use crate::support::{Reference, conformance, pack_copy, script_plugin};

/// A pack with a `[real]` table.
fn pack_with(folder: &Path, table: &str) -> PathBuf {
    let pack = folder.join("pack");
    pack_copy(&pack);
    let file = pack.join("conformance.toml");
    let text = std::fs::read_to_string(&file).expect("the settings");
    std::fs::write(&file, format!("{text}\n{table}\n")).expect("new settings");
    pack
}

fn text_of(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

#[test]
fn the_agent_cli_sees_only_loopback_and_its_failure_is_told() {
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
    let outcome = conformance(&[
        "run",
        &adapter.path(),
        "--pack",
        &pack,
        "--real",
        "--cli",
        &cli,
        "--allow-network",
        "--only",
        "plain",
        "--keep",
        &kept,
        &reports[0],
        &reports[1],
        &reports[2],
        &reports[3],
    ]);
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
    assert!(page.contains("The whole transcript") && page.contains("Judged with the real agent"));
    let tap = std::fs::read_to_string(tap).expect("a report");
    assert!(tap.contains("not ok 1 - plain ") && tap.contains("\nok 2 - "), "{tap}");
    let junit = std::fs::read_to_string(junit).expect("a report");
    assert!(
        junit.contains("<testsuite name=\"REAL\"") && junit.contains("failures=\"1\""),
        "{junit}"
    );
}

#[test]
fn what_cannot_be_played_is_wrong_usage() {
    let folder = tempfile::tempdir().expect("a folder");
    let adapter = Reference::with_fault(None);
    let start = ["run", &adapter.path(), "--real", "--allow-network"];
    let with = |more: &[&str]| conformance(&[&start[..], more].concat());
    with(&["--only", "HS-01"]).exits_with(2).prints(&["no scenario HS-01", "plain, think"]);
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
fn scenarios_that_do_not_apply_are_skipped_with_the_reason() {
    let folder = tempfile::tempdir().expect("a folder");
    let table = "[real.not_applicable]\nfork = \"it keeps no sessions\"";
    let pack = text_of(&pack_with(folder.path(), table));
    let cli = script_plugin(folder.path(), "echo 1.0");
    let adapter = Reference::with_fault(None);
    conformance(&[
        "run",
        &adapter.path(),
        "--pack",
        &pack,
        "--real",
        "--cli",
        &cli,
        "--allow-network",
        "--only",
        "fork",
    ])
    .exits_with(0)
    .prints(&["skip", "it keeps no sessions", ": conforms; "]);
}

#[test]
fn a_wrong_table_is_found_by_lint() {
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
