//! `od-host agents`, `use`, `models`, `capabilities` and `doctor`.

use serde_json::Value;

use super::scratch::Scratch;
use crate::library::stage::add_to;

#[test]
fn list_shows_readiness_and_fixes() {
    let scratch = Scratch::with_adapter("good", "good");
    scratch.add_adapter("absent", "not_installed");
    scratch.add_adapter("stranger", "logged_out");
    scratch.add_adapter("broken", "bad_manifest");
    let finished = scratch.od_host(&["agents"]).exits_with(0);
    let lines: Vec<&str> = finished.stdout.lines().collect();
    assert_eq!(lines[0], "✗ absent    Test · not installed");
    assert_eq!(lines[1], "            → install it");
    assert_eq!(lines[2], "✓ good      Test 4.5.6");
    assert_eq!(lines[3], "            no login needed");
    assert_eq!(lines[4], "✗ stranger  Test 4.5.6 · not logged in");
    assert_eq!(lines[5], "            no credential");
    assert!(lines.contains(&"Rejected adapters:"), "{}", finished.stdout);
    assert!(finished.stdout.contains("od-adapter-broken\n"), "{}", finished.stdout);
    assert!(finished.stderr.contains("od-host run -a good"), "{}", finished.stderr);
}

#[test]
fn json_list_has_same_facts() {
    let scratch = Scratch::with_adapter("good", "good");
    scratch.add_adapter("absent", "not_installed");
    scratch.add_adapter("broken", "bad_manifest");
    let finished = scratch.od_host(&["agents", "--json"]).exits_with(0);
    let list: Value = serde_json::from_str(&finished.stdout).expect("JSON");
    assert_eq!(list["agents"][0]["problem"]["kind"], "cli_not_found");
    assert_eq!(list["agents"][0]["problem"]["fix"], "install it");
    assert_eq!(list["agents"][1]["ready"], true);
    assert_eq!(list["rejected"][0]["id"], "broken");
    assert_eq!(finished.stderr, "");
}

#[test]
fn active_agent_is_marked_and_used() {
    let scratch = Scratch::with_adapter("first", "good");
    scratch.add_adapter("second", "good");
    scratch.add_adapter("absent", "not_installed");
    let finished = scratch.od_host(&["use", "second"]).exits_with(0);
    assert!(finished.stderr.contains("second is now the active agent"), "{}", finished.stderr);
    let finished = scratch.od_host(&["agents"]).exits_with(0);
    assert!(finished.stdout.contains("✓ second  Test 4.5.6 · active"), "{}", finished.stdout);
    let finished = scratch.od_host(&["agents", "--json"]).exits_with(0);
    let list: Value = serde_json::from_str(&finished.stdout).expect("JSON");
    assert_eq!((&list["active"], &list["agents"][2]["active"]), (&"second".into(), &true.into()));
    scratch.od_host(&["run", "hello"]).exits_with(0);
    let finished = scratch.od_host(&["runs", "--json"]).exits_with(0);
    assert!(finished.stdout.contains("\"agent\": \"second\""), "{}", finished.stdout);

    let finished = scratch.od_host(&["use", "absent"]).exits_with(3);
    assert!(finished.stderr.contains("hint: install it"), "{}", finished.stderr);
    let finished = scratch.od_host(&["use", "secnd"]).exits_with(3);
    assert!(finished.stderr.contains("did you mean second?"), "{}", finished.stderr);
    scratch.add_adapter("pi", "good");
    let finished = scratch.od_host(&["use", ""]).exits_with(3);
    assert!(!finished.stderr.contains("did you mean"), "{}", finished.stderr);
}

#[test]
fn no_adapters_prints_hint() {
    let finished = Scratch::new().od_host(&["agents"]).exits_with(0);
    assert_eq!(finished.stdout, "");
    assert!(finished.stderr.contains("--adapter-dir"), "{}", finished.stderr);
}

#[test]
fn hidden_adapter_is_listed() {
    let scratch = Scratch::with_adapter("x", "good");
    let folder = scratch.path("others");
    std::fs::create_dir(&folder).expect("a folder");
    add_to(&folder, "x", "good");
    let others = folder.to_string_lossy().into_owned();
    let finished = scratch.od_host(&["agents", "--adapter-dir", &others]).exits_with(0);
    assert!(finished.stdout.contains("Hidden by an earlier adapter:"), "{}", finished.stdout);
    let used = folder.join("od-adapter-x").display().to_string();
    assert!(finished.stdout.contains(&format!("in use: {used}")), "{}", finished.stdout);
}

#[test]
fn capabilities_prints_table_and_json() {
    let scratch = Scratch::with_adapter("x", "good");
    let finished = scratch.od_host(&["capabilities", "-a", "x"]).exits_with(0);
    assert!(finished.stdout.contains("✓  input"), "{}", finished.stdout);
    assert!(finished.stdout.contains("✗  resume"), "{}", finished.stdout);
    let finished = scratch.od_host(&["capabilities", "-a", "x", "--json"]).exits_with(0);
    let answer: Value = serde_json::from_str(&finished.stdout).expect("JSON");
    assert_eq!(answer["capabilities"]["input"]["steer"], true);
}

#[test]
fn every_capability_is_described() {
    let scratch = Scratch::with_adapter("x", "good");
    let finished = scratch.od_host(&["capabilities", "-a", "x"]).exits_with(0);
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../schemas/v1/schema.json");
    let schema = std::fs::read_to_string(path).expect("the published schema");
    let schema: Value = serde_json::from_str(&schema).expect("JSON");
    let names = schema["$defs"]["Capabilities"]["properties"].as_object().expect("properties");
    for name in names.keys() {
        assert!(finished.stdout.contains(&format!("  {name} ")), "{name} is not described");
    }
}

#[test]
fn models_without_capability_fail() {
    let scratch = Scratch::with_adapter("x", "good");
    let finished = scratch.od_host(&["models", "-a", "x"]);
    assert_ne!(finished.code, Some(0));
    assert!(finished.stderr.contains("error: "), "{}", finished.stderr);
}

#[test]
fn doctor_passes_on_scratch_machine() {
    let scratch = Scratch::with_adapter("x", "good");
    let finished = scratch.od_host(&["doctor"]).exits_with(0);
    assert!(finished.stdout.contains("✓ agent.x"), "{}", finished.stdout);
    let finished = scratch.od_host(&["doctor", "--json"]).exits_with(0);
    let checks: Value = serde_json::from_str(&finished.stdout).expect("JSON");
    assert!(checks.as_array().expect("a list").iter().all(|check| check["status"] != "fail"));
}
