//! Concurrent detection of all adapters, and the cache of its results.

use od_host::agents::Refresh;

use super::stage::{Stage, block_on, set_mode};

fn rows(stage: &Stage, refresh: Refresh) -> Vec<String> {
    let agents = block_on(stage.host().agents(refresh));
    let row = |agent: &od_host::agents::Agent| match &agent.detected {
        Ok(detected) => {
            format!("{} installed={} auth={}", agent.id, detected.installed, detected.auth.state)
        }
        Err(error) => format!("{} {}", agent.id, error.failure.as_str()),
    };
    agents
        .iter()
        .filter(|agent| agent.adapter_path.starts_with(stage.adapters()))
        .map(row)
        .collect()
}

#[test]
fn failing_adapters_do_not_hide_others() {
    let stage = Stage::new();
    for (id, mode) in [
        ("a", "good"),
        ("b", "hangs_in_detect"),
        ("c", "dies_at_start"),
        ("d", "not_installed"),
        ("e", "logged_out"),
    ] {
        stage.add(id, mode);
    }
    assert_eq!(
        rows(&stage, Refresh::WhenStale),
        [
            "a installed=true auth=ok",
            "b plugin_hung",
            "c plugin_crashed",
            "d installed=false auth=ok",
            "e installed=true auth=missing",
        ]
    );
}

#[test]
fn detection_results_are_cached_until_change() {
    let stage = Stage::with("a", "good");
    let good = ["a installed=true auth=ok"];
    assert_eq!(rows(&stage, Refresh::WhenStale), good);
    set_mode(&stage.adapters().join("od-adapter-a"), "not_installed");
    assert_eq!(rows(&stage, Refresh::WhenStale), good, "the adapter was not called again");
    let changed = ["a installed=false auth=ok"];
    assert_eq!(rows(&stage, Refresh::Always), changed);
    assert_eq!(rows(&stage, Refresh::WhenStale), changed);

    // A changed setting invalidates the result.
    set_mode(&stage.adapters().join("od-adapter-a"), "good");
    stage.write_settings("[agents.a]\ncliPath = \"/x\"\n");
    assert_eq!(rows(&stage, Refresh::WhenStale), good);
}

#[test]
fn hang_is_cached_until_refresh() {
    let stage = Stage::with("a", "hangs_in_detect");
    assert_eq!(rows(&stage, Refresh::WhenStale), ["a plugin_hung"]);
    set_mode(&stage.adapters().join("od-adapter-a"), "good");
    assert_eq!(rows(&stage, Refresh::WhenStale), ["a plugin_hung"], "it was not detected again");
    assert_eq!(rows(&stage, Refresh::Always), ["a installed=true auth=ok"]);

    set_mode(&stage.adapters().join("od-adapter-a"), "dies_at_start");
    assert_eq!(rows(&stage, Refresh::Always), ["a plugin_crashed"]);
    set_mode(&stage.adapters().join("od-adapter-a"), "good");
    assert_eq!(
        rows(&stage, Refresh::WhenStale),
        ["a installed=true auth=ok"],
        "a crash is quick to find out"
    );
}

#[test]
fn damaged_agents_file_is_replaced() {
    let stage = Stage::with("a", "good");
    rows(&stage, Refresh::WhenStale);
    std::fs::write(stage.home().agents_file(), "{{{").expect("damage");
    assert_eq!(rows(&stage, Refresh::WhenStale), ["a installed=true auth=ok"]);
    let text = std::fs::read(stage.home().agents_file()).expect("agents.json");
    serde_json::from_slice::<serde_json::Value>(&text).expect("a whole document");
}

#[test]
fn auto_chooses_usable_agent() {
    let stage = Stage::new();
    for (id, mode) in [("a", "not_installed"), ("b", "logged_out"), ("demo", "good"), ("z", "good")]
    {
        stage.add(id, mode);
    }
    assert_eq!(block_on(stage.host().auto()).expect("an agent").id, "z");
}
