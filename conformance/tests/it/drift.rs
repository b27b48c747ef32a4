//! `drift` with scripted agent CLIs.

use std::path::Path;

use crate::support::{CommandOutput, Reference, conformance, pack_copy, script_plugin};

/// The version, the help and one line of the agent CLI.
const NOW: &str = r#"case "$1" in --version) echo parrot 2.4.1;; --help) echo "  --fresh  --stays";;
*) echo '{"type":"fresh"}'; echo '{"type":"known","now":1}';; esac"#;

/// Compares that agent CLI with a recording of one line and these flags.
fn check_drift(recorded: &str, flags: Option<&str>, more: &[&str]) -> CommandOutput {
    let folder = tempfile::tempdir().expect("a folder");
    let pack = folder.path().join("pack");
    pack_copy(&pack);
    let file = pack.join("conformance.toml");
    let text = std::fs::read_to_string(&file).expect("the settings");
    let table = "[real]\nrecordings = \"recordings\"\nhidden_flags = [\"--hidden\"]";
    std::fs::write(&file, format!("{text}\n{table}\n")).expect("new settings");
    let recordings = pack.join("recordings");
    std::fs::create_dir(&recordings).expect("a folder");
    std::fs::write(recordings.join("plain.stdout.jsonl"), recorded).expect("a recording");
    if let Some(flags) = flags {
        std::fs::write(recordings.join("flags.txt"), flags).expect("flags");
    }
    let cli = script_plugin(folder.path(), NOW);
    let adapter = Reference::with_fault(None);
    let pack = text_of(&pack);
    let arguments = ["drift", &adapter.path(), "--pack", &pack, "--cli", &cli, "--only", "plain"];
    conformance(&[&arguments[..], &["--allow-network"], more].concat())
}

fn text_of(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

#[test]
fn new_and_vanished_names_are_reported() {
    let recorded = "{\"type\":\"known\",\"before\":1}\n{\"type\":\"gone\"}\n";
    let outcome = check_drift(recorded, Some("--stays\n--gone\n--hidden\n"), &[]);
    outcome.exits_with(1).prints(&[
        "new       kind of line: fresh",
        "vanished  kind of line: gone",
        "new       member: known /now",
        "vanished  member: known /before",
        "new       flag: --fresh",
        "vanished  flag: --gone",
        "with parrot 2.4.1: drift",
    ]);
    assert!(!outcome.text.contains("flag: --hidden"), "{}", outcome.text);
}

#[test]
fn unrecorded_flags_are_not_compared() {
    let outcome =
        check_drift("{\"type\":\"fresh\"}\n{\"type\":\"known\",\"now\":1}\n", None, &["--json"]);
    let start = outcome.text.find('{').expect("JSON");
    let end = outcome.text.rfind('}').expect("JSON");
    let value: serde_json::Value =
        serde_json::from_str(&outcome.text[start..=end]).expect("one JSON document on stdout");
    assert_eq!(value["kinds"]["new"], serde_json::json!([]), "{value:#}");
    assert_eq!(value["members"]["vanished"], serde_json::json!([]), "{value:#}");
    assert!(value["flags"]["change"].is_null(), "{value:#}");
    assert_eq!(value["version"]["found"], "parrot 2.4.1");
    assert_eq!(outcome.code, i32::from(value["drift"] == true));
}

#[test]
fn usage_errors_have_exit_code_2() {
    let adapter = Reference::with_fault(None);
    let with = |more: &[&str]| {
        conformance(&[&["drift", &adapter.path(), "--allow-network"][..], more].concat())
    };
    with(&["--only", "HS-01"]).exits_with(2).prints(&["unknown scenario HS-01"]);
    let reference = text_of(&crate::support::reference_pack());
    with(&["--pack", &reference]).exits_with(2).prints(&["[real] table"]);
    conformance(&["drift", "/no/such/od-adapter-x", "--allow-network"]).exits_with(3);
}
