//! Detection of all adapters at once, and what is remembered of it.

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
fn each_adapter_gets_its_row_whatever_the_others_do() {
    let stage = Stage::new();
    for (id, mode) in [
        ("a", "good"),
        ("b", "wedged"),
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
fn results_are_remembered_until_something_changes() {
    let stage = Stage::with("a", "good");
    let good = ["a installed=true auth=ok"];
    assert_eq!(rows(&stage, Refresh::WhenStale), good);
    set_mode(&stage.adapters().join("od-adapter-a"), "not_installed");
    assert_eq!(rows(&stage, Refresh::WhenStale), good, "the adapter was not asked again");
    let changed = ["a installed=false auth=ok"];
    assert_eq!(rows(&stage, Refresh::Always), changed);
    assert_eq!(rows(&stage, Refresh::WhenStale), changed);

    // Another setting is another question.
    set_mode(&stage.adapters().join("od-adapter-a"), "good");
    std::fs::write(stage.home().settings_file(), "[agents.a]\ncliPath = \"/x\"\n")
        .expect("settings");
    assert_eq!(rows(&stage, Refresh::WhenStale), good);
}

#[test]
fn a_hang_is_remembered_for_a_while_and_forgotten_on_request() {
    let stage = Stage::with("a", "wedged");
    assert_eq!(rows(&stage, Refresh::WhenStale), ["a plugin_hung"]);
    set_mode(&stage.adapters().join("od-adapter-a"), "good");
    assert_eq!(rows(&stage, Refresh::WhenStale), ["a plugin_hung"], "it was not asked again");
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
fn a_damaged_file_is_written_anew() {
    let stage = Stage::with("a", "good");
    rows(&stage, Refresh::WhenStale);
    std::fs::write(stage.home().agents_file(), "{{{").expect("damage");
    assert_eq!(rows(&stage, Refresh::WhenStale), ["a installed=true auth=ok"]);
    let text = std::fs::read(stage.home().agents_file()).expect("agents.json");
    serde_json::from_slice::<serde_json::Value>(&text).expect("a whole document");
}

#[test]
fn auto_takes_one_that_works() {
    let stage = Stage::new();
    for (id, mode) in [("a", "not_installed"), ("b", "logged_out"), ("demo", "good"), ("z", "good")]
    {
        stage.add(id, mode);
    }
    assert_eq!(block_on(stage.host().auto()).expect("an agent").id, "z");
}
