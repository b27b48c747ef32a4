//! The checks of `od-host doctor`.

use od_host::doctor::{Check, CheckStatus};

use super::stage::{Stage, block_on};

fn run_doctor(stage: &Stage) -> Vec<Check> {
    let checks = block_on(stage.host().doctor());
    for check in &checks {
        let has_fix = check.status == CheckStatus::Ok || check.fix.is_some();
        assert!(has_fix && !check.found.is_empty(), "{check:?}");
    }
    checks
}

fn status(checks: &[Check], name: &str) -> Option<CheckStatus> {
    checks.iter().find(|check| check.name == name).map(|check| check.status)
}

#[test]
fn healthy_home_passes_all_checks() {
    let stage = Stage::with("x", "good");
    let checks = run_doctor(&stage);
    for name in
        ["home.writable", "home.private", "cache.manifests", "cache.agents", "agent.x", "runs"]
    {
        assert_eq!(status(&checks, name), Some(CheckStatus::Ok), "{name}");
    }
}

#[test]
fn each_problem_has_its_check() {
    let stage = Stage::with("x", "good");
    stage.add("y", "wrong_id");
    stage.add("z", "logged_out");
    stage.add("w", "dies_at_start");
    block_on(async { stage.start(&stage.host()).await.expect("a run").wait().await });
    let run_id = stage.host().find_run("last").expect("a run").run_id;
    let journal = std::fs::read_to_string(stage.events_file(&run_id)).expect("a journal");
    std::fs::write(stage.events_file(&run_id), format!("garbage\n{journal}")).expect("damage");
    std::fs::create_dir_all(stage.home().run("broken")).expect("a run");
    std::fs::write(stage.home().agents_file(), "{").expect("damage");
    std::fs::write(stage.home().trust_file(), "{").expect("damage");
    std::fs::write(stage.home().active_file(), r#"{"agent":"z"}"#).expect("an active agent");
    stage.write_settings("[agents.nope]\nmaxRuns = 1\n");

    let checks = run_doctor(&stage);
    for (name, expected) in [
        ("cache.agents", CheckStatus::Warn),
        ("adapter.y", CheckStatus::Warn),
        ("settings.agents", CheckStatus::Warn),
        ("agent.z", CheckStatus::Warn),
        ("agent.w", CheckStatus::Fail),
        ("agent.active", CheckStatus::Warn),
        ("trust.pins", CheckStatus::Fail),
        ("runs.damaged", CheckStatus::Warn),
        ("runs.unreadable", CheckStatus::Warn),
    ] {
        assert_eq!(status(&checks, name), Some(expected), "{name}: {checks:#?}");
    }
}

#[test]
fn journal_with_missing_event_is_damaged() {
    let stage = Stage::with("x", "flood 5");
    block_on(async { stage.start(&stage.host()).await.expect("a run").wait().await });
    assert_eq!(status(&run_doctor(&stage), "runs"), Some(CheckStatus::Ok));
    let run_id = stage.host().find_run("last").expect("a run").run_id;
    let journal = std::fs::read_to_string(stage.events_file(&run_id)).expect("a journal");
    let lines = journal.lines().enumerate().filter(|(index, _)| *index != 3);
    let rest: String = lines.map(|(_, line)| format!("{line}\n")).collect();
    std::fs::write(stage.events_file(&run_id), rest).expect("damage");
    let checks = run_doctor(&stage);
    let check = checks.iter().find(|check| check.name == "runs.damaged").expect("a finding");
    assert!(check.found.contains("has event 4 in the place of 3"), "{check:?}");
}
